#include "config/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace model = tuner::model;
namespace util = tuner::util;
namespace {

struct Unit {
  char letter;
  std::int64_t seconds;
};
/// Largest first, the order in which `1h30m` has to name them.
constexpr std::array units = {Unit{'d', 86400}, Unit{'h', 3600}, Unit{'m', 60}, Unit{'s', 1}};
constexpr std::string_view device_suffix = "-gpu";
constexpr std::int64_t most_seconds = std::int64_t{365} * 86400;
constexpr std::int64_t most_trials = 1'000'000'000;

[[noreturn]] void refuse(std::string_view text, const std::string& reason) {
  throw model::UsageError(
      fmt::format("budget '{}': {}", util::one_line(text, 60), reason),
      "a time such as 90s, 5m, 1h30m or 2d, a time of the GPU such as 20s-gpu, or a number of "
      "trials such as 500");
}

/// Consumes a leading number.
std::int64_t take_number(std::string_view& rest, std::string_view text) {
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0) refuse(text, "a whole number is missing");
  const auto value = util::parse_number<std::int64_t>(rest.substr(0, digits));
  if (!value || *value > most_trials)
    refuse(text, fmt::format("'{}' is too large", util::one_line(rest.substr(0, digits), 40)));
  rest.remove_prefix(digits);
  return *value;
}

}  // namespace

Budget parse_budget(std::string_view text) {
  std::string_view rest = util::trimmed(text);
  const bool of_device = rest.ends_with(device_suffix);
  if (of_device) rest.remove_suffix(device_suffix.size());
  std::int64_t number = take_number(rest, text);
  if (rest.empty()) {
    if (of_device) refuse(text, fmt::format("{} of what on the GPU?", number));
    if (number == 0) refuse(text, "no trial at all; leave the budget out for no limit");
    return {std::chrono::seconds(0), std::chrono::seconds(0), number};
  }
  std::int64_t seconds = 0;
  std::size_t unit = 0;
  while (true) {
    while (unit < units.size() && units[unit].letter != rest.front()) ++unit;
    if (unit == units.size()) refuse(text, fmt::format("unexpected '{}'", util::one_line(rest, 40)));
    seconds += number * units[unit++].seconds;
    rest.remove_prefix(1);
    if (rest.empty()) break;
    number = take_number(rest, text);
    if (rest.empty()) refuse(text, fmt::format("{} of what?", number));
  }
  if (seconds == 0) refuse(text, "no time at all; leave the budget out for no limit");
  if (seconds > most_seconds) refuse(text, "more than a year");
  const std::chrono::seconds time(seconds);
  return of_device ? Budget{{}, time, 0} : Budget{time, {}, 0};
}

}  // namespace config
