#include "reports/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/util/text.hpp"

namespace reports {
namespace util = tuner::util;
namespace {

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Whether `text[i]` would be markup there. An underscore between word characters is none, and a tilde before
/// a number is our mark of an approximate value.
bool is_markup(const std::string& text, std::size_t i) {
  const char c = text[i];
  const char next = i + 1 < text.size() ? text[i + 1] : ' ';
  if (c == '_') return i == 0 || !is_word(text[i - 1]) || !is_word(next);
  if (c == '~') return !is_digit(next);
  return c == '|' || c == '`' || c == '*' || c == '[' || c == ']' || c == '\\' || c == '#' || c == '$';
}

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string line = util::one_line(util::valid_utf8(text));
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    switch (line[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        if (is_markup(line, i)) out += '\\';
        out += line[i];
    }
  }
  return out;
}

std::string markdown_code_block(std::string_view text) {
  const std::string body = util::valid_utf8(text);
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : body) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fence + '\n' + body + (body.empty() || body.back() == '\n' ? "" : "\n") + fence + '\n';
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : util::valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // XML allows no other control characters, not even escaped, and one of them would void a whole SVG.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

std::string csv_text(std::string_view text) {
  std::string field = util::valid_utf8(text);
  if (!field.empty() && std::string_view("=+-@\t\r").find(field[0]) != std::string_view::npos)
    field.insert(0, 1, '\'');
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string first_lines(std::string_view text, int lines) {
  std::size_t end = 0;
  for (int line = 0; line < lines && end < text.size(); ++line) {
    const std::size_t newline = text.find('\n', end);
    end = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  std::string out(text.substr(0, end));
  const std::string_view rest = text.substr(end);
  if (rest.empty()) return out;
  const auto left_out = std::count(rest.begin(), rest.end(), '\n') + (rest.back() == '\n' ? 0 : 1);
  return out + fmt::format("… {} more line{}\n", left_out, left_out == 1 ? "" : "s");
}

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || is_digit(c)) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "chart" : out;
}

}  // namespace reports
