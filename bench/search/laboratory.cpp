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
using interchange::RecordedSpace;

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

Laboratory::Laboratory(std::vector<RecordedSpace> kernels) : m_recorded(std::move(kernels)) {
  for (const RecordedSpace& recorded : m_recorded) {
    const model::KernelSpec& spec = m_specs.emplace_back(interchange::recorded_kernel(recorded));
    space::ConfigurationList& list = m_lists.emplace_back(spec.parameters);
    list.reserve(recorded.entries.size());
    for (const RecordedSpace::Entry& entry : recorded.entries) {
      m_space.candidates.push_back({m_space.kernels.size(), list.size()});
      list.add(entry.coordinates);
    }
    m_space.kernels.push_back({&spec, &list});
  }
  const model::KernelSpec& first = m_specs.front();
  m_space.problem.family = first.family;
  for (std::size_t d = 0; d < first.sizes.size(); ++d)
    m_space.problem.sizes.push_back(
        {first.sizes[d], d < m_recorded.front().problem.size() ? m_recorded.front().problem[d] : 1});
  m_space.known.resize(m_space.size());
  m_space.priors = [this] { return m_priors; };
}

const RecordedSpace::Entry& Laboratory::entry(std::size_t candidate) const {
  const search::Candidate one = m_space.candidates[candidate];
  return m_recorded[one.kernel].entries[one.configuration];
}

search::Result Laboratory::result(std::size_t candidate) const {
  return result_of(entry(candidate));
}

std::vector<double> Laboratory::times_ms() const {
  std::vector<double> times;
  for (std::size_t i = 0; i < m_space.size(); ++i)
    times.push_back(entry(i).time_ns ? *entry(i).time_ns / ns_per_ms
                                     : std::numeric_limits<double>::quiet_NaN());
  return times;
}

double Laboratory::best_ns() const {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < m_space.size(); ++i) best = std::min(best, entry(i).time_ns.value_or(best));
  return best;
}

void Laboratory::set_prior(const RecordedSpace& other) {
  m_priors.clear();
  const RecordedSpace& ours = m_recorded.front();
  const auto places = translation(ours, other);
  if (!places) throw model::Error("the prior lacks a parameter of the space");
  std::map<std::vector<std::uint16_t>, std::size_t> theirs;
  for (std::size_t i = 0; i < other.entries.size(); ++i) {
    // Parameters in our order.
    std::vector<std::uint16_t> key;
    for (const model::ParameterSpec& parameter : ours.parameters)
      for (std::size_t p = 0; p < other.parameters.size(); ++p)
        if (other.parameters[p].name == parameter.name) key.push_back(other.entries[i].coordinates[p]);
    theirs.emplace(std::move(key), i);
  }
  search::SearchSpace::Prior prior{other.device.empty() ? "the record" : other.device,
                                   m_space.problem,
                                   !other.device.empty() && other.device == ours.device,
                                   {}};
  for (const RecordedSpace::Entry& entry : ours.entries) {
    std::vector<std::uint16_t> key;
    for (std::size_t p = 0; p < entry.coordinates.size(); ++p)
      if (const auto place = (*places)[p][entry.coordinates[p]]) key.push_back(*place);
    const auto found = theirs.find(key);
    prior.results.push_back(found == theirs.end() ? std::nullopt
                                                  : std::optional(result_of(other.entries[found->second])));
  }
  prior.results.resize(m_space.size());  // of other kernels nothing is known
  m_priors.push_back(std::move(prior));
}

Run play(const Laboratory& laboratory, const Play& play) {
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
    if (best_ns <= best_ms * ns_per_ms) break;
  }
  return run;
}

}  // namespace bench
