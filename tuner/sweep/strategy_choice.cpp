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
  m_small.text = m_is_auto ? every_configuration : text;
  m_small.kind = known ? known : &search::strategy_kind(m_small.text);
  m_large = m_small;
  if (!m_is_auto) return;
  // As long as nothing learns, all are tried.
  if (const auto* shipped = find(search::strategies(), learning)) m_large = {learning, shipped};
  if (const auto* given = find(own, learning)) m_large = {learning, given};
}

std::unique_ptr<search::Strategy> StrategyChoice::make(std::size_t candidates,
                                                       const search::SearchSpace& space,
                                                       std::uint64_t seed) const {
  return of(candidates).kind->make(space, seed);
}

std::string StrategyChoice::rule() const {
  if (m_small.kind == m_large.kind) return "always " + m_small.text;
  return fmt::format("{} up to {} configurations a size, {} above", m_small.text, most_exhaustive,
                     m_large.text);
}

std::string StrategyChoice::sentence(std::size_t fewest, std::size_t most) const {
  const Named& small = of(fewest);
  const Named& large = of(most);
  const std::string names = small.kind == large.kind
                                ? fmt::format("{}: {}", small.text, small.kind->description)
                                : fmt::format("{} or {}, by size", small.text, large.text);
  return fmt::format("strategy {}; {} configurations a size{}", names, range_text(fewest, most),
                     m_is_auto ? fmt::format(" (auto: {})", rule()) : "");
}

}  // namespace tuner::sweep
