#include "bench/search/laboratory.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/search/strategies.hpp"

namespace bench {

using namespace tuner;
using device::replay::RecordedSpace;

namespace {

constexpr double ns_per_ms = 1e6;

search::Result result_of(const RecordedSpace::Entry& entry) {
  return {entry.status, entry.time_ns};
}

/// Positions of the values of `other`'s parameters among ours; nothing where we have no such value.
using Translation = std::vector<std::vector<std::optional<std::uint16_t>>>;

std::optional<Translation> translation(const RecordedSpace& ours, const RecordedSpace& other) {
  Translation places;
  for (const model::ParameterSpec& parameter : ours.parameters) {
    const model::ParameterSpec* theirs = nullptr;
    for (const model::ParameterSpec& candidate : other.parameters)
      if (candidate.name == parameter.name) theirs = &candidate;
    if (!theirs) return std::nullopt;
    auto& place = places.emplace_back();
    for (const model::Value& value : parameter.values) {
      const auto found = std::find(theirs->values.begin(), theirs->values.end(), value);
      place.push_back(found == theirs->values.end()
                          ? std::nullopt
                          : std::optional(static_cast<std::uint16_t>(found - theirs->values.begin())));
    }
  }
  return places;
}

}  // namespace

Laboratory::Laboratory(RecordedSpace recorded)
    : m_recorded(std::move(recorded)),
      m_spec(device::replay::recorded_kernel(m_recorded)),
      m_configurations(m_spec.parameters) {
  m_space.problem.family = m_spec.family;
  for (std::size_t d = 0; d < m_spec.sizes.size(); ++d)
    m_space.problem.sizes.push_back(
        {m_spec.sizes[d], d < m_recorded.problem.size() ? m_recorded.problem[d] : 1});
  m_space.kernels = {{&m_spec, &m_configurations}};
  m_configurations.reserve(m_recorded.entries.size());
  for (const RecordedSpace::Entry& entry : m_recorded.entries) {
    m_space.candidates.push_back({0, m_configurations.size()});
    m_configurations.add(entry.coordinates);
  }
  m_space.known.resize(m_space.size());
  m_space.priors = [this] { return m_priors; };
}

search::Result Laboratory::result(std::size_t candidate) const {
  return result_of(m_recorded.entries[candidate]);
}

std::vector<double> Laboratory::times_ms() const {
  std::vector<double> times;
  for (const RecordedSpace::Entry& entry : m_recorded.entries)
    times.push_back(entry.time_ns ? *entry.time_ns / ns_per_ms : std::numeric_limits<double>::quiet_NaN());
  return times;
}

void Laboratory::set_prior(const RecordedSpace& other) {
  m_priors.clear();
  const auto places = translation(m_recorded, other);
  if (!places) throw model::Error("the prior lacks a parameter of the space");
  std::map<std::vector<std::uint16_t>, std::size_t> theirs;
  for (std::size_t i = 0; i < other.entries.size(); ++i) {
    // Parameters in our order.
    std::vector<std::uint16_t> key;
    for (const model::ParameterSpec& parameter : m_recorded.parameters)
      for (std::size_t p = 0; p < other.parameters.size(); ++p)
        if (other.parameters[p].name == parameter.name) key.push_back(other.entries[i].coordinates[p]);
    theirs.emplace(std::move(key), i);
  }
  search::SearchSpace::Prior prior{other.device.empty() ? "the record" : other.device,
                                   m_space.problem,
                                   !other.device.empty() && other.device == m_recorded.device,
                                   {}};
  for (const RecordedSpace::Entry& entry : m_recorded.entries) {
    std::vector<std::uint16_t> key;
    for (std::size_t p = 0; p < entry.coordinates.size(); ++p)
      if (const auto place = (*places)[p][entry.coordinates[p]]) key.push_back(*place);
    const auto found = theirs.find(key);
    prior.results.push_back(found == theirs.end() ? std::nullopt
                                                  : std::optional(result_of(other.entries[found->second])));
  }
  m_priors.push_back(std::move(prior));
}

Run play(const Laboratory& laboratory, const Play& play, std::size_t forecast_every) {
  using Clock = std::chrono::steady_clock;
  Run run;
  const auto strategy = search::strategy_named(play.strategy).make(laboratory.space(), play.seed);
  const double best_ms = play.best_ms;
  double best_ns = std::numeric_limits<double>::infinity();
  std::deque<std::size_t> under_way;
  while (run.trace.size() < play.most) {
    const auto began = Clock::now();
    while (under_way.size() < play.depth) {
      const auto proposal = strategy->next();
      if (!proposal) break;
      under_way.push_back(proposal->candidate);
      ++run.proposals;
    }
    if (under_way.empty()) break;
    const std::size_t done = under_way.front();
    under_way.pop_front();
    const search::Result result = laboratory.result(done);
    strategy->report(done, result);
    run.strategy_seconds += std::chrono::duration<double>(Clock::now() - began).count();
    run.trace.push_back(done);
    if (result.time_ns) best_ns = std::min(best_ns, *result.time_ns);
    if (forecast_every != 0 && run.trace.size() % forecast_every == 0)
      if (const auto outlook = strategy->outlook())
        run.forecasts.push_back({run.trace.size(), *outlook, 1 - best_ms * ns_per_ms / best_ns});
    if (best_ns <= best_ms * ns_per_ms && forecast_every == 0) break;
  }
  return run;
}

}  // namespace bench
