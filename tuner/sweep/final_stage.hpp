#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuner/sweep/compile_ahead.hpp"

namespace tuner::sweep {

/// Holds the final of each problem once all its trials have raced: the best are measured again in turn, and
/// what is said of the winner comes from that. See model::FinalJob.
class FinalStage {
 public:
  /// The references must outlive the object.
  FinalStage(const Request& request, const TrialList& list, Services& services, CompileAhead& compiling);

  /// A trial of `group` that raced well may be needed again: keeps its binary for as long as it is among the
  /// best.
  void remember(const Compiled& trial);
  /// The final of `group`, unless the last one has considered all who would be in it. One that cannot be held
  /// is said and leaves the trials as they raced. Returns whether one was held.
  bool hold(std::size_t group);
  /// The finals of all problems that trials are remembered of; how many were held. None begins after `until`
  /// by the clock, and those that do are shortened to end near it.
  int hold_rest(double until);

 private:
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

  void shorten(model::FinalJob& job) const;
  Contest contest(std::size_t group);
  /// A trial of the past as this sweep would do it; nothing where its kernel's spec is not at hand, or its
  /// binary cannot be made any more.
  std::optional<Contestant> again(std::size_t group, const model::TrialRecord& record);
  const Work* work_of(const model::TrialRecord& record) const;
  void record(Contest& contest, const model::FinalOutcome& outcome);

  const Request& m_request;
  const TrialList& m_list;
  Services& m_services;
  CompileAhead& m_compiling;
  std::map<std::size_t, std::vector<Compiled>> m_best;  ///< by group, fastest first
  double m_until = std::numeric_limits<double>::infinity();
};

}  // namespace tuner::sweep
