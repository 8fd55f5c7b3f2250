#include "tuner/capture/hooks.hpp"

// Launches of kernels and graphs and what is put into graphs; modules and libraries, their kernels and
// variables.
namespace tuner::capture {
namespace {

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

}  // namespace

extern "C" {

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

}  // extern "C"

namespace {

/// What the driver answered; where it did as it was told, `note` is told of it.
template <typename Note>
CuResult noted(CuResult result, const Note& note) {
  if (result == cu_success)
    if (Observer* const observer = observing()) observer->note(note);
  return result;
}

void unloaded(const void* owner) {
  if (Observer* const observer = observing())
    observer->note([=](Kernels& kernels, Images& images) {
      images.unloaded(owner);
      kernels.forget(owner);
    });
}

}  // namespace

extern "C" {

CuResult cuModuleGetFunction(CuFunction* function, CuModule module, const char* name) {
  TUNER_CAPTURE_DRIVERS(get, cuModuleGetFunction);
  return noted(get(function, module, name),
               [&](Kernels& kernels, Images&) { kernels.add_function(*function, module, name); });
}

CuResult cuModuleLoad(CuModule* module, const char* path) {
  TUNER_CAPTURE_DRIVERS(load, cuModuleLoad);
  return noted(load(module, path), [&](Kernels&, Images& images) { images.loaded_file(*module, path); });
}

CuResult cuModuleLoadData(CuModule* module, const void* data) {
  TUNER_CAPTURE_DRIVERS(load, cuModuleLoadData);
  return noted(load(module, data), [&](Kernels&, Images& images) { images.loaded(*module, data); });
}

CuResult cuModuleLoadDataEx(CuModule* module, const void* data, unsigned count, int* options, void** values) {
  TUNER_CAPTURE_DRIVERS(load, cuModuleLoadDataEx);
  return noted(load(module, data, count, options, values),
               [&](Kernels&, Images& images) { images.loaded(*module, data); });
}

CuResult cuModuleLoadFatBinary(CuModule* module, const void* data) {
  TUNER_CAPTURE_DRIVERS(load, cuModuleLoadFatBinary);
  return noted(load(module, data), [&](Kernels&, Images& images) { images.loaded(*module, data); });
}

CuResult cuModuleGetGlobal_v2(CuAddress* address, std::size_t* bytes, CuModule module, const char* name) {
  TUNER_CAPTURE_DRIVERS(get, cuModuleGetGlobal_v2);
  return noted(get(address, bytes, module, name),
               [&](Kernels&, Images& images) { images.asked_for_variable(module, name); });
}

CuResult cuLibraryLoadData(CuLibrary* library, const void* data, int* options, void** values, unsigned count,
                           int* library_options, void** library_values, unsigned library_count) {
  TUNER_CAPTURE_DRIVERS(load, cuLibraryLoadData);
  return noted(load(library, data, options, values, count, library_options, library_values, library_count),
               [&](Kernels&, Images& images) { images.loaded(*library, data); });
}

CuResult cuLibraryLoadFromFile(CuLibrary* library, const char* path, int* options, void** values,
                               unsigned count, int* library_options, void** library_values,
                               unsigned library_count) {
  TUNER_CAPTURE_DRIVERS(load, cuLibraryLoadFromFile);
  return noted(load(library, path, options, values, count, library_options, library_values, library_count),
               [&](Kernels&, Images& images) { images.loaded_file(*library, path); });
}

CuResult cuLibraryGetGlobal(CuAddress* address, std::size_t* bytes, CuLibrary library, const char* name) {
  TUNER_CAPTURE_DRIVERS(get, cuLibraryGetGlobal);
  return noted(get(address, bytes, library, name),
               [&](Kernels&, Images& images) { images.asked_for_variable(library, name); });
}

CuResult cuModuleUnload(CuModule module) {
  TUNER_CAPTURE_DRIVERS(unload, cuModuleUnload);
  unloaded(module);
  return unload(module);
}

CuResult cuLibraryGetKernel(CuKernel* kernel, CuLibrary library, const char* name) {
  TUNER_CAPTURE_DRIVERS(get, cuLibraryGetKernel);
  return noted(get(kernel, library, name),
               [&](Kernels& kernels, Images&) { kernels.add_kernel(*kernel, library, name); });
}

CuResult cuLibraryUnload(CuLibrary library) {
  TUNER_CAPTURE_DRIVERS(unload, cuLibraryUnload);
  unloaded(library);
  return unload(library);
}

CuResult cuKernelGetFunction(CuFunction* function, CuKernel kernel) {
  TUNER_CAPTURE_DRIVERS(get, cuKernelGetFunction);
  return noted(get(function, kernel),
               [&](Kernels& kernels, Images&) { kernels.add_function_of(*function, kernel); });
}

}  // extern "C"
}  // namespace tuner::capture
