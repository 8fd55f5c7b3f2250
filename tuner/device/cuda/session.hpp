#pragma once
#include <cstdint>
#include <memory>

#include "tuner/device/cuda/unique_handle.hpp"

namespace tuner::device::cuda {

/// The primary context of one GPU, current on the calling thread, and the stream all work is queued on.
/// Everything made in the context keeps the session alive. All functions throw device::DeviceFault.
class Session {
 public:
  /// Throws model::Error with ExitCode::no_device when the GPU gives us no context (busy in exclusive mode,
  /// no memory).
  Session(std::shared_ptr<const Driver> driver, int ordinal);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Driver& driver() const { return *m_driver; }
  const std::shared_ptr<const Driver>& shared_driver() const { return m_driver; }
  CUdevice device() const { return m_context.device; }
  CUstream stream() const { return m_stream.get(); }
  /// Waits for the stream; where the faults of kernels come to light.
  void synchronize(const char* doing) const;

  DeviceMemory allocate(std::int64_t bytes) const;
  PinnedMemory allocate_pinned(std::int64_t bytes) const;
  DeviceMemory allocate_managed(std::int64_t bytes) const;
  ModuleHandle load(const void* cubin) const;
  /// Does not wait for the legacy default stream.
  Stream make_stream() const;
  Event make_event(bool timed) const;

 private:
  struct Context {
    Context(std::shared_ptr<const Driver> from, int ordinal);
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context();
    std::shared_ptr<const Driver> driver;
    CUdevice device = 0;
  };

  std::shared_ptr<const Driver> m_driver;
  Context m_context;
  Stream m_stream;
};

/// The device with this ordinal. Throws model::Error with ExitCode::no_device where there is none.
CUdevice device_at(const Driver& driver, int ordinal);

}  // namespace tuner::device::cuda
