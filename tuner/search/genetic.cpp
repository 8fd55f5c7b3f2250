#include "tuner/search/genetic.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tuner/search/neighbourhood.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/search/order_statistics.hpp"

namespace tuner::search {
namespace {

constexpr std::array known_genetic_settings = {
    Setting{"population", 20, 2, 10000, true, "how many of the fastest have offspring"},
    Setting{"mutation", 0.1, 0, 1, false, "how often a child differs in one parameter more"},
};

class Genetic final : public Strategy {
 public:
  Genetic(const SearchSpace& space, std::uint64_t seed, const Settings& settings)
      : m_random(seed),
        m_open(space, m_random),
        m_neighbourhood(space),
        m_most(settings.count("population")),
        m_mutation(settings.number("mutation")) {
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
  std::optional<Outlook> outlook() const override {
    return m_open.count() == 0 ? std::optional(exhausted()) : std::nullopt;
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

  RandomSource m_random;
  OpenCandidates m_open;
  Neighbourhood m_neighbourhood;
  std::size_t m_most;
  double m_mutation;
  std::size_t m_drawn = 0;
  std::vector<std::pair<double, std::size_t>> m_population;  ///< fastest first
};

}  // namespace

std::span<const Setting> genetic_settings() {
  return known_genetic_settings;
}

std::unique_ptr<Strategy> genetic(const SearchSpace& space, std::uint64_t seed, const Settings& settings) {
  return std::make_unique<Genetic>(space, seed, settings);
}

}  // namespace tuner::search
