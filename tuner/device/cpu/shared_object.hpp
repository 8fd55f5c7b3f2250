#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/cpu/runtime/abi.hpp"
#include "tuner/device/device.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::device::cpu {

class SharedObject;

/// A kernel with everything needed to run its blocks, in any order, on any worker.
struct Launch {
  const tuner_cpu::Kernel* kernel = nullptr;
  void** arguments = nullptr;  ///< the address of each argument's value
  tuner_cpu::Index3 grid{1, 1, 1};
  tuner_cpu::Index3 block{1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;
  const SharedObject* module = nullptr;
  bool cooperative = false;            ///< all blocks run at once
  tuner_cpu::Index3 cluster{1, 1, 1};  ///< blocks that run at once

  unsigned threads() const { return block.x * block.y * block.z; }
  unsigned cluster_blocks() const { return cluster.x * cluster.y * cluster.z; }
  /// How many run at once because they may wait for each other; 1: each runs for itself.
  std::int64_t blocks_together() const { return cooperative ? blocks() : cluster_blocks(); }
  std::int64_t blocks() const { return static_cast<std::int64_t>(grid.x) * grid.y * grid.z; }
};

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
  void unload();
  void find_static_shared();

  LoadedBytes m_loaded;
  std::uintptr_t m_base = 0;
  const tuner_cpu::Module* m_properties = nullptr;
  std::size_t m_shared_module = 0;  ///< the dynamic linker's number of its thread-local storage; 0: none
  std::size_t m_shared_bytes = 0;
};

}  // namespace tuner::device::cpu
