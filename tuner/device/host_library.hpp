#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/device/operand_value.hpp"
#include "tuner/model/tuner_baseline.h"

namespace tuner::device {

/// A binary that calls a library (CompileJob::host_library), in this process: any device binds its functions
/// as steps of kind `call`. It is never unloaded, and loaded once however often it is asked for: libraries
/// keep threads and handles, and what is slow is done once.
class HostLibrary final : public Module {
 public:
  using Function = decltype(&tuner_baseline);

  /// Throws DeviceFault: `skipped`, with the reason, where the library it calls is not there; launch_error
  /// for bytes that cannot be loaded.
  explicit HostLibrary(std::span<const std::byte> binary);

  /// What the library says of itself: "cuBLAS 13.1.0".
  const std::string& version() const { return m_version; }
  /// Throws DeviceFault (launch_error) where there is no such function.
  Function function(const std::string& name) const;

 private:
  void* m_handle = nullptr;
  std::string m_version;
};

/// A step of kind `call` with its arguments bound, ready to be queued as often as wanted.
class LibraryCall {
 public:
  /// Throws DeviceFault (launch_error) where `module` is no HostLibrary, or lacks the function.
  LibraryCall(const Module& module, const model::Step& step, const std::vector<model::BufferPlan>& buffers,
              const Bindings& bindings);

  /// Calls the function with `stream`, which may be null. Throws DeviceFault (launch_error) with what it
  /// says.
  void enqueue(void* stream) const;

 private:
  HostLibrary::Function m_function;
  std::string m_version;
  std::vector<OperandValue> m_values;  ///< one argument each
  std::vector<void*> m_arguments;      ///< into m_values, whose elements stay in place when the call is moved
  void* m_workspace = nullptr;
  std::size_t m_workspace_bytes = 0;
};

}  // namespace tuner::device
