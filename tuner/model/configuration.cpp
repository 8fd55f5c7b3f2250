#include "tuner/model/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tuner::model {
namespace {

/// Length of the valid UTF-8 sequence at the start of `text`, or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  std::size_t length = 0;
  unsigned code = 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF)
    length = 2, code = lead & 0x1FU;
  else if (lead >= 0xE0 && lead <= 0xEF)
    length = 3, code = lead & 0x0FU;
  else if (lead >= 0xF0 && lead <= 0xF4)
    length = 4, code = lead & 0x07U;
  else
    return 0;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return overlong || surrogate || code > 0x10FFFF ? 0 : length;
}

}  // namespace

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    if (length > 1) {
      out += text.substr(0, length);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
    text.remove_prefix(length);
  }
  return out + '"';
}

std::int64_t Value::code() const {
  if (const auto* word = std::get_if<std::string>(&m_value)) return word_code(*word);
  return std::get<std::int64_t>(m_value);
}

std::string Value::text() const {
  if (const auto* word = std::get_if<std::string>(&m_value)) return *word;
  return fmt::format("{}", std::get<std::int64_t>(m_value));
}

std::int64_t word_code(std::string_view word) {
  std::uint32_t hash = 2166136261U;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  // Never 0, which is also the value of an undefined name in an #if.
  return static_cast<std::int64_t>((hash & 0x7FFFFFFFU) | 1U);
}

namespace {

std::string json_of(const std::vector<Assignment>& assignments) {
  std::string out = "{";
  for (const Assignment& assignment : assignments) {
    if (out.size() > 1) out += ',';
    out += json_quote(assignment.name) + ':' + assignment.value.json();
  }
  return out + '}';
}

}  // namespace

const Value* Configuration::find(std::string_view name) const {
  for (const Assignment& assignment : m_assignments) {
    if (assignment.name == name) return &assignment.value;
  }
  return nullptr;
}

std::string Configuration::json() const {
  return json_of(m_assignments);
}

std::string Configuration::canonical_json() const {
  std::vector<Assignment> sorted = m_assignments;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return json_of(sorted);
}

std::string Configuration::text() const {
  std::string out;
  for (const Assignment& assignment : m_assignments) {
    if (!out.empty()) out += ' ';
    out += assignment.name + '=' + assignment.value.text();
  }
  return out.empty() ? "-" : out;
}

}  // namespace tuner::model
