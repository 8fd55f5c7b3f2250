#pragma once
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

}  // namespace tuner::device::cuda
