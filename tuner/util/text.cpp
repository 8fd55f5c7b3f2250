#include "tuner/util/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace tuner::util {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
};

/// The character at the front of `text`, which is not empty; a byte that starts none is returned as itself.
CodePoint front(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80   ? 1
                            : lead < 0xC2 ? 0
                            : lead < 0xE0 ? 2
                            : lead < 0xF0 ? 3
                            : lead < 0xF5 ? 4
                                          : 0;
  if (bytes <= 1 || text.size() < bytes) return {lead, 1};
  std::uint32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {lead, 1};
    value = value << 6 | (next & 0x3FU);
  }
  // Fewer bytes would have done, or it is beyond the last plane: no character is written so.
  const std::uint32_t least = bytes == 3 ? 0x800 : bytes == 4 ? 0x10000 : 0;
  if (value < least || value > 0x10FFFF) return {lead, 1};
  return {value, bytes};
}

/// A coarse East Asian Width (Unicode Standard Annex 11): blocks, not single characters.
std::size_t columns_of(std::uint32_t c) {
  const auto within = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  if (within(0x0300, 0x036F) || within(0x200B, 0x200F) || within(0xFE00, 0xFE0F)) return 0;
  if (within(0x1100, 0x115F) || within(0x2E80, 0xA4CF) || within(0xAC00, 0xD7A3) || within(0xF900, 0xFAFF) ||
      within(0xFE30, 0xFE6F) || within(0xFF00, 0xFF60) || within(0xFFE0, 0xFFE6) ||
      within(0x1F300, 0x1FAFF) || within(0x20000, 0x3FFFD)) {
    return 2;
  }
  return 1;
}

bool is_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::vector<std::string_view> views(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

/// Longer words are not compared. This bounds the quadratic distance for hostile input.
constexpr std::size_t most_letters = 64;

/// Optimal string alignment distance: Levenshtein's, and swapping two neighbours counts one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto same = [&](std::size_t x, std::size_t y) {
        return lower_letter(a[x - 1]) == lower_letter(b[y - 1]);
      };
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(i, j) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = front(text);
    width += columns_of(c.value);
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string one_line(std::string_view text, std::size_t columns) {
  std::string out;
  std::size_t width = 0;
  std::size_t keep = 0;  // bytes of `out` after which an ellipsis still fits
  while (!text.empty()) {
    const CodePoint c = front(text);
    const bool control = is_control(c.value);
    width += control ? 1 : columns_of(c.value);
    if (width > columns) {
      out.resize(keep);
      return columns == 0 ? out : out + "\u2026";
    }
    out += control ? std::string_view(" ") : text.substr(0, c.bytes);
    if (width + 1 <= columns) keep = out.size();
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint c = front(text);
    // A lone byte above ASCII is what front() returns for malformed input; surrogates are malformed too.
    const bool bad = (c.bytes == 1 && c.value >= 0x80) || (c.value >= 0xD800 && c.value <= 0xDFFF);
    out += bad ? std::string_view("\uFFFD") : text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t bytes_of_characters(std::string_view text, std::size_t characters) {
  std::size_t bytes = 0;
  for (; characters > 0 && bytes < text.size(); --characters) {
    do {
      ++bytes;
    } while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U);
  }
  return bytes;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view split_first(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  const std::string_view before = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + mark.size());
  return before;
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    if (const std::string_view one = split_first(words, " "); one == word && !one.empty()) return true;
  }
  return false;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower_letter);
  return out;
}

std::string counted(std::int64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with("ry")) return fmt::format("{} {}ies", count, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}{}", count, noun, noun.ends_with("ch") || noun.ends_with("s") ? "es" : "s");
}

std::string listed(std::span<const std::string> words) {
  return listed(views(words));
}

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::size_t telling_length(std::vector<std::string> words, std::size_t least) {
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::size_t length = least;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& a = words[i - 1];
    const std::string& b = words[i];
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    length = std::max(length, static_cast<std::size_t>(differ - a.begin()) + 1);
  }
  return length;
}

std::string shell_quote(const std::string& text) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool is_plain_in_uri(char c) {
  constexpr std::string_view signs = "/-._~";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || signs.find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text, bool (*is_plain)(char)) {
  std::string out;
  for (const char c : text)
    out += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > most_letters) return {};
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > most_letters) continue;
    const std::size_t away = distance(word, candidate);
    // A name of one letter is one edit from every other such name: only its case can have been mistyped.
    if (away >= least || (away > 0 && away >= std::max(word.size(), candidate.size()))) continue;
    least = away;
    best = candidate;
  }
  constexpr std::size_t telling = 3;  // letters of a beginning
  const auto goes_on = [&](std::string_view candidate) { return candidate.starts_with(word); };
  if (best.empty() && word.size() >= telling && std::ranges::count_if(candidates, goes_on) == 1)
    best = *std::ranges::find_if(candidates, goes_on);
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates, char quote) {
  const std::string_view meant = nearest(word, candidates);
  return meant.empty() ? "" : fmt::format("did you mean {}{}{}?", quote, meant, quote);
}

std::string_view nearest(std::string_view word, std::span<const std::string> candidates) {
  return nearest(word, views(candidates));
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates, char quote) {
  return did_you_mean(word, views(candidates), quote);
}

namespace {

/// Of the eight colours that every terminal has, so that its own theme decides how they look.
const char* parameters_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::heading:
      return "1";
    case Tone::name:
      return "36";
    case Tone::good:
      return "32";
    case Tone::bad:
      return "31";
    case Tone::doubtful:
      return "33";
    case Tone::faint:
      return "2";
    case Tone::warning:
      return "1;33";
    case Tone::error:
      return "1;31";
  }
  return "";
}

}  // namespace

std::string painted(std::string_view text, Tone tone) {
  if (tone == Tone::plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", parameters_of(tone), text);
}

std::string with_word_painted(std::string text, std::string_view word, Tone tone) {
  const std::size_t at = text.find(word);
  if (at != std::string::npos) text.replace(at, word.size(), painted(word, tone));
  return text;
}

}  // namespace tuner::util
