#pragma once
#include <string>
#include <string_view>

namespace tuner::util {

/// What a word on a terminal says by its colour.
enum class Tone { plain, heading, name, good, bad, doubtful, faint, warning, error };

/// `text` between the escape sequences of the tone; as it is where that is plain or there is no text.
std::string painted(std::string_view text, Tone tone);

/// `text` with the first `word` of it painted; unchanged where it has none.
std::string with_word_painted(std::string text, std::string_view word, Tone tone);

}  // namespace tuner::util
