#include "tuner/capture/driver.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>

namespace tuner::capture {

thread_local int Inside::depth = 0;

/// There is one in every glibc that CUDA runs on.
Dlsym find_loaders_dlsym() {
  static std::atomic<Dlsym> known{nullptr};
  Dlsym found = known.load(std::memory_order_relaxed);
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5"})
    if (found == nullptr) found = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", version));
  if (found == nullptr) std::abort();
  known.store(found, std::memory_order_relaxed);
  return found;
}

void* loaders_dlsym(void* library, const char* name) {
  return find_loaders_dlsym()(library, name);
}

/// By its name, which drivers of other places have as well.
void* driver_library() {
  static void* library = nullptr;
  if (library == nullptr) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library;
}

const Driver& driver() {
  static const Driver* const found = [] {
    auto* const made = new Driver;
    void* const library = driver_library();
    if (library == nullptr) return made;
#define TUNER_CAPTURE_FIND(member, symbol, parameters) \
  made->member = reinterpret_cast<CuResult(*) parameters>(loaders_dlsym(library, #symbol));
    TUNER_CAPTURE_DRIVER(TUNER_CAPTURE_FIND)
#undef TUNER_CAPTURE_FIND
    return made;
  }();
  return *found;
}

}  // namespace tuner::capture
