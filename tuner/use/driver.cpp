#include "tuner/use/driver.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include <atomic>
#include <cstdio>

#include "tuner/use/library.hpp"

namespace tuner::use {
namespace {

/// By name through the loader, then where containers, WSL and NixOS keep it.
constexpr const char* candidates[] = {
    "libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
};

using GetProcAddress = CuResult (*)(const char*, void**, int, std::uint64_t, int*);

Driver the_driver;
std::atomic<bool> is_found{false};
pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;

/// `why`: what the loader said of the first place.
void* open_library(char (&why)[256]) {
  const auto attempt = [&why](const char* place) {
    void* const library = dlopen(place, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr && why[0] == 0) std::snprintf(why, sizeof why, "%s", dlerror());
    return library;
  };
  const char* const named = secure_getenv("TUNER_LIBCUDA");
  if (named != nullptr && *named != 0) return attempt(named);
  for (const char* candidate : candidates) {
    if (void* library = attempt(candidate)) return library;
  }
  return nullptr;
}

void* function(GetProcAddress get, const char* symbol, int version) {
  void* found = nullptr;
  int status = 0;
  return get(symbol, &found, version, 0, &status) == 0 && status == 0 ? found : nullptr;
}

tuner_error find() {
  char why[256] = "";
  void* const library = open_library(why);
  if (library == nullptr) return fail(TUNER_NO_DRIVER, "%s; TUNER_LIBCUDA names another", why);
  const auto get = reinterpret_cast<GetProcAddress>(dlsym(library, "cuGetProcAddress_v2"));
  if (get == nullptr) return fail(TUNER_OLD_DRIVER, "it lacks cuGetProcAddress_v2");
#define TUNER_USE_FIND(member, symbol, version, parameters)                                      \
  the_driver.member = reinterpret_cast<CuResult(*) parameters>(function(get, #symbol, version)); \
  if (the_driver.member == nullptr)                                                              \
    return fail(TUNER_OLD_DRIVER, "it lacks %s of version %d", #symbol, version);
  TUNER_USE_DRIVER(TUNER_USE_FIND)
#undef TUNER_USE_FIND
#define TUNER_USE_FIND(member, symbol, version, parameters) \
  the_driver.member = reinterpret_cast<CuResult(*) parameters>(function(get, #symbol, version));
  TUNER_USE_OPTIONAL_DRIVER(TUNER_USE_FIND)
#undef TUNER_USE_FIND
  const CuResult result = the_driver.init(0);
  return result == 0 ? TUNER_OK : driver_failed(the_driver, TUNER_NO_DRIVER, result, "initialising it");
}

}  // namespace

tuner_error find_driver(const Driver*& driver) {
  driver = &the_driver;
  if (is_found.load(std::memory_order_acquire)) return TUNER_OK;
  pthread_mutex_lock(&finding);
  const tuner_error error = is_found.load(std::memory_order_relaxed) ? TUNER_OK : find();
  if (error == TUNER_OK) is_found.store(true, std::memory_order_release);
  pthread_mutex_unlock(&finding);
  return error;
}

tuner_error driver_failed(const Driver& driver, tuner_error error, CuResult result, const char* doing) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.get_error_name(result, &name) != 0 || name == nullptr) name = "unknown CUDA error";
  if (driver.get_error_string(result, &text) != 0 || text == nullptr) text = "no description";
  return fail(error, "%s (%d): %s, while %s", name, result, text, doing);
}

}  // namespace tuner::use
