#pragma once
#include <cstddef>
#include <cstdint>

#include "tuner/use/driver.hpp"

/// The functions of the driver that the library asks itself, past its own hooks, by their exported names.
namespace tuner::capture {

using use::CuAddress;
using use::CuContext;
using use::CuDevice;
using use::CuFunction;
using use::CuLaunchAttribute;
using use::CuLaunchConfig;
using use::CuModule;
using use::CuResult;
using use::CuStream;
using use::device_compute_major;
using use::device_compute_minor;
using use::function_shared_bytes;
using CuLibrary = struct CuLibraryOpaque*;
using CuKernel = struct CuKernelOpaque*;
using CuEvent = struct CuEventOpaque*;

inline constexpr CuResult cu_success = 0;
inline constexpr CuResult cu_not_found = 500;

// CUfunction_attribute.
inline constexpr int function_local_bytes = 3;
inline constexpr int function_registers = 4;

/// FUNCTION(member, exported name, parameters). Any of them may be lacking in an old driver.
#define TUNER_CAPTURE_DRIVER(FUNCTION)                                                                     \
  FUNCTION(driver_get_version, cuDriverGetVersion, (int*))                                                 \
  FUNCTION(ctx_get_current, cuCtxGetCurrent, (CuContext*))                                                 \
  FUNCTION(ctx_get_device, cuCtxGetDevice, (CuDevice*))                                                    \
  FUNCTION(ctx_synchronize, cuCtxSynchronize, ())                                                          \
  FUNCTION(device_get_name, cuDeviceGetName, (char*, int, CuDevice))                                       \
  FUNCTION(device_get_attribute, cuDeviceGetAttribute, (int*, int, CuDevice))                              \
  FUNCTION(event_create, cuEventCreate, (CuEvent*, unsigned))                                              \
  FUNCTION(event_record, cuEventRecord, (CuEvent, CuStream))                                               \
  FUNCTION(event_record_ptsz, cuEventRecord_ptsz, (CuEvent, CuStream))                                     \
  FUNCTION(event_query, cuEventQuery, (CuEvent))                                                           \
  FUNCTION(event_elapsed_time, cuEventElapsedTime, (float*, CuEvent, CuEvent))                             \
  FUNCTION(func_get_attribute, cuFuncGetAttribute, (int*, int, CuFunction))                                \
  FUNCTION(func_get_name, cuFuncGetName, (const char**, CuFunction))                                       \
  FUNCTION(func_get_param_info, cuFuncGetParamInfo, (CuFunction, std::size_t, std::size_t*, std::size_t*)) \
  FUNCTION(kernel_get_function, cuKernelGetFunction, (CuFunction*, CuKernel))                              \
  FUNCTION(kernel_get_name, cuKernelGetName, (const char**, CuKernel))                                     \
  FUNCTION(mem_get_address_range, cuMemGetAddressRange_v2, (CuAddress*, std::size_t*, CuAddress))          \
  FUNCTION(memcpy_to_host, cuMemcpyDtoH_v2, (void*, CuAddress, std::size_t))                               \
  FUNCTION(memcpy_to_device, cuMemcpyHtoD_v2, (CuAddress, const void*, std::size_t))                       \
  FUNCTION(module_get_global, cuModuleGetGlobal_v2, (CuAddress*, std::size_t*, CuModule, const char*))     \
  FUNCTION(library_get_global, cuLibraryGetGlobal, (CuAddress*, std::size_t*, CuLibrary, const char*))     \
  FUNCTION(stream_is_capturing, cuStreamIsCapturing, (CuStream, int*))                                     \
  FUNCTION(stream_is_capturing_ptsz, cuStreamIsCapturing_ptsz, (CuStream, int*))

struct Driver {
#define TUNER_CAPTURE_MEMBER(member, symbol, parameters) CuResult(*member) parameters = nullptr;
  TUNER_CAPTURE_DRIVER(TUNER_CAPTURE_MEMBER)
#undef TUNER_CAPTURE_MEMBER
};

/// dlsym() as the loader has it.
using Dlsym = void* (*)(void*, const char*);
Dlsym find_loaders_dlsym();
void* loaders_dlsym(void* library, const char* name);

/// Null where the process has loaded no driver.
void* driver_library();
/// The functions of driver_library(), found when it is first asked.
const Driver& driver();

/// While there is one, the hooks of this thread pass everything on: what the library does itself is not
/// captured.
class Inside {
 public:
  Inside() { ++depth; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { --depth; }
  static bool here() { return depth != 0; }

 private:
  static thread_local int depth;
};

}  // namespace tuner::capture
