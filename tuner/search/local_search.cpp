#include "tuner/search/local_search.hpp"

#include <array>
#include <string>
#include <vector>

#include "tuner/search/neighbourhood.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/search/order_statistics.hpp"

namespace tuner::search {
namespace {

constexpr std::array local_settings = {
    Setting{"kick", 3, 1, 100, true, "steps away from the best when no neighbour is faster"},
    Setting{"restart", 0.3, 0, 1, false, "how often it goes anywhere instead"},
};

class LocalSearch final : public Strategy {
 public:
  LocalSearch(const SearchSpace& space, std::uint64_t seed, const Settings& settings)
      : m_random(seed),
        m_open(space, m_random),
        m_neighbourhood(space),
        m_kick(settings.count("kick")),
        m_restart(settings.number("restart")) {
    space.known.for_each([this](std::size_t i, const Result& known) { learn(i, known); });
  }

  std::optional<Proposal> next() override {
    while (!m_around.empty()) {
      const std::size_t candidate = m_around.back();
      m_around.pop_back();
      if (m_open.contains(candidate)) return propose(candidate, "local");
    }
    // While neighbours are under way the place may still move; others are tried meanwhile.
    if (m_under_way == 0) m_here.reset();
    const auto candidate = elsewhere();
    if (!candidate) return std::nullopt;
    return propose(*candidate, "random");
  }

  void report(std::size_t candidate, const Result& result) override {
    --m_under_way;
    learn(candidate, result);
  }
  std::optional<Outlook> outlook() const override {
    return m_open.count() == 0 ? std::optional(exhausted()) : std::nullopt;
  }

 private:
  struct Place {
    std::size_t candidate;
    double time_ns;
  };

  Proposal propose(std::size_t candidate, const char* idea) {
    m_open.take(candidate);
    ++m_under_way;
    return {candidate, idea};
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

  RandomSource m_random;
  OpenCandidates m_open;
  Neighbourhood m_neighbourhood;
  std::size_t m_kick;
  double m_restart;
  std::optional<Place> m_here;  ///< whose neighbours are tried; nothing: the next result is
  std::optional<Place> m_best;
  std::vector<std::size_t> m_around;
  std::size_t m_under_way = 0;
};

}  // namespace

std::span<const Setting> local_search_settings() {
  return local_settings;
}

std::unique_ptr<Strategy> local_search(const SearchSpace& space, std::uint64_t seed,
                                       const Settings& settings) {
  return std::make_unique<LocalSearch>(space, seed, settings);
}

}  // namespace tuner::search
