#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "tuner/capture/driver.hpp"
#include "tuner/capture/files.hpp"
#include "tuner/capture/hooks.hpp"
#include "tuner/capture/images.hpp"
#include "tuner/capture/request.hpp"

// Functions of NVRTC that the library offers under NVRTC's names: they keep what the program compiles.
namespace tuner::capture {
namespace {

using NvrtcResult = int;
using NvrtcProgram = struct NvrtcProgramOpaque*;

constexpr NvrtcResult success = 0;
constexpr NvrtcResult internal_error = 11;

/// HOOK(exported name, parameters)
#define TUNER_CAPTURE_NVRTC(HOOK)                                                              \
  HOOK(nvrtcCreateProgram,                                                                     \
       (NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  HOOK(nvrtcCompileProgram, (NvrtcProgram, int, const char* const*))                           \
  HOOK(nvrtcGetCUBIN, (NvrtcProgram, char*))                                                   \
  HOOK(nvrtcGetPTX, (NvrtcProgram, char*))                                                     \
  HOOK(nvrtcDestroyProgram, (NvrtcProgram*))

}  // namespace

extern "C" {
#define TUNER_CAPTURE_DECLARE(symbol, parameters) \
  [[gnu::visibility("default")]] NvrtcResult symbol parameters;
TUNER_CAPTURE_NVRTC(TUNER_CAPTURE_DECLARE)
#undef TUNER_CAPTURE_DECLARE
}

namespace {

struct NvrtcHook {
  const char* name;
  void* ours;
  std::atomic<void*> asked_for;  ///< what dlsym() would have answered
};

NvrtcHook nvrtc_hooks[] = {
#define TUNER_CAPTURE_ENTRY(symbol, parameters) {#symbol, reinterpret_cast<void*>(&symbol), {nullptr}},
    TUNER_CAPTURE_NVRTC(TUNER_CAPTURE_ENTRY)
#undef TUNER_CAPTURE_ENTRY
};

NvrtcHook* nvrtc_hook_of(const char* name) {
  for (NvrtcHook& hook : nvrtc_hooks)
    if (std::strcmp(hook.name, name) == 0) return &hook;
  return nullptr;
}

/// What a shared object that is linked to NVRTC, itself or by its libraries, would have called.
void* linked_to(const void* caller, const char* name) {
  Dl_info info;
  link_map* object = nullptr;
  if (dladdr1(caller, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 || object == nullptr ||
      *object->l_name == 0)
    return nullptr;
  void* const library = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const found = loaders_dlsym(library, name);
  dlclose(library);
  return found;
}

/// A process may have several NVRTCs, whose programs are not each other's: a caller gets its own.
void* nvrtcs(const char* name, const void* caller) {
  const NvrtcHook& hook = *nvrtc_hook_of(name);
  void* found = linked_to(caller, name);
  if (found == nullptr || found == hook.ours) found = hook.asked_for.load(std::memory_order_acquire);
  return found != nullptr ? found : loaders_dlsym(RTLD_NEXT, name);
}

#define TUNER_CAPTURE_NVRTCS(function, symbol)                                                             \
  const auto function = reinterpret_cast<decltype(&symbol)>(nvrtcs(#symbol, __builtin_return_address(0))); \
  if (function == nullptr) return internal_error

bool is_keeping() {
  static const bool is_it = [] {
    const char* const folder = secure_getenv(folder_variable);
    return folder != nullptr &&
           !read_request(text_of(std::string(folder) + '/' + request_file)).saves.empty();
  }();
  return is_it;
}

std::string text_at(const char* text) {
  return text == nullptr ? "" : text;
}

}  // namespace

/// The first NVRTC that is asked for is seen; another one of the process is left alone.
void* replaced_nvrtc(void* library, const char* name) {
  NvrtcHook* const hook = nvrtc_hook_of(name);
  if (hook == nullptr) return nullptr;
  void* const found = loaders_dlsym(library, name);
  if (found == nullptr || found == hook->ours) return nullptr;
  void* known = nullptr;
  return hook->asked_for.compare_exchange_strong(known, found) || known == found ? hook->ours : nullptr;
}

extern "C" {

NvrtcResult nvrtcCreateProgram(NvrtcProgram* program, const char* text, const char* name, int count,
                               const char* const* headers, const char* const* names) {
  TUNER_CAPTURE_NVRTCS(create, nvrtcCreateProgram);
  const NvrtcResult result = create(program, text, name, count, headers, names);
  if (result != success || !is_keeping()) return result;
  CompiledSource source{text_at(name), text_at(text), {}, {}};
  for (int i = 0; i < count; ++i) source.headers.emplace_back(text_at(names[i]), text_at(headers[i]));
  CompiledSources::all().created(*program, std::move(source));
  return result;
}

NvrtcResult nvrtcCompileProgram(NvrtcProgram program, int count, const char* const* options) {
  TUNER_CAPTURE_NVRTCS(compile, nvrtcCompileProgram);
  const NvrtcResult result = compile(program, count, options);
  if (result == success && is_keeping())
    CompiledSources::all().compiled(program, std::vector<std::string>(options, options + count));
  return result;
}

NvrtcResult nvrtcGetCUBIN(NvrtcProgram program, char* binary) {
  TUNER_CAPTURE_NVRTCS(get, nvrtcGetCUBIN);
  const NvrtcResult result = get(program, binary);
  if (result == success) CompiledSources::all().made(program, binary);
  return result;
}

NvrtcResult nvrtcGetPTX(NvrtcProgram program, char* text) {
  TUNER_CAPTURE_NVRTCS(get, nvrtcGetPTX);
  const NvrtcResult result = get(program, text);
  if (result == success) CompiledSources::all().made(program, text);
  return result;
}

NvrtcResult nvrtcDestroyProgram(NvrtcProgram* program) {
  TUNER_CAPTURE_NVRTCS(destroy, nvrtcDestroyProgram);
  if (program != nullptr) CompiledSources::all().destroyed(*program);
  return destroy(program);
}

}  // extern "C"
}  // namespace tuner::capture
