#include "tuner/capture/hooks.hpp"

// Modules and libraries, their kernels and variables.
namespace tuner::capture {
namespace {

void loaded(const void* owner, const void* data) {
  if (Observer* const observer = observing()) observer->loaded(owner, data);
}
void unloaded(const void* owner) {
  if (Observer* const observer = observing()) observer->unloaded(owner);
}

}  // namespace

extern "C" {

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

}  // extern "C"
}  // namespace tuner::capture
