#pragma once
#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

/// The functions used, with the version of each that is asked for. cuda.h maps names to newer versions
/// (cuEventElapsedTime to _v2 since 13.0) that older drivers lack, so nothing here is taken by the name
/// cuda.h gives it.
#define TUNER_DRIVER_FUNCTIONS(FUNCTION)                                 \
  FUNCTION(init, cuInit, 2000)                                           \
  FUNCTION(driver_get_version, cuDriverGetVersion, 2020)                 \
  FUNCTION(get_error_name, cuGetErrorName, 6000)                         \
  FUNCTION(get_error_string, cuGetErrorString, 6000)                     \
  FUNCTION(device_get_count, cuDeviceGetCount, 2000)                     \
  FUNCTION(device_get, cuDeviceGet, 2000)                                \
  FUNCTION(device_get_name, cuDeviceGetName, 2000)                       \
  FUNCTION(device_get_uuid, cuDeviceGetUuid, 11040)                      \
  FUNCTION(device_total_mem, cuDeviceTotalMem, 3020)                     \
  FUNCTION(device_get_attribute, cuDeviceGetAttribute, 2000)             \
  FUNCTION(primary_ctx_retain, cuDevicePrimaryCtxRetain, 7000)           \
  FUNCTION(primary_ctx_release, cuDevicePrimaryCtxRelease, 11000)        \
  FUNCTION(ctx_set_current, cuCtxSetCurrent, 4000)                       \
  FUNCTION(ctx_set_limit, cuCtxSetLimit, 3010)                           \
  FUNCTION(mem_get_info, cuMemGetInfo, 3020)                             \
  FUNCTION(mem_alloc, cuMemAlloc, 3020)                                  \
  FUNCTION(mem_free, cuMemFree, 3020)                                    \
  FUNCTION(mem_alloc_host, cuMemAllocHost, 3020)                         \
  FUNCTION(mem_alloc_managed, cuMemAllocManaged, 6000)                   \
  FUNCTION(mem_free_host, cuMemFreeHost, 2000)                           \
  FUNCTION(memcpy_dtoh_async, cuMemcpyDtoHAsync, 3020)                   \
  FUNCTION(memcpy_htod_async, cuMemcpyHtoDAsync, 3020)                   \
  FUNCTION(memset_d32_async, cuMemsetD32Async, 3020)                     \
  FUNCTION(memset_d8_async, cuMemsetD8Async, 3020)                       \
  FUNCTION(module_load_data, cuModuleLoadData, 2000)                     \
  FUNCTION(module_unload, cuModuleUnload, 2000)                          \
  FUNCTION(module_get_function, cuModuleGetFunction, 2000)               \
  FUNCTION(module_get_global, cuModuleGetGlobal, 3020)                   \
  FUNCTION(array_create, cuArray3DCreate, 3020)                          \
  FUNCTION(array_destroy, cuArrayDestroy, 2000)                          \
  FUNCTION(memcpy_2d_async, cuMemcpy2DAsync, 3020)                       \
  FUNCTION(surf_object_create, cuSurfObjectCreate, 5000)                 \
  FUNCTION(surf_object_destroy, cuSurfObjectDestroy, 5000)               \
  FUNCTION(tex_object_create, cuTexObjectCreate, 5000)                   \
  FUNCTION(tex_object_destroy, cuTexObjectDestroy, 5000)                 \
  FUNCTION(func_get_attribute, cuFuncGetAttribute, 2020)                 \
  FUNCTION(func_set_attribute, cuFuncSetAttribute, 9000)                 \
  FUNCTION(launch_kernel, cuLaunchKernel, 4000)                          \
  FUNCTION(launch_kernel_ex, cuLaunchKernelEx, 11060)                    \
  FUNCTION(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050) \
  FUNCTION(stream_create, cuStreamCreate, 2000)                          \
  FUNCTION(stream_destroy, cuStreamDestroy, 4000)                        \
  FUNCTION(stream_synchronize, cuStreamSynchronize, 2000)                \
  FUNCTION(stream_wait_event, cuStreamWaitEvent, 3020)                   \
  FUNCTION(stream_begin_capture, cuStreamBeginCapture, 10010)            \
  FUNCTION(stream_end_capture, cuStreamEndCapture, 10000)                \
  FUNCTION(event_create, cuEventCreate, 2000)                            \
  FUNCTION(event_destroy, cuEventDestroy, 4000)                          \
  FUNCTION(event_record, cuEventRecord, 2000)                            \
  FUNCTION(event_elapsed_time, cuEventElapsedTime, 2000)                 \
  FUNCTION(graph_instantiate, cuGraphInstantiateWithFlags, 11040)        \
  FUNCTION(graph_launch, cuGraphLaunch, 10000)                           \
  FUNCTION(graph_exec_destroy, cuGraphExecDestroy, 10000)                \
  FUNCTION(graph_destroy, cuGraphDestroy, 10000)
namespace tuner::device::cuda {

/// The driver's entry points, found at run time. Never unloaded: the driver keeps threads and exit handlers.
struct Driver {
#define TUNER_MEMBER(member, symbol, version) PFN_##symbol##_v##version member = nullptr;
  TUNER_DRIVER_FUNCTIONS(TUNER_MEMBER)
#undef TUNER_MEMBER
  PFN_cuFuncGetParamInfo_v12040 func_get_param_info = nullptr;  ///< null before CUDA 12.4
  PFN_cuOccupancyMaxActiveClusters_v11070 max_active_clusters = nullptr;
  PFN_cuCtxResetPersistingL2Cache_v11000 reset_persisting_l2 = nullptr;
  PFN_cuTensorMapEncodeTiled_v12000 tensor_map_encode_tiled = nullptr;
  int version = 0;  ///< of the API: 13000 is CUDA 13.0
};

/// Loads the driver and initialises it. Throws model::Error with ExitCode::no_device.
std::shared_ptr<const Driver> load_driver();

/// `CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered`
std::string describe(const Driver& driver, CUresult result);

/// Whether nothing works any more in this process after `result` (cuda.h: "the context cannot be used", "this
/// leaves the process in an inconsistent state").
bool is_fatal(CUresult result);

/// Throws device::DeviceFault unless `result` is success: crashed and lost where is_fatal(), launch_error
/// elsewhere. `doing` completes "while …".
void check(const Driver& driver, CUresult result, const char* doing);

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
