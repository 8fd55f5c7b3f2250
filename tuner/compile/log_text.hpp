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

/// A compiler's log with its first error as the first line: warnings, and how GCC came to the file, follow.
/// `but` is a text that lines must not have to count.
std::string error_first(std::string log, std::string_view but = {});

/// The first line of a log that is an error; empty: none.
std::string_view first_error(std::string_view log, std::string_view but = {});

/// What a log says in one line: its first error or, without one, its first line that is no note.
std::string_view gist(std::string_view log);

}  // namespace tuner::compile
