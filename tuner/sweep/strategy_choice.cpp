#include "tuner/sweep/strategy_choice.hpp"

#include <fmt/format.h>

namespace tuner::sweep {
namespace {

constexpr const char* every_configuration = "random";
constexpr const char* learning = "learn";

std::string range_text(std::size_t fewest, std::size_t most) {
  return fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
}

}  // namespace

StrategyChoice::StrategyChoice(const std::string& text, std::span<const search::StrategyKind> own)
    : m_is_auto(text == "auto"),
      m_small(search::strategy_named(m_is_auto ? every_configuration : text, own)),
      m_large(m_is_auto ? search::strategy_named(learning, own) : m_small) {}

std::optional<double> StrategyChoice::until(std::size_t candidates, std::optional<double> asked) const {
  if (asked) return *asked > 0 ? asked : std::nullopt;
  if ((m_is_auto && candidates > most_exhaustive) || learns(candidates)) return usual_until;
  return std::nullopt;
}

std::string StrategyChoice::rule() const {
  return fmt::format(
      "{} up to {} configurations a size, {} above, until its last trials gained less than {:g} %",
      m_small.text, most_exhaustive, m_large.text, 100 * usual_until);
}

std::string StrategyChoice::sentence(std::size_t fewest, std::size_t most) const {
  const search::NamedStrategy& small = of(fewest);
  const search::NamedStrategy& large = of(most);
  const std::string names = small.kind == large.kind
                                ? fmt::format("{}: {}", small.text, small.kind->description)
                                : fmt::format("{} or {}, by size", small.text, large.text);
  return fmt::format("strategy {}; {} configurations a size{}", names, range_text(fewest, most),
                     m_is_auto ? fmt::format(" (auto: {})", rule()) : "");
}

}  // namespace tuner::sweep
