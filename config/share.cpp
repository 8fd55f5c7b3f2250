#include "config/share.hpp"

#include <fmt/format.h>

#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace config {

double parse_share(std::string_view text) {
  const auto refuse = [&](const char* reason) {
    throw tuner::model::UsageError(fmt::format("share '{}': {}", tuner::util::one_line(text, 60), reason),
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

}  // namespace config
