#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/search/metric.hpp"
#include "tuner/interchange/recorded_space.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/space/configuration_list.hpp"

namespace bench {

/// A space whose times are known, as a strategy sees one in a sweep. Stays where it is: its parts refer to
/// each other.
class Laboratory {
 public:
  /// One for each kernel that competes, of names that differ.
  explicit Laboratory(std::vector<tuner::interchange::RecordedSpace> kernels);
  Laboratory(const Laboratory&) = delete;
  Laboratory& operator=(const Laboratory&) = delete;

  const tuner::search::SearchSpace& space() const { return m_space; }
  tuner::search::Result result(std::size_t candidate) const;
  std::vector<double> times_ms() const;  ///< not finite: failed
  double best_ns() const;
  /// Has strategies see what `other` recorded, as far as its configurations are those of our only kernel.
  void set_prior(const tuner::interchange::RecordedSpace& other);

 private:
  const tuner::interchange::RecordedSpace::Entry& entry(std::size_t candidate) const;

  std::vector<tuner::interchange::RecordedSpace> m_recorded;
  std::deque<tuner::model::KernelSpec> m_specs;
  std::deque<tuner::space::ConfigurationList> m_lists;
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

struct Run {
  Trace trace;
  double strategy_seconds = 0;  ///< spent in next() and report()
  std::size_t proposals = 0;
};

Run play(const Laboratory& laboratory, const Play& play);

}  // namespace bench
