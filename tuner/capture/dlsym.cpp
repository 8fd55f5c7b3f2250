#include "tuner/capture/driver.hpp"
#include "tuner/capture/hooks.hpp"

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
