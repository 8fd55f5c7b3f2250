#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/cpu/runtime/abi.hpp"
#include "tuner/device/device.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::device::cpu {

/// A binary of the host compiler, loaded into this process from memory.
class SharedObject final : public Module {
 public:
  /// Throws DeviceFault (launch_error) for bytes that cannot be loaded, or that another version of the tuner
  /// made.
  explicit SharedObject(std::span<const std::byte> binary);
  ~SharedObject() override;

  const tuner_cpu::Module& properties() const { return *m_properties; }
  /// Throws DeviceFault (launch_error) for a symbol that is not there.
  const tuner_cpu::Kernel& kernel(const std::string& symbol) const;
  Variable variable(const std::string& symbol) const override;

  /// The calling thread's copy of all static shared arrays; empty where the module has none or keeps them
  /// global.
  std::span<std::byte> static_shared() const;
  std::int64_t static_shared_bytes() const { return static_cast<std::int64_t>(m_shared_bytes); }

  /// Where the code at each address comes from: the innermost line that is the kernel's own, not the runtime
  /// headers'. A location without a file where that is unknown (no `addr2line` on this machine).
  std::vector<model::SourceLocation> locate(const std::vector<const void*>& code) const;

 private:
  void find_static_shared();

  int m_file = -1;
  void* m_handle = nullptr;
  std::uintptr_t m_base = 0;
  const tuner_cpu::Module* m_properties = nullptr;
  std::size_t m_shared_module = 0;  ///< the dynamic linker's number of its thread-local storage; 0: none
  std::size_t m_shared_bytes = 0;
};

}  // namespace tuner::device::cpu
