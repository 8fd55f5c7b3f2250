#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace tuner::model {

/// The words of an enumeration, as they are stored and shown. Specialised with `all`, in the order of the
/// enumerators, and where they are stored with `expected`: what people are told in place of another word.
template <class E>
struct Words;

template <class E>
concept Worded = requires {
  Words<E>::all;
};

template <Worded E>
constexpr std::string_view to_string(E value) {
  return Words<E>::all[static_cast<std::size_t>(value)];
}

/// The inverse; nothing for any other word.
template <Worded E>
std::optional<E> parse_word(std::string_view word) {
  const auto found = std::ranges::find(Words<E>::all, word);
  if (found == std::end(Words<E>::all)) return std::nullopt;
  return static_cast<E>(found - std::begin(Words<E>::all));
}

}  // namespace tuner::model
