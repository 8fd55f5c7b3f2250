#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tuner::compile {

/// A log longer than this loses its middle: the first errors and the final summary are what people read.
inline constexpr std::size_t longest_log_bytes = std::size_t{64} << 10U;

/// A compiler's log, fit to be stored and sent: bytes that are not UTF-8 become U+FFFD, control characters
/// other than newline and tab become spaces, trailing white space goes, and from a text above `limit` bytes
/// whole lines are cut out of the middle, with a note saying how many bytes.
std::string tidy_log(std::string_view raw, std::size_t limit = longest_log_bytes);

}  // namespace tuner::compile
