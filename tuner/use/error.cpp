#include "tuner/use/error.hpp"

#include <cstdarg>
#include <cstdio>

namespace tuner::use {
namespace {

thread_local char last_detail[256];  // of the static block of thread-local storage, which is small

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
  switch (error) {
    case TUNER_OK:
      return "Nothing failed.";
    case TUNER_BAD_CALL:
      return "A pointer that the function needs is null, or an index leads to nothing.";
    case TUNER_NO_MEMORY:
      return "The host has no memory left.";
    case TUNER_NO_FILE:
      return "The file cannot be opened or read.";
    case TUNER_NOT_A_PACK:
      return "This is no pack that `tuner pack` wrote.";
    case TUNER_NEWER_PACK:
      return "Another version of the tuner wrote this pack; write it again with the version of this library.";
    case TUNER_DAMAGED_PACK:
      return "The pack is cut off or damaged; copy or write it again.";
    case TUNER_UNLIKE_LAYERS:
      return "Two of the packs have a kernel of one name with different sizes or parameters.";
    case TUNER_NO_KERNEL:
      return "The pack has no kernel of this name and element type.";
    case TUNER_SEVERAL_TYPES:
      return "The pack has this kernel at several element types; name one.";
    case TUNER_NO_DRIVER:
      return "No NVIDIA driver works on this machine.";
    case TUNER_OLD_DRIVER:
      return "The NVIDIA driver is older than CUDA 12; install a newer one.";
    case TUNER_NO_DEVICE:
      return "There is no device of this number.";
    case TUNER_OTHER_ARCHITECTURE:
      return "The pack has nothing for the architecture of this device.";
    case TUNER_NO_CONTEXT:
      return "This thread has no current CUDA context; make one, or call a function of the CUDA runtime "
             "first.";
    case TUNER_OTHER_CONTEXT:
      return "The stream belongs to another CUDA context than the current one.";
    case TUNER_SIZE_COUNT:
      return "The kernel has another number of sizes.";
    case TUNER_BAD_SIZE:
      return "A size is below 1.";
    case TUNER_ARGUMENT_COUNT:
      return "The kernel takes another number of arguments.";
    case TUNER_ARGUMENT_TYPE:
      return "An argument has another type than the kernel's parameter, or does not fit into it.";
    case TUNER_ARGUMENT_BYTES:
      return "The memory behind an argument is smaller than the kernel needs at these sizes.";
    case TUNER_NULL_POINTER:
      return "An argument that the kernel reads or writes is a null pointer.";
    case TUNER_MISALIGNED:
      return "The address of an argument is no multiple of what the kernel relies on.";
    case TUNER_SMALL_WORKSPACE:
      return "The launch needs a workspace, and none or too small a one was given.";
    case TUNER_NO_CONFIGURATION:
      return "No configuration of the pack can run at these sizes on this device.";
    case TUNER_UNDEFINED:
      return "An expression of the launch has no value at these sizes.";
    case TUNER_BEYOND_LIMITS:
      return "The launch is beyond what the device allows.";
    case TUNER_NOT_PREPARED:
      return "The stream is being captured, and the kernel is not loaded; prepare it before.";
    case TUNER_CANNOT_LOAD:
      return "The binary cannot be loaded.";
    case TUNER_CANNOT_LAUNCH:
      return "The launch failed.";
  }
  return "An error that this version of the library does not know.";
}
