#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::util {

/// `text` in lines of at most `columns` (at least 1), broken at blanks and at its own newlines; a word wider
/// than a line is broken where it must be. Blanks at the beginning of a line of `text` are kept and repeated
/// before the lines it is broken into. Other control characters become spaces. One empty line for no text.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

/// The same as one text, each line with a newline; all but the first begin with `hanging` blanks more.
std::string wrapped_text(std::string_view text, std::size_t columns, std::size_t hanging = 0);

}  // namespace tuner::util
