#pragma once
#include <string>

namespace tuner::device::cpu::sanitize {

/// Whether AddressSanitizer's library was loaded before everything else in this process, as it must be.
bool address_sanitizer_loaded();

/// Replaces this process by itself, arguments and all, with `library` loaded first; returns at once where it
/// is loaded already. To be called early, before there are threads or open files that matter. Throws
/// model::Error where that fails, or where a process so restarted still does not have it.
void restart_with_address_sanitizer(const std::string& library, char** arguments);

/// The variables that make a process load `library` first and report as sanitizer_log expects: `NAME=value`.
/// What the user set in ASAN_OPTIONS and UBSAN_OPTIONS comes last and wins.
std::string preload_variable(const std::string& library);
std::string address_options();
std::string undefined_options();

}  // namespace tuner::device::cpu::sanitize
