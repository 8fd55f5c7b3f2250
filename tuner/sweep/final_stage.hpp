#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_spread.hpp"

namespace tuner::sweep {

/// Holds the final of each problem once all its trials have raced: the best are measured again in turn, and
/// what is said of the winner comes from that. See model::FinalJob.
class FinalStage {
 public:
  struct Contestant {
    const Work* work = nullptr;
    Compiled compiled;
  };
  /// Who takes part, and whose place stays empty: a final speaks of those who were there, and says so.
  struct Contest {
    std::vector<Contestant> contestants;
    std::vector<model::FinalRecord::Coverage> coverage;
    std::vector<std::string> absent;  ///< kernels
    bool settled = true;              ///< a final has considered every contestant that is present
  };
  /// A final that is to be held on some device.
  struct Final {
    std::size_t group = 0;
    Contest contest;
    model::FinalJob job;
  };

  /// The references must outlive the object.
  FinalStage(const Request& request, const TrialList& list, Services& services, CompileAhead& compiling,
             const DeviceSpread& spread);

  /// A trial of `group` that raced well may be needed again: keeps its binary for as long as it is among the
  /// best.
  void remember(const Compiled& trial);
  /// The best trial of `group` that is remembered, no library's; null where there is none.
  const Compiled* best(std::size_t group) const;
  /// The final of `group`, unless the last one has considered all who would be in it. The group's trials are
  /// remembered no longer.
  std::optional<Final> prepare(std::size_t group);
  /// Records what came of it on the device `gpu`. One that could not be held is said and leaves the trials as
  /// they raced. Returns whether it was held.
  bool conclude(Final final, const model::FinalOutcome& outcome, const std::string& gpu);
  /// The first group that trials are remembered of.
  std::optional<std::size_t> left() const;
  /// From now on finals are shortened to end near `until` by the clock.
  void end_by(double until) { m_until = until; }

 private:
  void shorten(model::FinalJob& job) const;
  Contest contest(std::size_t group);
  /// Of everyone near enough to the best by their times on whichever device raced them, those who are so once
  /// devices are told apart.
  void correct(model::Field& field) const;
  /// A trial of the past as this sweep would do it; nothing where its kernel's spec is not at hand, or its
  /// binary cannot be made any more.
  std::optional<Contestant> again(std::size_t group, const model::TrialRecord& record);
  const Work* work_of(const model::TrialRecord& record) const;
  void record(Contest& contest, const model::FinalOutcome& outcome, const std::string& gpu);

  const Request& m_request;
  const TrialList& m_list;
  Services& m_services;
  CompileAhead& m_compiling;
  const DeviceSpread& m_spread;
  std::map<std::size_t, std::vector<Compiled>> m_best;  ///< by group, fastest first
  double m_until = std::numeric_limits<double>::infinity();
};

}  // namespace tuner::sweep
