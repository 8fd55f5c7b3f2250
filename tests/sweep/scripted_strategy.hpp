#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "tuner/search/strategies.hpp"

namespace tuner::test {

/// What a strategy in a test is told to do, and what it saw.
struct StrategyScript {
  std::size_t lookahead = 1;
  std::set<std::size_t> vetoed;  ///< candidates that compiled() turns down
  std::map<std::size_t, double>
      gain_after;                       ///< outlook() by the number of results so far; the last that fits
  std::optional<std::size_t> surprise;  ///< candidate after whose result outlook() expects half of the time
  std::optional<double> high;           ///< upper end of each outlook; absent: twice its gain
  std::string origin = "scripted";

  struct Seen {
    std::vector<std::size_t> compiled;
    std::map<std::size_t, search::BinaryFacts> facts;
    std::map<std::size_t, search::Result> known;  ///< before the first proposal
    std::map<std::size_t, search::Result> reported;
    std::vector<search::SearchSpace::Prior> priors;  ///< as they are at the first proposal
    std::size_t candidates = 0;
  };
  std::vector<Seen> seen;  ///< one for each search, in the order they began
};

/// Proposes in written order what is not known.
class ScriptedStrategy final : public search::Strategy {
 public:
  ScriptedStrategy(const search::SearchSpace& space, StrategyScript& script)
      : m_space(space), m_script(script), m_index(script.seen.size()) {
    script.seen.emplace_back();
    seen().candidates = space.size();
    space.known.for_each([this](std::size_t i, const search::Result& result) { seen().known[i] = result; });
  }
  std::optional<search::Proposal> next() override {
    if (m_next == 0 && m_space.priors) seen().priors = m_space.priors();
    while (m_next < m_space.size() && (m_space.known[m_next] || m_space.is_begun(m_next))) ++m_next;
    if (m_next == m_space.size()) return std::nullopt;
    return search::Proposal{m_next++, m_script.origin};
  }
  bool compiled(std::size_t candidate, const search::BinaryFacts& facts) override {
    seen().compiled.push_back(candidate);
    seen().facts[candidate] = facts;
    return !m_script.vetoed.contains(candidate);
  }
  void report(std::size_t candidate, const search::Result& result) override {
    seen().reported[candidate] = result;
  }
  std::size_t lookahead() const override { return m_script.lookahead; }
  std::optional<search::Outlook> outlook() const override {
    if (m_script.surprise && m_script.seen[m_index].reported.contains(*m_script.surprise))
      return search::Outlook{0.5, 0, 1, "script"};
    const auto after = m_script.gain_after.upper_bound(m_script.seen[m_index].reported.size());
    if (after == m_script.gain_after.begin()) return std::nullopt;
    const double gain = std::prev(after)->second;
    return search::Outlook{gain, 0, m_script.high.value_or(2 * gain), "script"};
  }

 private:
  StrategyScript::Seen& seen() { return m_script.seen[m_index]; }

  const search::SearchSpace& m_space;
  StrategyScript& m_script;
  std::size_t m_index;
  std::size_t m_next = 0;
};

/// The script that strategies made by `scripted_kind` follow.
inline StrategyScript script;

inline search::StrategyKind scripted_kind(std::string_view name = "scripted", bool learns = false) {
  search::StrategyKind kind;
  kind.name = name;
  kind.description = "as a test says";
  kind.make = [](const search::SearchSpace& space, std::uint64_t,
                 const search::Settings&) -> std::unique_ptr<search::Strategy> {
    return std::make_unique<ScriptedStrategy>(space, script);
  };
  kind.learns = learns;
  return kind;
}

}  // namespace tuner::test
