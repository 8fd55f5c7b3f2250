#include "reports/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "tuner/model/trial.hpp"

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

/// Characters that HTML writes otherwise; Markdown the first three.
struct Entity {
  char character;
  const char* text;
};
constexpr std::array<Entity, 5> entities = {
    {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}}};

/// What stands for `c` among the first `count` of them; null: itself.
const char* entity(char c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (entities[i].character == c) return entities[i].text;
  return nullptr;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string line = util::one_line(util::valid_utf8(text));
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (const char* written = entity(line[i], 3)) {
      out += written;
      continue;
    }
    if (is_markup(line, i)) out += '\\';
    out += line[i];
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
    if (const char* written = entity(c, entities.size())) {
      out += written;
      continue;
    }
    // XML allows no other control characters, not even escaped, and one of them would void a whole SVG.
    out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
  }
  return out;
}

std::string csv_text(std::string_view text) {
  std::string field = util::valid_utf8(text);
  const bool begins_formula =
      field.size() > 1 && std::string_view("=+-@\t\r").find(field[0]) != std::string_view::npos;
  if (begins_formula && !util::parse_number<double>(field)) field.insert(0, 1, '\'');
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_line(const std::vector<std::string>& texts) {
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i) line += (i == 0 ? "" : ",") + csv_text(texts[i]);
  return line + "\r\n";
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

std::string first_of(const std::vector<std::string>& texts, std::size_t most) {
  if (texts.size() <= most) return fmt::format("{}", fmt::join(texts, ", "));
  const auto end = texts.begin() + static_cast<std::ptrdiff_t>(most);
  return fmt::format("{} and {} more", fmt::join(texts.begin(), end, ", "), texts.size() - most);
}

void add_labelled(LabelledTexts& texts, const std::string& label, const std::string& text) {
  const auto known =
      std::find_if(texts.begin(), texts.end(), [&](const auto& one) { return one.second == text; });
  if (known == texts.end())
    texts.emplace_back(label, text);
  else
    known->first += ", " + label;
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

namespace {

struct TimeUnit {
  double ns;
  const char* name;
};
constexpr std::array<TimeUnit, 4> time_units = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};

const TimeUnit& unit_of(double ns) {
  // 0.9995 of a unit is shown as 1.000 of it, not as 1000 of the one below.
  const auto fits = [ns](const TimeUnit& unit) { return std::abs(ns) >= 0.99995 * unit.ns; };
  const auto found = std::find_if(time_units.begin(), time_units.end(), fits);
  return found == time_units.end() ? time_units.back() : *found;
}

}  // namespace

std::string significant(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return "0";
  const double magnitude = std::abs(value);
  if (magnitude < 1e-6 || magnitude >= 1e15) return fmt::format("{:.{}e}", value, digits - 1);
  // Rounding may carry into a new digit (9.9996 -> 10.00), so the exponent is taken from the rounded value.
  const std::string rounded = fmt::format("{:.{}e}", magnitude, digits - 1);
  const int exponent = std::stoi(rounded.substr(rounded.find('e') + 1));
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

std::string time_text(double ns) {
  const TimeUnit& unit = unit_of(ns);
  return fmt::format("{} {}", significant(ns / unit.ns), unit.name);
}

std::string interval_text(double low_ns, double high_ns) {
  const TimeUnit& unit = unit_of(low_ns);
  return fmt::format("{}–{} {}", significant(low_ns / unit.ns), significant(high_ns / unit.ns), unit.name);
}

std::string percent_text(double fraction) {
  std::string number = significant(100 * fraction, 3);
  const bool has_exponent = number.find('e') != std::string::npos;
  if (!has_exponent && number.find('.') != std::string::npos) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
  }
  return number + " %";
}

std::string second_text(const std::string& time) {
  const std::size_t dot = time.find('.');
  return dot == std::string::npos ? time : time.substr(0, dot) + 'Z';
}

std::string ratio_text(double ratio) {
  return significant(ratio, 3) + "×";
}

std::string ratio_interval_text(double ratio, double low, double high) {
  int decimals = 3;  // more for the smallest, where nothing would be left
  for (double shown = ratio; shown > 0 && shown < 0.1 && decimals < 9; shown *= 10) ++decimals;
  return fmt::format("{0:.{3}f} ({1:.{3}f}–{2:.{3}f})", ratio, low, high, decimals);
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::array<const char*, 4> units = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == std::floor(value) || value >= 100;
  return whole ? fmt::format("{:.0f} {}", value, units[unit]) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string dim_text(const tuner::model::Dim3& extents) {
  if (extents.count() == 0) return "–";
  if (extents.z != 1) return fmt::format("{}×{}×{}", extents.x, extents.y, extents.z);
  return extents.y != 1 ? fmt::format("{}×{}", extents.x, extents.y) : fmt::format("{}", extents.x);
}

namespace {

using tuner::util::Tone;

Tone tone_of_status(std::string_view word) {
  if (word == "ok" || word == "done") return Tone::good;
  if (word == "lost" || word == "failed") return Tone::bad;
  if (word == "interrupted" || word == "unfinished") return Tone::doubtful;
  const auto status = tuner::model::parse_word<tuner::model::TrialStatus>(word);
  if (!status) return Tone::plain;
  return tuner::model::is_failure(*status) ? Tone::bad : Tone::doubtful;
}

Tone tone_of_verdict(std::string_view word) {
  if (word == "faster") return Tone::good;
  if (word == "slower") return Tone::bad;
  return word == "tied" ? Tone::doubtful : Tone::plain;
}

/// `1.24×`, `~0.97 (0.96–0.98)`: above 1 the answer is faster.
Tone tone_of_ratio(std::string_view cell) {
  if (cell.starts_with('~')) cell.remove_prefix(1);
  constexpr double shown = 0.005;  // what is told apart in a cell of two digits
  const double ratio = std::strtod(std::string(cell).c_str(), nullptr);
  if (ratio <= 0) return Tone::plain;
  return ratio >= 1 + shown ? Tone::good : ratio < 1 - shown ? Tone::bad : Tone::plain;
}

}  // namespace

Tone tone_of(std::string_view heading, std::string_view cell) {
  if (heading == "status" || heading == "state")
    return tone_of_status(cell.substr(0, cell.find_first_of(" :,")));
  if (heading == "A is") return tone_of_verdict(cell);
  if (heading.starts_with("× ")) return tone_of_ratio(cell);
  if (heading == "tied") return cell == "0" ? Tone::plain : Tone::doubtful;
  const bool is_doubtful = cell.ends_with(" unsettled") || cell.ends_with(" unverified");
  return is_doubtful || (heading == "results" && cell.starts_with("unverified")) ? Tone::doubtful
                                                                                 : Tone::plain;
}

}  // namespace reports
