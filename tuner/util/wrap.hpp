#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::util {

/// `text` in lines of at most `columns` (at least 1), broken at blanks and at its own newlines; a word wider
/// than a line is cut behind the last of `|,/=` that fits, or where the line ends. Blanks at the beginning of
/// a line of `text` are kept and repeated before the lines it is broken into; those between words are kept
/// but at a break. Other control characters become spaces. One empty line for no text.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

/// The same as one text, each line with a newline; all but the first begin with `hanging` blanks more.
std::string wrapped_text(std::string_view text, std::size_t columns, std::size_t hanging = 0);

/// A message for people: its first line is a sentence and is wrapped, two blanks more before the lines behind
/// it; but its words (paths, names) are never cut, so that they can be copied. The lines below it (a command,
/// a compiler's log) keep their length. Control characters become spaces everywhere.
std::string wrapped_message(std::string_view text, std::size_t columns);

/// The same where newlines are blanks, and no line is indented: one paragraph.
std::vector<std::string> filled(std::string_view text, std::size_t columns);

/// A command of a shell as lines of at most `columns` columns: broken at blanks that are not quoted, each
/// line but the last ends with ` \`, and those behind the first are indented by two. Words are never cut,
/// since that would be another command: one that is too wide stands alone in its line.
std::vector<std::string> wrapped_command(std::string_view command, std::size_t columns);

}  // namespace tuner::util
