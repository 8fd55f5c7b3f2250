#pragma once
#include <cstddef>
#include <cstdint>

#include "tuner/capture/driver.hpp"
#include "tuner/capture/observer.hpp"

// Functions of the driver that the library offers under the driver's names. A program comes to them as the
// loader resolves its symbols, as it asks dlsym(), or as it asks cuGetProcAddress().

namespace tuner::capture {

/// HOOK(exported name, parameters)
#define TUNER_CAPTURE_HOOKS(HOOK)                                                                            \
  HOOK(cuInit, (unsigned))                                                                                   \
  HOOK(cuGetProcAddress, (const char*, void**, int, std::uint64_t))                                          \
  HOOK(cuGetProcAddress_v2, (const char*, void**, int, std::uint64_t, int*))                                 \
  HOOK(cuLaunchKernel, (CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,    \
                        CuStream, void**, void**))                                                           \
  HOOK(cuLaunchKernel_ptsz, (CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,         \
                             unsigned, CuStream, void**, void**))                                            \
  HOOK(cuLaunchKernelEx, (const CuLaunchConfig*, CuFunction, void**, void**))                                \
  HOOK(cuLaunchKernelEx_ptsz, (const CuLaunchConfig*, CuFunction, void**, void**))                           \
  HOOK(cuLaunchCooperativeKernel,                                                                            \
       (CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CuStream, void**)) \
  HOOK(cuLaunchCooperativeKernel_ptsz,                                                                       \
       (CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CuStream, void**)) \
  HOOK(cuGraphLaunch, (void*, CuStream))                                                                     \
  HOOK(cuGraphLaunch_ptsz, (void*, CuStream))                                                                \
  HOOK(cuStreamBeginCapture, (CuStream))                                                                     \
  HOOK(cuStreamBeginCapture_ptsz, (CuStream))                                                                \
  HOOK(cuStreamBeginCapture_v2, (CuStream, int))                                                             \
  HOOK(cuStreamBeginCapture_v2_ptsz, (CuStream, int))                                                        \
  HOOK(cuStreamBeginCaptureToGraph, (CuStream, void*, const void*, const void*, std::size_t, int))           \
  HOOK(cuStreamBeginCaptureToGraph_ptsz, (CuStream, void*, const void*, const void*, std::size_t, int))      \
  HOOK(cuStreamEndCapture, (CuStream, void**))                                                               \
  HOOK(cuStreamEndCapture_ptsz, (CuStream, void**))                                                          \
  HOOK(cuModuleLoad, (CuModule*, const char*))                                                               \
  HOOK(cuModuleLoadData, (CuModule*, const void*))                                                           \
  HOOK(cuModuleLoadDataEx, (CuModule*, const void*, unsigned, int*, void**))                                 \
  HOOK(cuModuleLoadFatBinary, (CuModule*, const void*))                                                      \
  HOOK(cuModuleGetGlobal_v2, (CuAddress*, std::size_t*, CuModule, const char*))                              \
  HOOK(cuLibraryLoadData, (CuLibrary*, const void*, int*, void**, unsigned, int*, void**, unsigned))         \
  HOOK(cuLibraryLoadFromFile, (CuLibrary*, const char*, int*, void**, unsigned, int*, void**, unsigned))     \
  HOOK(cuLibraryGetGlobal, (CuAddress*, std::size_t*, CuLibrary, const char*))                               \
  HOOK(cuModuleGetFunction, (CuFunction*, CuModule, const char*))                                            \
  HOOK(cuModuleUnload, (CuModule))                                                                           \
  HOOK(cuLibraryGetKernel, (CuKernel*, CuLibrary, const char*))                                              \
  HOOK(cuLibraryUnload, (CuLibrary))                                                                         \
  HOOK(cuKernelGetFunction, (CuFunction*, CuKernel))

extern "C" {
#define TUNER_CAPTURE_DECLARE(symbol, parameters) [[gnu::visibility("default")]] CuResult symbol parameters;
TUNER_CAPTURE_HOOKS(TUNER_CAPTURE_DECLARE)
#undef TUNER_CAPTURE_DECLARE
}

enum class Place {
#define TUNER_CAPTURE_PLACE(symbol, parameters) symbol,
  TUNER_CAPTURE_HOOKS(TUNER_CAPTURE_PLACE)
#undef TUNER_CAPTURE_PLACE
      count
};

/// What a program that was linked to the driver would have called.
void* drivers(Place place);

/// The driver's function, or the hook returns as a driver does that lacks it.
#define TUNER_CAPTURE_DRIVERS(function, symbol)                                      \
  const auto function = reinterpret_cast<decltype(&symbol)>(drivers(Place::symbol)); \
  if (function == nullptr) return cu_not_found

/// Null where the call is not to be seen: the process is not captured, or the library itself calls.
inline Observer* observing() {
  return Inside::here() ? nullptr : Observer::begin();
}

/// What a program gets that asks dlsym() for `name` of `library`, or null where it gets what the loader has.
void* replaced(void* library, const char* name);
/// The same of NVRTC's functions.
void* replaced_nvrtc(void* library, const char* name);

}  // namespace tuner::capture
