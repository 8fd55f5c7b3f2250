#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/cpu/sanitize/finding.hpp"

namespace tuner::device::cpu::sanitize {

/// What a process that died said on its standard error, as a finding of which kind, place and text are set:
/// reports of AddressSanitizer and UndefinedBehaviorSanitizer, failed assertions. `sources` are the names of
/// the kernel's files; the place is the innermost frame in one of them. For a text without any of these the
/// kind is `crash` and the text its last line.
Finding read_sanitizer_log(std::string_view log, const std::vector<model::SourceText>& sources);

/// The first `file:line:column: error: text` of a compiler's log.
Finding read_compiler_log(std::string_view log);

}  // namespace tuner::device::cpu::sanitize
