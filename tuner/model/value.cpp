#include "tuner/model/value.hpp"

#include <fmt/format.h>

#include "tuner/model/json_text.hpp"

namespace tuner::model {

std::int64_t Value::code() const {
  if (const auto* word = std::get_if<std::string>(&m_value)) return word_code(*word);
  return std::get<std::int64_t>(m_value);
}

std::string Value::text() const {
  if (const auto* word = std::get_if<std::string>(&m_value)) return *word;
  return fmt::format("{}", std::get<std::int64_t>(m_value));
}

std::string Value::json() const {
  return is_word() ? json_quote(text()) : text();
}

std::int64_t word_code(std::string_view word) {
  std::uint32_t hash = 2166136261U;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  // Never 0, which is also the value of an undefined name in an #if.
  return static_cast<std::int64_t>((hash & 0x7FFFFFFFU) | 1U);
}

}  // namespace tuner::model
