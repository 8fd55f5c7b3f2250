#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_journey.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// Trials were dropped for the best of their day. Once a group has raced, those are measured again that might
/// be the best of today, whichever kernel they are of: the one that they were dropped for may have been
/// edited, and run alone.
class Reopening : SweepPart {
 public:
  Reopening(const Request& request, const TrialList& list, Services& services, TrialJourney& trials)
      : SweepPart(request, list, services), m_trials(trials) {}

  /// Begins those of a group that has raced, `most` of them at most, the fastest and what is near it. Returns
  /// how many there are: what they show decides which come next. None for a part of the trials alone, as
  /// those of some bits are: it knows too little. None of a recording, which has no more to say.
  std::size_t begin(std::size_t group, std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// Groups whose trials have been begun here and have ended, each once.
  std::vector<std::size_t> take_ended();
  bool empty() const { return m_groups.empty(); }

 private:
  struct Open {
    const Work* work = nullptr;
    Trial trial;
    double time_ns = 0;  ///< when it was dropped
  };
  /// Those that might be the best and whose specs are at hand, fastest first, without those of this run.
  std::vector<Open> open(const model::Problem& problem);
  void say_absent(const std::map<std::string, std::size_t>& absent, const model::Problem& problem);

  TrialJourney& m_trials;
  std::set<model::Digest> m_tried;
  std::set<std::string> m_told;  ///< of absent kernels
  std::set<std::size_t> m_groups;
};

}  // namespace tuner::sweep
