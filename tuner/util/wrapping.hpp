#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::util {

/// `text` (UTF-8) as lines of at most `columns` columns, broken at blanks and newlines, of which those
/// between words are one blank and those at a break none. A word that is wider than a line is cut behind the
/// last of `|,/=` that fits, or where the line ends. At least one line; `columns` of 0 counts as 1.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

/// A command of a shell as lines of at most `columns` columns: broken at blanks, each line but the last ends
/// with ` \`, and those behind the first are indented by two. Words are never cut, since that would be
/// another command: one that is too wide stands alone in its line.
std::vector<std::string> wrapped_command(std::string_view command, std::size_t columns);

}  // namespace tuner::util
