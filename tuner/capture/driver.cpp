#include "tuner/capture/driver.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tuner/capture/hooks.hpp"

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

// How a program comes to the hooks, and its end.

namespace {

struct Hook {
  const char* name;
  void* ours;
  std::atomic<void*> drivers;
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

[[noreturn]] void end_process(int status) {
  // In a child of vfork(), which has its parent's memory, nothing ends.
  if (Observer* const observer = Observer::running()) observer->finish(End::underscore_exit);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

void* drivers(Place place) {
  Hook& hook = hooks[static_cast<std::size_t>(place)];
  void* found = hook.drivers.load(std::memory_order_acquire);
  if (found == nullptr && driver_library() != nullptr) {
    found = loaders_dlsym(driver_library(), hook.name);
    hook.drivers.store(found, std::memory_order_release);
  }
  return found;
}

void* replaced(void* library, const char* name) {
  if (Inside::here()) return nullptr;
  Hook* const hook = hook_of(name);
  if (hook == nullptr) return nullptr;
  void* const found = loaders_dlsym(library, name);
  if (found == nullptr || found == hook->ours) return nullptr;
  hook->drivers.store(found, std::memory_order_release);
  return hook->ours;
}

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

[[gnu::visibility("default"), noreturn]] void _exit(int status);
void _exit(int status) {
  end_process(status);
}
[[gnu::visibility("default"), noreturn]] void _Exit(int status);
void _Exit(int status) {
  end_process(status);
}

}  // extern "C"
}  // namespace tuner::capture

// dlsym() of the captured program. What it answers for RTLD_NEXT depends on who calls it, so all that is not
// the driver's or NVRTC's goes on to the loader's dlsym() with the caller's own return address: by a jump.

extern "C" {

[[gnu::visibility("hidden")]] void* tuner_capture_replaced(void* library, const char* name);
void* tuner_capture_replaced(void* library, const char* name) {
  return *name == 'c' ? tuner::capture::replaced(library, name)
                      : tuner::capture::replaced_nvrtc(library, name);
}

[[gnu::visibility("hidden")]] void* tuner_capture_loaders_dlsym();
void* tuner_capture_loaders_dlsym() {
  return reinterpret_cast<void*>(tuner::capture::find_loaders_dlsym());
}
}

// Names that begin with `cu` or `nv` are asked of tuner_capture_replaced(). Arguments are in rdi and rsi.
asm(R"(
.text
.globl dlsym
.type dlsym, @function
dlsym:
  endbr64
  cmpb $'c', (%rsi)
  jne 2f
  cmpb $'u', 1(%rsi)
  je 3f
2:
  cmpb $'n', (%rsi)
  jne 1f
  cmpb $'v', 1(%rsi)
  jne 1f
3:
  push %rdi
  push %rsi
  sub $8, %rsp
  call tuner_capture_replaced
  add $8, %rsp
  pop %rsi
  pop %rdi
  test %rax, %rax
  je 1f
  ret
1:
  push %rdi
  push %rsi
  sub $8, %rsp
  call tuner_capture_loaders_dlsym
  add $8, %rsp
  pop %rsi
  pop %rdi
  jmp *%rax
.size dlsym, .-dlsym
)");
