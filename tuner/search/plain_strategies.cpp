#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tuner/search/open_candidates.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {
namespace {

class FixedOrder : public Strategy {
 public:
  /// Without an order: as they are written.
  FixedOrder(const SearchSpace& space, std::optional<RandomOrderOf> order, std::string origin)
      : m_space(space),
        m_order(std::move(order)),
        m_origin(std::move(origin)),
        m_left(space.size() - space.known.count() - space.begun.size()) {}

  std::optional<Proposal> next() override {
    while (m_next < m_space.size() && is_taken(at(m_next))) ++m_next;
    if (m_next == m_space.size()) return std::nullopt;
    --m_left;
    return Proposal{at(m_next++), m_origin};
  }
  void report(std::size_t, const Result&) override {}
  std::optional<Outlook> outlook() const override {
    return m_left == 0 ? std::optional(exhausted()) : std::nullopt;
  }

 protected:
  std::size_t left() const { return m_left; }
  const SearchSpace& space() const { return m_space; }

 private:
  bool is_taken(std::size_t candidate) const {
    return m_space.known[candidate] || m_space.is_begun(candidate);
  }
  std::size_t at(std::size_t place) const { return m_order ? (*m_order)[place] : place; }

  const SearchSpace& m_space;
  std::optional<RandomOrderOf> m_order;
  std::string m_origin;
  std::size_t m_next = 0;
  std::size_t m_left;
};

/// What was tried is a sample of the space, so it says what may be left.
class RandomOrder final : public FixedOrder {
 public:
  RandomOrder(const SearchSpace& space, RandomOrderOf order)
      : FixedOrder(space, std::move(order), "random"), m_candidates(space.size()) {
    space.known.for_each([this](std::size_t, const Result& known) { add(known); });
    m_not_drawn = m_tried + space.begun.size();
  }
  void report(std::size_t candidate, const Result& result) override {
    if (!space().is_begun(candidate)) ++m_drawn;
    add(result);
  }
  std::optional<Outlook> outlook() const override {
    // Those under way count among the left: nothing is known of them.
    if (left() == 0) return exhausted();
    auto outlook = order_statistics(m_log_times, m_tried, m_candidates - m_tried);
    // What was known before need not have been drawn at random.
    if (outlook && m_drawn > 0) outlook->faster = most_faster(m_candidates - m_not_drawn, m_drawn);
    return outlook;
  }

 private:
  void add(const Result& result) {
    ++m_tried;
    if (const auto time_ns = comparable_time_ns(result)) m_log_times.push_back(std::log(*time_ns));
  }

  std::size_t m_candidates;
  std::size_t m_tried = 0;
  std::size_t m_not_drawn = 0;
  std::size_t m_drawn = 0;
  std::vector<double> m_log_times;
};

}  // namespace

const StrategyKind random_order = {
    "random",
    "every configuration, in an order drawn from the seed",
    {},
    [](const SearchSpace& space, std::uint64_t seed, const Settings&) -> std::unique_ptr<Strategy> {
      RandomSource random(seed);
      return std::make_unique<RandomOrder>(space, RandomOrderOf(space.size(), random));
    }};

const StrategyKind written_order = {
    "exhaustive",
    "every configuration, in the order the spec's lists give",
    {},
    [](const SearchSpace& space, std::uint64_t, const Settings&) -> std::unique_ptr<Strategy> {
      return std::make_unique<FixedOrder>(space, std::nullopt, "listed");
    }};

namespace {

/// Goes by results, from place to place in the space.
class Wandering : public Strategy {
 public:
  Wandering(const SearchSpace& space, std::uint64_t seed, const Settings& settings)
      : m_random(seed), m_open(space, m_random), m_neighbourhood(space), m_ahead(settings.count("ahead")) {}
  std::size_t lookahead() const override { return m_ahead; }
  std::optional<Outlook> outlook() const override {
    return m_open.count() == 0 ? std::optional(exhausted()) : std::nullopt;
  }

 protected:
  RandomSource m_random;
  OpenCandidates m_open;
  Neighbourhood m_neighbourhood;

 private:
  std::size_t m_ahead;
};

constexpr std::array local_settings = {
    Setting{"kick", 3, 1, 100, true, "steps away from the best when no neighbour is faster"},
    Setting{"restart", 0.3, 0, 1, false, "how often it jumps to a random place instead"},
    ahead_setting,
};

class LocalSearch final : public Wandering {
 public:
  LocalSearch(const SearchSpace& space, std::uint64_t seed, const Settings& settings)
      : Wandering(space, seed, settings),
        m_kick(settings.count("kick")),
        m_restart(settings.number("restart")) {
    space.known.for_each([this](std::size_t i, const Result& known) { learn(i, known); });
  }

  std::optional<Proposal> next() override {
    while (!m_around.empty()) {
      const std::size_t candidate = m_around.back();
      m_around.pop_back();
      if (!m_open.contains(candidate)) continue;
      m_near.insert(candidate);
      return propose(candidate, "local");
    }
    // While neighbours are under way the place may still move; others are tried meanwhile.
    if (m_near.empty()) m_here.reset();
    const auto candidate = elsewhere();
    if (!candidate) return std::nullopt;
    return propose(*candidate, "random");
  }

  void report(std::size_t candidate, const Result& result) override {
    m_near.erase(candidate);
    learn(candidate, result);
  }

 private:
  struct Place {
    std::size_t candidate;
    double time_ns;
  };

  Proposal propose(std::size_t candidate, const char* origin) {
    m_open.take(candidate);
    return {candidate, origin};
  }

  void learn(std::size_t candidate, const Result& result) {
    const auto time_ns = comparable_time_ns(result);
    if (!time_ns || result.status == model::TrialStatus::dropped) return;
    if (!m_best || *time_ns < m_best->time_ns) m_best = Place{candidate, *time_ns};
    if (m_here && *time_ns >= m_here->time_ns) return;
    m_here = Place{candidate, *time_ns};
    const std::vector<std::size_t> around = m_neighbourhood.around(candidate);
    m_around.clear();
    for (const std::size_t i : shuffled(around.size(), m_random)) m_around.push_back(around[i]);
  }

  std::optional<std::size_t> elsewhere() {
    if (m_best && m_random.unit() >= m_restart) {
      std::size_t candidate = m_best->candidate;
      for (std::size_t step = 0; step < m_kick; ++step)
        candidate = m_neighbourhood.step(candidate, m_random).value_or(candidate);
      if (m_open.contains(candidate)) return candidate;
    }
    return m_open.first();
  }

  std::size_t m_kick;
  double m_restart;
  std::optional<Place> m_here;  ///< whose neighbours are tried; nothing: the next result is
  std::optional<Place> m_best;
  std::vector<std::size_t> m_around;
  std::unordered_set<std::size_t> m_near;  ///< neighbours under way
};

}  // namespace

const StrategyKind local_search = {"local",
                                   "neighbours of the best, with jumps and new starts where none is faster",
                                   local_settings, make_strategy<LocalSearch>};

namespace {

constexpr std::array known_genetic_settings = {
    Setting{"population", 20, 2, 10000, true, "how many of the fastest have offspring"},
    Setting{"mutation", 0.1, 0, 1, false, "how often a child changes one more parameter"},
    ahead_setting,
};

class Genetic final : public Wandering {
 public:
  Genetic(const SearchSpace& space, std::uint64_t seed, const Settings& settings)
      : Wandering(space, seed, settings),
        m_most(settings.count("population")),
        m_mutation(settings.number("mutation")),
        m_drawn(space.begun.size()) {
    space.known.for_each([this](std::size_t i, const Result& known) { report(i, known); });
  }

  std::optional<Proposal> next() override {
    const auto offspring = m_drawn < m_most || m_population.size() < 2 ? std::nullopt : child();
    const auto candidate = offspring ? offspring : m_open.first();
    if (!candidate) return std::nullopt;
    ++m_drawn;
    m_open.take(*candidate);
    return Proposal{*candidate, offspring ? "genetic" : "random"};
  }

  void report(std::size_t candidate, const Result& result) override {
    const auto time_ns = comparable_time_ns(result);
    if (!time_ns) return;
    const std::pair member{*time_ns, candidate};
    m_population.insert(std::upper_bound(m_population.begin(), m_population.end(), member), member);
    if (m_population.size() > m_most) m_population.pop_back();
  }

 private:
  /// The better of two at random.
  std::size_t parent() {
    const std::size_t one = m_random.below(m_population.size());
    const std::size_t other = m_random.below(m_population.size());
    return m_population[std::min(one, other)].second;
  }

  std::optional<std::size_t> child() {
    constexpr int tries = 50;
    for (int attempt = 0; attempt < tries; ++attempt) {
      const std::size_t mother = parent();
      // Relatives that have nothing new between them are mutated.
      auto child = m_neighbourhood.cross(mother, parent(), m_random);
      if (!child || !m_open.contains(*child) || m_random.unit() < m_mutation)
        child = m_neighbourhood.step(child.value_or(mother), m_random);
      if (child && m_open.contains(*child)) return child;
    }
    return std::nullopt;
  }

  std::size_t m_most;
  double m_mutation;
  std::size_t m_drawn;
  std::vector<std::pair<double, std::size_t>> m_population;  ///< fastest first
};

}  // namespace

const StrategyKind genetic = {"genetic", "children of two of the fastest", known_genetic_settings,
                              make_strategy<Genetic>};

}  // namespace tuner::search
