#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/explain/explain.hpp"

/// What rules share; see rules() for what each looks at.
namespace tuner::explain {

using Findings = std::vector<Finding>;

/// A flaw of this share of the time, and a limit; see Finding::weight.
inline double flaw(double share) {
  return 1 + share;
}

/// `75 %`, `4.2 %`, `0.31 %`
std::string percent(double share);
/// What a trial loses by the winner, `~4.2 %` where it was dropped early.
std::string loss(double ratio, bool is_bound);
/// A number for people: three digits, and a letter for thousands: `1.24 M`, `48.1 T`, `17`, `2.5`.
std::string number(double value);
/// `44.6 µs`
std::string duration(double seconds);

/// Seconds that the trial takes; nothing where it was not timed.
std::optional<double> seconds_of(const model::TrialRecord& trial);
std::int64_t blocks_of(const model::TrialRecord& trial);
std::int64_t threads_of(const model::TrialRecord& trial);
std::int64_t warps_of(const model::TrialRecord& trial);  ///< of a block

/// Of the winner.
inline const model::Ceiling* ceiling_of(const Subject& subject, std::string_view kind) {
  return ceiling_of(subject.winner.trial, kind, subject.ceilings);
}

/// The value of a counter, by the first of NVIDIA's names that was counted.
std::optional<double> counted(const Side& side, std::initializer_list<std::string_view> metrics);

/// Whether memory or arithmetic is at 90 % of what the device reaches: then idle multiprocessors cost little.
bool is_device_at_limit(const Subject& subject);
/// Or a pipe of the multiprocessors that are at work: then idle lanes and waiting warps cost little.
bool is_at_limit(const Subject& subject);

/// Plain words for NVIDIA's name of a metric that is counted unasked; another name stays as it is.
std::string words_of(const std::string& metric);
/// Whether two trials whose counters are so far apart can differ in time because of it.
bool is_large_enough(const Side& winner, const std::string& metric, double apart);

/// Issue slots of the hot loop that go to loads and stores of global and shared memory.
int memory_instructions(const sass::Mix& mix);

// The rules, a file for each kind of evidence.
Findings find_ceiling(const Subject& subject);
Findings find_launch(const Subject& subject);
Findings find_few_blocks(const Subject& subject);
Findings find_few_warps(const Subject& subject);
Findings find_tail(const Subject& subject);

Findings find_spills(const Subject& subject);
Findings find_doubles(const Subject& subject);
Findings find_unchanged_loads(const Subject& subject);
Findings find_load_units(const Subject& subject);
Findings find_issue_slots(const Subject& subject);

Findings find_uncoalesced(const Subject& subject);
Findings find_bank_conflicts(const Subject& subject);
Findings find_divergence(const Subject& subject);
Findings find_traffic(const Subject& subject);
Findings find_busy_pipe(const Subject& subject);
Findings find_stalls(const Subject& subject);

Findings find_rival(const Subject& subject);
Findings find_influence(const Subject& subject);
Findings find_ends(const Subject& subject);
Findings find_constraints(const Subject& subject);
Findings find_occupancy(const Subject& subject);

/// One configuration: the place of its value in each parameter's list, and the logarithm of its time.
struct Observation {
  std::vector<int> values;
  double log_time = 0;
  bool is_bound = false;  ///< it takes at least this: it was dropped early
};

/// How much of the variance of log time goes with parameters, alone or in pairs.
struct VarianceShares {
  struct Share {
    std::size_t first = 0;
    std::size_t second = 0;  ///< of a pair what neither says alone; the same as `first`: no pair
    double share = 0;
    bool is_pair() const { return first != second; }
  };
  std::vector<Share> shares;  ///< largest first; those below 1 % are left out
  /// Of the variance of configurations that a tree has not seen, what the trees foretell; at most 1. Where it
  /// is small, so is what the shares say.
  double foretold = 0;
};

/// Functional analysis of variance over a forest of regression trees (Hutter, Hoos and Leyton-Brown, An
/// efficient approach for assessing hyperparameter importance, ICML 2014), each parameter's values weighed by
/// how often they were tried. A bound that the trees take for too small is lifted to what they foretell
/// (Schmee and Hahn, A simple method for regression analysis with censored data, Technometrics 1979). Equal
/// observations give equal shares. `levels`: how many values each parameter has.
VarianceShares variance_shares(const std::vector<int>& levels, std::vector<Observation> observations);

}  // namespace tuner::explain
