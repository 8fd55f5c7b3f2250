#include "tuner/util/tone.hpp"

#include <fmt/format.h>

namespace tuner::util {
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
