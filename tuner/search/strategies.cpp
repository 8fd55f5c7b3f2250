#include "tuner/search/strategies.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::search {

Settings::Settings(std::string_view strategy, std::span<const Setting> known, std::string_view text)
    : m_known(known) {
  for (const Setting& setting : known) m_values.push_back(setting.usual);
  std::set<std::string_view> given;
  while (!text.empty()) {
    std::string_view value = util::split_first(text, ",");
    const std::string_view name = util::split_first(value, "=");
    if (!given.insert(name).second)
      throw model::UsageError(fmt::format("strategy `{}`: `{}` is given twice", strategy, name));
    set(strategy, name, value);
  }
}

void Settings::set(std::string_view strategy, std::string_view name, std::string_view value) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < m_known.size(); ++i) {
    const Setting& setting = m_known[i];
    names.push_back(setting.name);
    if (setting.name != name) continue;
    const auto number = util::parse_number<double>(value);
    const bool fits = number && *number >= setting.low && *number <= setting.high &&
                      (!setting.whole || *number == std::floor(*number));
    if (!fits)
      throw model::UsageError(
          fmt::format("strategy `{}`: {} is `{}`", strategy, name, value),
          fmt::format("it is a {}number from {} to {}: {}={}", setting.whole ? "whole " : "", setting.low,
                      setting.high, name, setting.usual));
    m_values[i] = *number;
    return;
  }
  const std::string meant = util::did_you_mean(name, names);
  const std::string there = names.empty() ? "it has none" : "there are " + util::listed(names);
  throw model::UsageError(fmt::format("strategy `{}` has no setting `{}`", strategy, name),
                          meant.empty() ? there : meant);
}

double Settings::number(std::string_view name) const {
  for (std::size_t i = 0; i < m_known.size(); ++i)
    if (m_known[i].name == name) return m_values[i];
  throw model::Error(fmt::format("no setting `{}` is known: this is a mistake in the program", name));
}

std::span<const StrategyKind> strategies() {
  static const std::array kinds = {random_order, written_order, learning, local_search, genetic};
  return kinds;
}

NamedStrategy strategy_named(std::string_view text, std::span<const StrategyKind> own) {
  std::string_view settings = text;
  const std::string_view name = util::split_first(settings, ":");
  std::vector<std::string_view> names = {"auto"};  // of a sweep, which chooses among these
  if (name == names.front())
    throw model::UsageError("strategy `auto` has no settings",
                            "give them to the one it chooses, as `learn:start=3`");
  for (const auto kinds : {own, strategies()}) {
    for (const StrategyKind& kind : kinds) {
      if (kind.name == name) return {std::string(text), &kind, Settings(name, kind.settings, settings)};
      names.push_back(kind.name);
    }
  }
  const std::string meant = util::did_you_mean(name, names);
  throw model::UsageError(fmt::format("unknown strategy `{}`", name),
                          meant.empty() ? "there are " + util::listed(names) : meant);
}

}  // namespace tuner::search
