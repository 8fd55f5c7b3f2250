#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "config/settings.hpp"
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

double parse_share(std::string_view text) {
  const auto refuse = [&](const char* reason) {
    throw model::UsageError(fmt::format("share '{}': {}", tuner::util::one_line(text, 60), reason),
                            "give per cent, such as 1% or 0.5%");
  };
  std::string_view number = tuner::util::trimmed(text);
  if (!number.ends_with('%')) refuse("a % is missing");
  number.remove_suffix(1);
  const auto percent = tuner::util::parse_number<double>(number);
  if (!percent) refuse("no number before the %");
  // Written so that what is not a number is refused too.
  if (!(*percent >= 0 && *percent < 100)) refuse("must be at least 0 % and below 100 %");
  return *percent / 100;
}

namespace {

constexpr std::string_view size_grammar =
    "512..4096 doubles, 512..4096:128 steps, 512,1000,2047 lists, 512x1024x256 sets each dimension";
constexpr std::string_view padding_grammar = "elements added to each row, from 0 on: 0,32";
constexpr std::size_t most_dimensions = 8;
constexpr std::int64_t largest_padding = std::int64_t{1} << 20;

[[noreturn]] void refuse(std::string_view what, std::string_view piece, std::string_view reason,
                         std::string_view grammar) {
  throw model::UsageError(fmt::format("{} '{}': {}", what, util::one_line(piece, 60), reason),
                          std::string(grammar));
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Why `text` is no extent from 1 to largest_extent, or nothing.
std::string objection(std::string_view text, std::optional<std::int64_t> value) {
  if (text.empty()) return "a number is missing";
  if (text.starts_with('-') && all_digits(text.substr(1))) return "sizes are positive";
  if (!all_digits(text)) return fmt::format("'{}' is not a whole number in digits", util::one_line(text, 40));
  if (value == 0) return "sizes start at 1";
  if (!value || *value > largest_extent) return fmt::format("the largest size is {}", largest_extent);
  return "";
}

/// `512..4096` where `512-4096` was written; else nothing.
std::string meant_range(std::string_view text) {
  std::string_view last = text;
  const std::string_view first = util::split_first(last, "-");
  return all_digits(first) && all_digits(last) ? fmt::format("did you mean {}..{}? ", first, last) : "";
}

std::int64_t read_extent(std::string_view text, std::string_view piece) {
  text = util::trimmed(text);
  const auto value = util::parse_number<std::int64_t>(text);
  if (const std::string reason = objection(text, value); !reason.empty())
    refuse("size", piece, reason, meant_range(text).append(size_grammar));
  return *value;
}

/// `512..4096` or `512..4096:128`
std::vector<std::vector<std::int64_t>> expand_range(std::string_view piece) {
  std::string_view rest = piece;
  const std::int64_t first = read_extent(util::split_first(rest, ".."), piece);
  const bool steps = rest.find(':') != std::string_view::npos;
  const std::int64_t last = read_extent(util::split_first(rest, ":"), piece);
  const std::int64_t step = steps ? read_extent(rest, piece) : 0;
  if (first > last) refuse("size", piece, "the range ends before it starts", size_grammar);
  if (steps && (last - first) / step >= static_cast<std::int64_t>(most_sizes)) {
    refuse("size", piece, fmt::format("more than {} sizes", most_sizes), size_grammar);
  }
  std::vector<std::vector<std::int64_t>> sizes;
  for (std::int64_t size = first; size <= last; size = steps ? size + step : size * 2)
    sizes.push_back({size});
  return sizes;
}

/// `1000` or `512x1024x256`
std::vector<std::int64_t> read_dimensions(std::string_view piece) {
  if (std::ranges::count(piece, 'x') >= static_cast<std::ptrdiff_t>(most_dimensions)) {
    refuse("size", piece, fmt::format("more than {} dimensions", most_dimensions), size_grammar);
  }
  std::vector<std::int64_t> dimensions;
  std::string_view rest = piece;
  while (true) {
    const bool more = rest.find('x') != std::string_view::npos;
    dimensions.push_back(read_extent(util::split_first(rest, "x"), piece));
    if (!more) return dimensions;
  }
}

/// Calls `read` for each piece between commas; an empty piece is an empty one.
template <class Read>
void for_each_piece(std::string_view text, Read read) {
  while (true) {
    const bool more = text.find(',') != std::string_view::npos;
    read(util::trimmed(util::split_first(text, ",")));
    if (!more) return;
  }
}

}  // namespace

std::vector<std::vector<std::int64_t>> parse_sizes(std::string_view text) {
  std::vector<std::vector<std::int64_t>> sizes;
  for_each_piece(text, [&](std::string_view piece) {
    std::vector<std::vector<std::int64_t>> more;
    if (piece.find("..") != std::string_view::npos) {
      more = expand_range(piece);
    } else {
      more.push_back(read_dimensions(piece));
    }
    for (std::vector<std::int64_t>& size : more) {
      if (std::ranges::count(sizes, size) == 0) sizes.push_back(std::move(size));
    }
    if (sizes.size() > most_sizes) {
      refuse("size", piece, fmt::format("more than {} sizes up to here", most_sizes), size_grammar);
    }
  });
  return sizes;
}

std::vector<std::int64_t> parse_paddings(std::string_view text) {
  std::vector<std::int64_t> paddings;
  for_each_piece(text, [&](std::string_view piece) {
    const auto value = util::parse_number<std::int64_t>(piece);
    if (piece.empty()) refuse("padding", piece, "a number is missing", padding_grammar);
    if (value && *value < 0) refuse("padding", piece, "rows cannot be shortened", padding_grammar);
    if (!all_digits(piece)) refuse("padding", piece, "not a whole number in digits", padding_grammar);
    if (!value || *value > largest_padding) {
      refuse("padding", piece, fmt::format("the largest padding is {}", largest_padding), padding_grammar);
    }
    if (std::ranges::count(paddings, *value) == 0) paddings.push_back(*value);
    if (paddings.size() > most_sizes) {
      refuse("padding", piece, fmt::format("more than {} paddings up to here", most_sizes), padding_grammar);
    }
  });
  return paddings;
}

}  // namespace config
