// Binaries for the CPU: shared objects that are loaded from memory, and what they export.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tuner/use/library.hpp"

#pragma GCC visibility push(default)
#include "tuner/device/cpu/runtime/abi.hpp"
#pragma GCC visibility pop

namespace tuner::use {
namespace {

bool write_all(int file, const void* bytes, std::size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t written = write(file, from, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

/// Binaries call back into this library, which is not seen where a plugin brought it along. False where it
/// cannot be shown.
bool show_library() {
  Dl_info own = {};
  if (dladdr(reinterpret_cast<void*>(&show_library), &own) == 0) return false;
  void* const library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  return library != nullptr && dlclose(library) == 0;
}

/// The loader takes a path for the file that it loaded by it before, and numbers of descriptors come again.
/// So the path has the bits of the file's inode as well: `./` for a 1, `/` for a 0.
tuner_error open_shared_object(int file, void*& handle) {
  struct stat status = {};
  if (fstat(file, &status) != 0) return fail(TUNER_CANNOT_LOAD, "a file in memory: %s", std::strerror(errno));
  char path[160] = "/proc/self/fd/";
  for (std::uint64_t bits = status.st_ino; bits != 0; bits >>= 1)
    std::strcat(path, (bits & 1) != 0 ? "./" : "/");
  std::snprintf(path + std::strlen(path), 16, "%d", file);
  handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr && show_library()) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return fail(TUNER_CANNOT_LOAD, "%s", why == nullptr ? path : why);
  }
  const auto* const module = static_cast<const tuner_cpu::Module*>(dlsym(handle, "tuner_cpu_module"));
  const bool is_ours = module != nullptr && module->version == tuner_cpu::abi_version;
  if (is_ours && dlsym(RTLD_DEFAULT, "tuner_cpu_warp") == reinterpret_cast<void*>(&tuner_cpu_warp))
    return TUNER_OK;
  dlclose(handle);
  handle = nullptr;
  return fail(TUNER_CANNOT_LOAD, is_ours ? "another copy of libtuner in this process runs those of the CPU"
                                         : "it was not made for this version of the CPU device");
}

}  // namespace

tuner_error load_shared_object(const void* bytes, std::size_t count, void*& handle) {
  const int file = memfd_create("tuner-binary", MFD_CLOEXEC);
  const auto failed = [] { return fail(TUNER_CANNOT_LOAD, "a file in memory: %s", std::strerror(errno)); };
  if (file < 0) return failed();
  const tuner_error error = write_all(file, bytes, count) ? open_shared_object(file, handle) : failed();
  close(file);
  return error;
}

void unload_shared_object(void* handle) {
  dlclose(handle);
}

tuner_error find_host_kernel(void* handle, const char* symbol, const void*& kernel) {
  kernel = dlsym(handle, symbol);
  return kernel == nullptr ? fail(TUNER_CANNOT_LOAD, "it has no kernel %s", symbol) : TUNER_OK;
}

/// As compile/host exports it.
tuner_error find_host_symbol(void* handle, const char* name, Symbol& symbol) {
  struct Exported {
    void* address;
    unsigned long bytes;
  };
  const auto* const exported = static_cast<const Exported*>(dlsym(handle, name));
  if (exported == nullptr) return fail(TUNER_CANNOT_LOAD, "it has no variable %s", name);
  symbol = {reinterpret_cast<std::uintptr_t>(exported->address), exported->bytes};
  return TUNER_OK;
}

}  // namespace tuner::use
