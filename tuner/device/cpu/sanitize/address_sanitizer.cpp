#include "tuner/device/cpu/sanitize/address_sanitizer.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tuner/model/error.hpp"

namespace tuner::device::cpu::sanitize {
namespace {

constexpr const char* restarted = "TUNER_RESTARTED_WITH_ASAN";

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

std::string joined(const std::string& ours, const std::string& users) {
  return users.empty() ? ours : ours + ":" + users;
}

}  // namespace

bool address_sanitizer_loaded() {
  return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
}

std::string preload_variable(const std::string& library) {
  return joined(library, value_of("LD_PRELOAD"));
}

std::string address_options() {
  // Memory that is still allocated at the end is no kernel's fault.
  return joined("detect_leaks=0:color=never:symbolize=1:allocator_may_return_null=1",
                value_of("ASAN_OPTIONS"));
}

std::string undefined_options() {
  return joined("color=never:print_stacktrace=0", value_of("UBSAN_OPTIONS"));
}

void restart_with_address_sanitizer(const std::string& library, char** arguments) {
  if (address_sanitizer_loaded()) {
    // It is in; what this process starts (the compiler) needs it no more.
    unsetenv("LD_PRELOAD");
    unsetenv(restarted);
    return;
  }
  if (std::getenv(restarted) != nullptr) {
    throw model::Error(
        fmt::format("{} was preloaded and is not there", library),
        "a statically linked program, or one with special privileges, cannot preload libraries");
  }
  setenv("LD_PRELOAD", preload_variable(library).c_str(), 1);
  setenv("ASAN_OPTIONS", address_options().c_str(), 1);
  setenv("UBSAN_OPTIONS", undefined_options().c_str(), 1);
  setenv(restarted, "1", 1);
  execv("/proc/self/exe", arguments);
  throw model::Error(fmt::format("cannot restart with {}: {}", library, std::strerror(errno)));
}

}  // namespace tuner::device::cpu::sanitize
