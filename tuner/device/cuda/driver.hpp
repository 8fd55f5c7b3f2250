#pragma once
#include <cuda.h>
#include <cudaTypedefs.h>

#include <memory>
#include <string>

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

}  // namespace tuner::device::cuda
