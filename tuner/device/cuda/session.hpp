#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "tuner/device/cuda/driver.hpp"

namespace tuner::device::cuda {

/// Owns one handle of the driver's; `Destroy` is the member of Driver that ends it. What destroying returns
/// is not looked at: after a fatal fault every call fails, and the process is about to be replaced.
template <typename Handle, auto Destroy>
class UniqueHandle {
 public:
  UniqueHandle() = default;
  UniqueHandle(std::shared_ptr<const Driver> driver, Handle handle)
      : m_driver(std::move(driver)), m_handle(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept
      : m_driver(std::move(other.m_driver)), m_handle(std::exchange(other.m_handle, Handle{})) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    std::swap(m_driver, other.m_driver);
    std::swap(m_handle, other.m_handle);
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() {
    if (m_driver != nullptr && m_handle != Handle{}) static_cast<void>(((*m_driver).*Destroy)(m_handle));
  }

  Handle get() const { return m_handle; }
  explicit operator bool() const { return m_handle != Handle{}; }

 private:
  std::shared_ptr<const Driver> m_driver;
  Handle m_handle{};
};

using DeviceMemory = UniqueHandle<CUdeviceptr, &Driver::mem_free>;
using PinnedMemory = UniqueHandle<void*, &Driver::mem_free_host>;
using ModuleHandle = UniqueHandle<CUmodule, &Driver::module_unload>;
using Stream = UniqueHandle<CUstream, &Driver::stream_destroy>;
using Event = UniqueHandle<CUevent, &Driver::event_destroy>;
using TextureHandle = UniqueHandle<CUtexObject, &Driver::tex_object_destroy>;
using SurfaceHandle = UniqueHandle<CUsurfObject, &Driver::surf_object_destroy>;
using ArrayHandle = UniqueHandle<CUarray, &Driver::array_destroy>;
using Graph = UniqueHandle<CUgraph, &Driver::graph_destroy>;
using GraphExec = UniqueHandle<CUgraphExec, &Driver::graph_exec_destroy>;

static_assert(!std::is_copy_constructible_v<DeviceMemory> && !std::is_copy_assignable_v<DeviceMemory>);
static_assert(std::is_nothrow_move_constructible_v<Stream> && std::is_nothrow_destructible_v<Stream>);

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
