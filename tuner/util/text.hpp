#pragma once
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace tuner::util {

/// Columns that `text` (UTF-8) takes on a terminal. East Asian wide characters and emoji take two, combining
/// marks none; bytes that are not UTF-8 take one each.
std::size_t display_width(std::string_view text);

/// `text` fit to be one line of a terminal: control characters (newlines, escape sequences) become spaces,
/// and what does not fit into `columns` is replaced by an ellipsis. Never cuts a character.
std::string one_line(std::string_view text, std::size_t columns = static_cast<std::size_t>(-1));

/// `text` with each byte that is no UTF-8 as U+FFFD.
std::string valid_utf8(std::string_view text);

/// How many bytes the first `characters` characters of UTF-8 `text` take; all of it where there are fewer.
std::size_t bytes_of_characters(std::string_view text, std::size_t characters);

/// Without blanks at either end.
std::string_view trimmed(std::string_view text);

/// Splits at the first `mark`: what stands before it, and in `text` what stands after it. Without a mark all
/// is before.
std::string_view split_first(std::string_view& text, std::string_view mark);

/// Whether `word`, which is not empty, is one of `words`; blanks stand between these.
bool has_word(std::string_view words, std::string_view word);

/// ASCII letters in lower case.
std::string lower(std::string_view text);

/// `1 block`, `4 blocks`, `2 launches`, `2 binaries`.
std::string counted(std::int64_t count, std::string_view noun);
template <std::unsigned_integral Count>
std::string counted(Count count, std::string_view noun) {
  return counted(static_cast<std::int64_t>(count), noun);
}

/// `a, b or c`
std::string listed(std::span<const std::string_view> words);
std::string listed(std::span<const std::string> words);

/// How many characters from their beginning tell all of `words` apart; at least `least`. Equal ones are never
/// told apart.
std::size_t telling_length(std::vector<std::string> words, std::size_t least);

/// `text` as one word of a POSIX shell.
std::string shell_quote(const std::string& text);

/// `text` with each byte that is not plain as `%0A`. Plain are by default the letters, digits and `/-._~` of
/// a path in a URI.
bool is_plain_in_uri(char c);
std::string percent_encoded(std::string_view text, bool (*is_plain)(char) = is_plain_in_uri);

/// The candidate that `word` was probably meant to be: at most a third of its letters differ (insertions,
/// deletions, exchanges and swapped neighbours count one each; case does not), else the only one that begins
/// with it. Empty when none is near, or when every letter would have to change.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);
std::string_view nearest(std::string_view word, std::span<const std::string> candidates);
/// ``did you mean `source`?``, or empty. `quote` stands on both sides of the word.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates,
                         char quote = '`');
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates, char quote = '`');

/// A whole text as a number: no blanks, no sign but `-`, nothing left over; empty for anything else, overflow
/// included.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
}

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

/// What a word on a terminal says by its colour.
enum class Tone { plain, heading, name, good, bad, doubtful, faint, warning, error };

/// `text` between the escape sequences of the tone; as it is where that is plain or there is no text.
std::string painted(std::string_view text, Tone tone);

/// `text` with the first `word` of it painted; unchanged where it has none.
std::string with_word_painted(std::string text, std::string_view word, Tone tone);

}  // namespace tuner::util
