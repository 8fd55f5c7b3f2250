#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>

#include "tuner/capture/dlsym.hpp"
#include "tuner/capture/driver.hpp"
#include "tuner/capture/observer.hpp"

// Functions of the driver that the library offers under the driver's names. A program comes to them as the
// loader resolves its symbols, as it asks dlsym(), or as it asks cuGetProcAddress().

using namespace tuner::capture;

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
[[gnu::visibility("default"), noreturn]] void _exit(int status);
[[gnu::visibility("default"), noreturn]] void _Exit(int status);
}

namespace {

struct Hook {
  const char* name;
  void* ours;
  std::atomic<void*> drivers;
};

enum class Place {
#define TUNER_CAPTURE_PLACE(symbol, parameters) symbol,
  TUNER_CAPTURE_HOOKS(TUNER_CAPTURE_PLACE)
#undef TUNER_CAPTURE_PLACE
      count
};

Hook hooks[] = {
#define TUNER_CAPTURE_ENTRY(symbol, parameters) {#symbol, reinterpret_cast<void*>(&symbol), {nullptr}},
    TUNER_CAPTURE_HOOKS(TUNER_CAPTURE_ENTRY)
#undef TUNER_CAPTURE_ENTRY
};

Hook* hook_of(const char* name) {
  for (Hook& hook : hooks)
    if (std::strcmp(hook.name, name) == 0) return &hook;
  return nullptr;
}

/// What a program that was linked to the driver would have called.
void* drivers(Place place) {
  Hook& hook = hooks[static_cast<std::size_t>(place)];
  void* found = hook.drivers.load(std::memory_order_acquire);
  if (found == nullptr && driver_library() != nullptr) {
    found = loaders_dlsym(driver_library(), hook.name);
    hook.drivers.store(found, std::memory_order_release);
  }
  return found;
}

/// The driver's function, or the hook returns as a driver does that lacks it.
#define TUNER_CAPTURE_DRIVERS(function, symbol)                                      \
  const auto function = reinterpret_cast<decltype(&symbol)>(drivers(Place::symbol)); \
  if (function == nullptr) return cu_not_found

/// The hook for what cuGetProcAddress() was asked. It chooses by version, and by a flag between functions
/// whose null stream is all threads' and the thread's own.
Hook* hook_of(const char* symbol, int version, std::uint64_t flags) {
  constexpr std::uint64_t per_thread = 2;
  std::string name = symbol;
  if ((name == "cuGetProcAddress" && version >= 12000) ||
      (name == "cuStreamBeginCapture" && version >= 10010) ||
      (name == "cuModuleGetGlobal" && version >= 3020))
    name += "_v2";
  if ((flags & per_thread) != 0)
    if (Hook* const hook = hook_of((name + "_ptsz").c_str())) return hook;
  return hook_of(name.c_str());
}

void replace(const char* symbol, void** function, int version, std::uint64_t flags) {
  if (Inside::here() || symbol == nullptr || function == nullptr || *function == nullptr) return;
  Hook* const hook = hook_of(symbol, version, flags);
  if (hook == nullptr || *function == hook->ours) return;
  hook->drivers.store(*function, std::memory_order_release);
  *function = hook->ours;
}

Observer* observing() {
  return Inside::here() ? nullptr : Observer::begin();
}

template <typename Call>
class Queue final : public LaunchQueue {
 public:
  explicit Queue(Call call) : m_call(call) {}
  CuResult queue() const override { return m_call(); }

 private:
  Call m_call;
};

template <typename Call>
CuResult launched(const Launch& launch, Call call) {
  Observer* const observer = observing();
  return observer == nullptr ? call() : observer->launch(launch, Queue<Call>(call));
}

Launch launch_of(const CuLaunchConfig& config, CuFunction function, bool per_thread, void** arguments,
                 void** extra) {
  return {function,
          {config.grid_x, config.grid_y, config.grid_z},
          {config.block_x, config.block_y, config.block_z},
          config.shared_bytes,
          config.stream,
          per_thread,
          arguments,
          extra,
          false,
          &config};
}

void capture_begun(CuResult result) {
  if (result != cu_success) return;
  if (Observer* const observer = observing()) observer->capture_begun();
}
void capture_ended() {
  if (Observer* const observer = observing()) observer->capture_ended();
}
void graph_launched() {
  if (Observer* const observer = observing()) observer->graph_launched();
}
void loaded(const void* owner, const void* data) {
  if (Observer* const observer = observing()) observer->loaded(owner, data);
}
void unloaded(const void* owner) {
  if (Observer* const observer = observing()) observer->unloaded(owner);
}

[[noreturn]] void end_process(int status) {
  // In a child of vfork(), which has its parent's memory, nothing ends.
  if (Observer* const observer = Observer::running()) observer->finish(End::underscore_exit);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

namespace tuner::capture {

void* replaced(void* library, const char* name) {
  if (Inside::here()) return nullptr;
  Hook* const hook = hook_of(name);
  if (hook == nullptr) return nullptr;
  void* const found = loaders_dlsym(library, name);
  if (found == nullptr || found == hook->ours) return nullptr;
  hook->drivers.store(found, std::memory_order_release);
  return hook->ours;
}

}  // namespace tuner::capture

extern "C" {

CuResult cuInit(unsigned flags) {
  TUNER_CAPTURE_DRIVERS(init, cuInit);
  observing();
  return init(flags);
}

CuResult cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags) {
  TUNER_CAPTURE_DRIVERS(get, cuGetProcAddress);
  const CuResult result = get(symbol, function, version, flags);
  if (result == cu_success) replace(symbol, function, version, flags);
  return result;
}

CuResult cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags,
                             int* status) {
  TUNER_CAPTURE_DRIVERS(get, cuGetProcAddress_v2);
  const CuResult result = get(symbol, function, version, flags, status);
  if (result == cu_success) replace(symbol, function, version, flags);
  return result;
}

#define TUNER_CAPTURE_LAUNCHES(suffix, per_thread)                                                          \
  CuResult cuLaunchKernel##suffix(CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,   \
                                  unsigned block_x, unsigned block_y, unsigned block_z,                     \
                                  unsigned shared_bytes, CuStream stream, void** arguments, void** extra) { \
    TUNER_CAPTURE_DRIVERS(launch, cuLaunchKernel##suffix);                                                  \
    return launched({function,                                                                              \
                     {grid_x, grid_y, grid_z},                                                              \
                     {block_x, block_y, block_z},                                                           \
                     shared_bytes,                                                                          \
                     stream,                                                                                \
                     per_thread,                                                                            \
                     arguments,                                                                             \
                     extra},                                                                                \
                    [=] {                                                                                   \
                      return launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,            \
                                    shared_bytes, stream, arguments, extra);                                \
                    });                                                                                     \
  }                                                                                                         \
  CuResult cuLaunchCooperativeKernel##suffix(                                                               \
      CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,             \
      unsigned block_y, unsigned block_z, unsigned shared_bytes, CuStream stream, void** arguments) {       \
    TUNER_CAPTURE_DRIVERS(launch, cuLaunchCooperativeKernel##suffix);                                       \
    return launched({function,                                                                              \
                     {grid_x, grid_y, grid_z},                                                              \
                     {block_x, block_y, block_z},                                                           \
                     shared_bytes,                                                                          \
                     stream,                                                                                \
                     per_thread,                                                                            \
                     arguments,                                                                             \
                     nullptr,                                                                               \
                     true},                                                                                 \
                    [=] {                                                                                   \
                      return launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,            \
                                    shared_bytes, stream, arguments);                                       \
                    });                                                                                     \
  }                                                                                                         \
  CuResult cuLaunchKernelEx##suffix(const CuLaunchConfig* config, CuFunction function, void** arguments,    \
                                    void** extra) {                                                         \
    TUNER_CAPTURE_DRIVERS(launch, cuLaunchKernelEx##suffix);                                                \
    if (config == nullptr) return launch(config, function, arguments, extra);                               \
    return launched(launch_of(*config, function, per_thread, arguments, extra),                             \
                    [=] { return launch(config, function, arguments, extra); });                            \
  }                                                                                                         \
  CuResult cuGraphLaunch##suffix(void* graph, CuStream stream) {                                            \
    TUNER_CAPTURE_DRIVERS(launch, cuGraphLaunch##suffix);                                                   \
    graph_launched();                                                                                       \
    return launch(graph, stream);                                                                           \
  }                                                                                                         \
  CuResult cuStreamBeginCapture##suffix(CuStream stream) {                                                  \
    TUNER_CAPTURE_DRIVERS(capture, cuStreamBeginCapture##suffix);                                           \
    const CuResult result = capture(stream);                                                                \
    capture_begun(result);                                                                                  \
    return result;                                                                                          \
  }                                                                                                         \
  CuResult cuStreamBeginCapture_v2##suffix(CuStream stream, int mode) {                                     \
    TUNER_CAPTURE_DRIVERS(capture, cuStreamBeginCapture_v2##suffix);                                        \
    const CuResult result = capture(stream, mode);                                                          \
    capture_begun(result);                                                                                  \
    return result;                                                                                          \
  }                                                                                                         \
  CuResult cuStreamBeginCaptureToGraph##suffix(CuStream stream, void* graph, const void* dependencies,      \
                                               const void* data, std::size_t count, int mode) {             \
    TUNER_CAPTURE_DRIVERS(capture, cuStreamBeginCaptureToGraph##suffix);                                    \
    const CuResult result = capture(stream, graph, dependencies, data, count, mode);                        \
    capture_begun(result);                                                                                  \
    return result;                                                                                          \
  }                                                                                                         \
  CuResult cuStreamEndCapture##suffix(CuStream stream, void** graph) {                                      \
    TUNER_CAPTURE_DRIVERS(end, cuStreamEndCapture##suffix);                                                 \
    const CuResult result = end(stream, graph);                                                             \
    capture_ended();                                                                                        \
    return result;                                                                                          \
  }

TUNER_CAPTURE_LAUNCHES(, false)
TUNER_CAPTURE_LAUNCHES(_ptsz, true)
#undef TUNER_CAPTURE_LAUNCHES

CuResult cuModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
  TUNER_CAPTURE_DRIVERS(get, cuModuleGetFunction);
  const CuResult result = get(function, module, name);
  if (result == cu_success)
    if (Observer* const observer = observing()) observer->function_found(*function, module, name);
  return result;
}

CuResult cuModuleLoad(CuModule* module, const char* path) {
  TUNER_CAPTURE_DRIVERS(load, cuModuleLoad);
  const CuResult result = load(module, path);
  if (result == cu_success)
    if (Observer* const observer = observing()) observer->loaded_file(*module, path);
  return result;
}

CuResult cuModuleLoadData(CuModule* module, const void* data) {
  TUNER_CAPTURE_DRIVERS(load, cuModuleLoadData);
  const CuResult result = load(module, data);
  if (result == cu_success) loaded(*module, data);
  return result;
}

CuResult cuModuleLoadDataEx(CuModule* module, const void* data, unsigned count, int* options, void** values) {
  TUNER_CAPTURE_DRIVERS(load, cuModuleLoadDataEx);
  const CuResult result = load(module, data, count, options, values);
  if (result == cu_success) loaded(*module, data);
  return result;
}

CuResult cuModuleLoadFatBinary(CuModule* module, const void* data) {
  TUNER_CAPTURE_DRIVERS(load, cuModuleLoadFatBinary);
  const CuResult result = load(module, data);
  if (result == cu_success) loaded(*module, data);
  return result;
}

CuResult cuModuleGetGlobal_v2(CuAddress* address, std::size_t* bytes, CuModule module, const char* name) {
  TUNER_CAPTURE_DRIVERS(get, cuModuleGetGlobal_v2);
  const CuResult result = get(address, bytes, module, name);
  if (result == cu_success)
    if (Observer* const observer = observing()) observer->asked_for_variable(module, name);
  return result;
}

CuResult cuLibraryLoadData(CuLibrary* library, const void* data, int* options, void** values, unsigned count,
                           int* library_options, void** library_values, unsigned library_count) {
  TUNER_CAPTURE_DRIVERS(load, cuLibraryLoadData);
  const CuResult result =
      load(library, data, options, values, count, library_options, library_values, library_count);
  if (result == cu_success) loaded(*library, data);
  return result;
}

CuResult cuLibraryLoadFromFile(CuLibrary* library, const char* path, int* options, void** values,
                               unsigned count, int* library_options, void** library_values,
                               unsigned library_count) {
  TUNER_CAPTURE_DRIVERS(load, cuLibraryLoadFromFile);
  const CuResult result =
      load(library, path, options, values, count, library_options, library_values, library_count);
  if (result == cu_success)
    if (Observer* const observer = observing()) observer->loaded_file(*library, path);
  return result;
}

CuResult cuLibraryGetGlobal(CuAddress* address, std::size_t* bytes, CuLibrary library, const char* name) {
  TUNER_CAPTURE_DRIVERS(get, cuLibraryGetGlobal);
  const CuResult result = get(address, bytes, library, name);
  if (result == cu_success)
    if (Observer* const observer = observing()) observer->asked_for_variable(library, name);
  return result;
}

CuResult cuModuleUnload(CuModule module) {
  TUNER_CAPTURE_DRIVERS(unload, cuModuleUnload);
  unloaded(module);
  return unload(module);
}

CuResult cuLibraryGetKernel(CuKernel* kernel, CuLibrary library, const char* name) {
  TUNER_CAPTURE_DRIVERS(get, cuLibraryGetKernel);
  const CuResult result = get(kernel, library, name);
  if (result == cu_success)
    if (Observer* const observer = observing()) observer->kernel_found(*kernel, library, name);
  return result;
}

CuResult cuLibraryUnload(CuLibrary library) {
  TUNER_CAPTURE_DRIVERS(unload, cuLibraryUnload);
  unloaded(library);
  return unload(library);
}

CuResult cuKernelGetFunction(CuFunction* function, CuKernel kernel) {
  TUNER_CAPTURE_DRIVERS(get, cuKernelGetFunction);
  const CuResult result = get(function, kernel);
  if (result == cu_success)
    if (Observer* const observer = observing()) observer->function_of_kernel(*function, kernel);
  return result;
}

void _exit(int status) {
  end_process(status);
}
void _Exit(int status) {
  end_process(status);
}

}  // extern "C"
