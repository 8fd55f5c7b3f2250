#pragma once
#include <cstddef>
#include <cstdint>

#include "tuner/use/pack_format.hpp"

/// The part of the CUDA driver's interface that launches need, as cuda.h declares it, under our own names:
/// programs are compiled without CUDA. tests/use holds it against cuda.h where that is at hand.
namespace tuner::use {

using CuResult = int;
using CuDevice = int;
using CuContext = struct CuContextOpaque*;
using CuModule = struct CuModuleOpaque*;
using CuFunction = struct CuFunctionOpaque*;
using CuStream = struct CuStreamOpaque*;
using CuAddress = unsigned long long;

struct CuLaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int flag;
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
inline constexpr int attribute_cooperative = 2;
inline constexpr int attribute_cluster = 4;
inline constexpr int attribute_overlap = 6;  ///< programmatic stream serialization

struct CuLaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  CuStream stream;
  CuLaunchAttribute* attributes;
  unsigned attribute_count;
};

struct alignas(128) CuTensorMap {
  std::uint64_t words[16];
};

// CUfunction_attribute
inline constexpr int function_shared_bytes = 1;
inline constexpr int function_most_dynamic_bytes = 8;
inline constexpr int function_carveout = 9;
// CUdevice_attribute
inline constexpr int device_compute_major = 75;
inline constexpr int device_compute_minor = 76;
/// By Limit.
inline constexpr int limit_attributes[limit_count] = {16, 10, 1, 39, 106, 12, 82, 8, 97,
                                                      81, 2,  3, 4,  5,   6,  7,  38};

/// Name of the member, of the function, the version asked for, its parameters.
#define TUNER_USE_DRIVER(FUNCTION)                                                                        \
  FUNCTION(init, cuInit, 2000, (unsigned))                                                                \
  FUNCTION(get_error_name, cuGetErrorName, 6000, (CuResult, const char**))                                \
  FUNCTION(get_error_string, cuGetErrorString, 6000, (CuResult, const char**))                            \
  FUNCTION(device_get_count, cuDeviceGetCount, 2000, (int*))                                              \
  FUNCTION(device_get, cuDeviceGet, 2000, (CuDevice*, int))                                               \
  FUNCTION(device_get_name, cuDeviceGetName, 2000, (char*, int, CuDevice))                                \
  FUNCTION(device_get_attribute, cuDeviceGetAttribute, 2000, (int*, int, CuDevice))                       \
  FUNCTION(ctx_get_current, cuCtxGetCurrent, 4000, (CuContext*))                                          \
  FUNCTION(ctx_get_device, cuCtxGetDevice, 2000, (CuDevice*))                                             \
  FUNCTION(ctx_get_id, cuCtxGetId, 12000, (CuContext, unsigned long long*))                               \
  FUNCTION(ctx_push, cuCtxPushCurrent, 4000, (CuContext))                                                 \
  FUNCTION(ctx_pop, cuCtxPopCurrent, 4000, (CuContext*))                                                  \
  FUNCTION(stream_get_ctx, cuStreamGetCtx, 9020, (CuStream, CuContext*))                                  \
  FUNCTION(stream_is_capturing, cuStreamIsCapturing, 10000, (CuStream, int*))                             \
  FUNCTION(module_load_data, cuModuleLoadData, 2000, (CuModule*, const void*))                            \
  FUNCTION(module_unload, cuModuleUnload, 2000, (CuModule))                                               \
  FUNCTION(module_get_function, cuModuleGetFunction, 2000, (CuFunction*, CuModule, const char*))          \
  FUNCTION(module_get_global, cuModuleGetGlobal, 3020, (CuAddress*, std::size_t*, CuModule, const char*)) \
  FUNCTION(func_get_attribute, cuFuncGetAttribute, 2020, (int*, int, CuFunction))                         \
  FUNCTION(func_set_attribute, cuFuncSetAttribute, 9000, (CuFunction, int, int))                          \
  FUNCTION(launch_kernel, cuLaunchKernelEx, 11060, (const CuLaunchConfig*, CuFunction, void**, void**))   \
  FUNCTION(memset_async, cuMemsetD8Async, 3020, (CuAddress, unsigned char, std::size_t, CuStream))        \
  FUNCTION(copy_async, cuMemcpyDtoDAsync, 3020, (CuAddress, CuAddress, std::size_t, CuStream))

/// Null where the driver is too old for them.
#define TUNER_USE_OPTIONAL_DRIVER(FUNCTION)                                                      \
  FUNCTION(func_get_param_info, cuFuncGetParamInfo, 12040,                                       \
           (CuFunction, std::size_t, std::size_t*, std::size_t*))                                \
  FUNCTION(tensor_map_encode, cuTensorMapEncodeTiled, 12000,                                     \
           (CuTensorMap*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*, \
            const std::uint32_t*, const std::uint32_t*, int, int, int, int))

struct Driver {
#define TUNER_USE_MEMBER(member, symbol, version, parameters) CuResult(*member) parameters = nullptr;
  TUNER_USE_DRIVER(TUNER_USE_MEMBER)
  TUNER_USE_OPTIONAL_DRIVER(TUNER_USE_MEMBER)
#undef TUNER_USE_MEMBER
};

/// Found once for the process, by the loader or where the variable TUNER_LIBCUDA says, and never unloaded.
/// Sets the error's detail.
tuner_error find_driver(const Driver*& driver);

/// `while` it failed with `result`: the error, with the driver's words as its detail.
tuner_error driver_failed(const Driver& driver, tuner_error error, CuResult result, const char* doing);

}  // namespace tuner::use
