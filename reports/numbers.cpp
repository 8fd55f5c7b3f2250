#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace reports {
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
  int decimals = 3;  // more for the smallest, of which nothing would be left
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

}  // namespace reports
