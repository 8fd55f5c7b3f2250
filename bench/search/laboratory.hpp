#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "bench/search/metric.hpp"
#include "tuner/device/replay/recorded_space.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/space/configuration_list.hpp"

namespace bench {

/// A recorded space as a strategy sees one in a sweep. Stays where it is: its parts refer to each other.
class Laboratory {
 public:
  explicit Laboratory(tuner::device::replay::RecordedSpace recorded);
  Laboratory(const Laboratory&) = delete;
  Laboratory& operator=(const Laboratory&) = delete;

  const tuner::search::SearchSpace& space() const { return m_space; }
  const tuner::device::replay::RecordedSpace& recorded() const { return m_recorded; }
  tuner::search::Result result(std::size_t candidate) const;
  std::vector<double> times_ms() const;  ///< not finite: failed
  /// Has strategies see what `other` recorded, as far as its configurations are ours.
  void set_prior(const tuner::device::replay::RecordedSpace& other);

 private:
  tuner::device::replay::RecordedSpace m_recorded;
  tuner::model::KernelSpec m_spec;
  tuner::space::ConfigurationList m_configurations;
  tuner::search::SearchSpace m_space;
  std::vector<tuner::search::SearchSpace::Prior> m_priors;
};

/// How a run is played.
struct Play {
  std::string strategy;
  std::uint64_t seed = 0;
  std::size_t depth = 1;  ///< proposals under way; the oldest result comes first
  std::size_t most = 0;   ///< evaluations
  double best_ms = 0;     ///< ends when this is reached: nothing can change after it
};

/// What a strategy said of the rest at some point of a run, and what was true.
struct Forecast {
  std::size_t evaluations = 0;
  tuner::search::Outlook outlook;
  double true_gain = 0;
};

struct Run {
  Trace trace;
  std::vector<Forecast> forecasts;  ///< after every `forecast_every` results
  double strategy_seconds = 0;      ///< spent in next() and report()
  std::size_t proposals = 0;
};

Run play(const Laboratory& laboratory, const Play& play, std::size_t forecast_every);

}  // namespace bench
