#include "tuner/sweep/strategy_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tuner::sweep {
namespace {

constexpr const char* every_configuration = "random";
constexpr const char* learning = "learn";

const search::StrategyKind* find(std::span<const search::StrategyKind> kinds, std::string_view name) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

std::string range_text(std::size_t fewest, std::size_t most) {
  return fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
}

}  // namespace

StrategyChoice::StrategyChoice(const std::string& text, std::span<const search::StrategyKind> own)
    : m_is_auto(text == "auto") {
  const search::StrategyKind* known = find(own, text);
  m_small = known ? known : &search::strategy_kind(m_is_auto ? every_configuration : text);
  m_large = m_small;
  if (!m_is_auto) return;
  // As long as nothing learns, all are tried.
  if (const auto* shipped = find(search::strategies(), learning)) m_large = shipped;
  if (const auto* given = find(own, learning)) m_large = given;
}

const search::StrategyKind& StrategyChoice::of(std::size_t candidates) const {
  return candidates > most_exhaustive ? *m_large : *m_small;
}

std::string StrategyChoice::rule() const {
  if (m_small == m_large) return fmt::format("always {}", m_small->name);
  return fmt::format("{} up to {} configurations a size, {} above", m_small->name, most_exhaustive,
                     m_large->name);
}

std::string StrategyChoice::sentence(std::size_t fewest, std::size_t most) const {
  const search::StrategyKind& small = of(fewest);
  const search::StrategyKind& large = of(most);
  const std::string names = &small == &large ? fmt::format("{}: {}", small.name, small.description)
                                             : fmt::format("{} or {}, by size", small.name, large.name);
  return fmt::format("strategy {}; {} configurations a size{}", names, range_text(fewest, most),
                     m_is_auto ? fmt::format(" (auto: {})", rule()) : "");
}

}  // namespace tuner::sweep
