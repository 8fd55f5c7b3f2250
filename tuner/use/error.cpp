#include <cstdarg>
#include <cstdio>

#include "tuner/use/library.hpp"

namespace tuner::use {
namespace {

thread_local char last_detail[256];  // of the static block of thread-local storage, which is small

struct ErrorText {
  tuner_error error;
  const char* text;
};
constexpr ErrorText texts[] = {
    {TUNER_OK, "Nothing failed."},
    {TUNER_BAD_CALL, "A pointer that the function needs is null, or an index leads to nothing."},
    {TUNER_NO_MEMORY, "The host has no memory left."},
    {TUNER_NO_FILE, "The file cannot be opened or read."},
    {TUNER_NOT_A_PACK, "This is no pack that `tuner pack` wrote."},
    {TUNER_NEWER_PACK,
     "Another version of the tuner wrote this pack; write it again with the version of this library."},
    {TUNER_DAMAGED_PACK, "The pack is cut off or damaged; copy or write it again."},
    {TUNER_UNLIKE_LAYERS, "Two of the packs have a kernel of one name with different sizes or parameters."},
    {TUNER_NO_KERNEL, "The pack has no kernel of this name and element type."},
    {TUNER_SEVERAL_TYPES, "The pack has this kernel at several element types; name one."},
    {TUNER_NO_DRIVER, "No NVIDIA driver works on this machine."},
    {TUNER_OLD_DRIVER, "The NVIDIA driver is older than CUDA 12; install a newer one."},
    {TUNER_NO_DEVICE, "There is no device of this number."},
    {TUNER_OTHER_ARCHITECTURE, "The pack has nothing for the architecture of this device."},
    {TUNER_NO_CONTEXT,
     "This thread has no current CUDA context; make one, or call a function of the CUDA runtime "
     "first."},
    {TUNER_OTHER_CONTEXT, "The stream belongs to another CUDA context than the current one."},
    {TUNER_SIZE_COUNT, "The kernel has another number of sizes."},
    {TUNER_BAD_SIZE, "A size is below 1."},
    {TUNER_ARGUMENT_COUNT, "The kernel takes another number of arguments."},
    {TUNER_ARGUMENT_TYPE,
     "An argument has another type than the kernel's parameter, or does not fit into it."},
    {TUNER_ARGUMENT_BYTES, "The memory behind an argument is smaller than the kernel needs at these sizes."},
    {TUNER_NULL_POINTER, "An argument that the kernel reads or writes is a null pointer."},
    {TUNER_MISALIGNED, "The address of an argument is no multiple of what the kernel relies on."},
    {TUNER_SMALL_WORKSPACE, "The launch needs a workspace, and none or too small a one was given."},
    {TUNER_NO_CONFIGURATION,
     "No configuration of the pack can run at these sizes on this device; tune at such sizes, and pack "
     "again."},
    {TUNER_UNDEFINED, "An expression of the launch has no value at these sizes."},
    {TUNER_BEYOND_LIMITS, "The launch is beyond what the device allows."},
    {TUNER_NOT_PREPARED, "The stream is being captured, and the kernel is not loaded; prepare it before."},
    {TUNER_CANNOT_LOAD, "The binary cannot be loaded."},
    {TUNER_CANNOT_LAUNCH, "The launch failed."},
};

}  // namespace

tuner_error fail(tuner_error error, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(last_detail, sizeof last_detail, format, arguments);
  va_end(arguments);
  return error;
}

}  // namespace tuner::use

const char* tuner_error_detail(void) {
  return tuner::use::last_detail;
}

const char* tuner_error_text(tuner_error error) {
  for (const auto& [known, text] : tuner::use::texts)
    if (known == error) return text;
  return "An error that this version of the library does not know.";
}
