#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "db/connection.hpp"
#include "db/statement.hpp"
#include "db/stored_records.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// Which trials to list; what is empty or absent selects nothing out.
struct TrialFilter {
  std::string family;
  std::string kernel;
  std::string device;  ///< model name, or any part of one where none is called so, in any case
  std::optional<tuner::model::Environment> environment;
  std::optional<tuner::model::Problem> problem;
  std::optional<tuner::model::TrialStatus> status;
  std::optional<bool> superseded;           ///< false: what today's specs describe; true: the rest
  bool failures = false;                    ///< only statuses with model::is_failure
  std::optional<tuner::model::Digest> run;  ///< that measured them last
  std::int64_t after_sequence = std::numeric_limits<std::int64_t>::min();  ///< only later results
  bool ceilings = true;  ///< also of kernels that measure what a device can do
};

/// What today's specs describe of a case.
inline TrialFilter trials_of(const tuner::model::Problem& problem,
                             const tuner::model::Environment& environment) {
  TrialFilter filter;
  filter.problem = problem;
  filter.environment = environment;
  filter.superseded = false;
  return filter;
}

/// What else than its row a trial is read with.
struct Detail {
  bool samples = false;  ///< fill Measurement::samples_ns too
  /// Those before the current one, with their samples; of is_condemned() ones all.
  bool measurements = false;
};

/// Calls `visit` with each trial that `filter` selects and, where asked for, its earlier measurements, oldest
/// first: by family, problem, environment, kernel, then time (those without one last). The order depends on
/// the trials alone, not on when they came. One query, whatever their number; not to be called from `visit`.
void for_each_trial(const Connection& db, const TrialFilter& filter, const Detail& detail,
                    const std::function<void(StoredTrial&&)>& visit);
/// The runs that had any outcome of these trials.
std::set<tuner::model::Digest> runs_of_trials(const Connection& db, const TrialFilter& filter);

/// Reads one trial after another by their ids.
class TrialLoader {
 public:
  explicit TrialLoader(const Connection& db);
  std::optional<tuner::model::TrialRecord> find(const tuner::model::Digest& key, bool with_samples);
  /// Without raw samples. Throws model::Error where there is none.
  tuner::model::TrialRecord load(const tuner::model::Digest& key);
  std::vector<tuner::model::TrialRecord> load(const std::vector<tuner::model::Digest>& keys);

 private:
  Statement m_select;
};

/// The trials themselves, in the order of for_each_trial(), without raw samples.
std::vector<tuner::model::TrialRecord> trials(const Connection& db, const TrialFilter& filter);
std::int64_t count_trials(const Connection& db, const TrialFilter& filter);
/// Of all kernels and families in the database.
std::vector<std::string> kernel_and_family_names(const Connection& db);

/// Complete, samples included.
std::optional<tuner::model::TrialRecord> find_trial(const Connection& db, const tuner::model::Digest& key);
/// The trial whose identifier starts with `prefix` (hexadecimal, at least 4 digits). Throws: UsageError where
/// that is no prefix or several trials have it (some are named), Error with nothing_found where none has.
tuner::model::TrialRecord find_trial(const Connection& db, const std::string& prefix);
/// At most `most` of those whose identifier starts with `prefix`, in their order; none where it cannot begin
/// one.
std::vector<tuner::model::Digest> trials_beginning(const Connection& db, const std::string& prefix,
                                                   std::size_t most);
/// Whether today's spec of its kernel no longer describes the trial, so that it does not compete.
bool is_superseded(const Connection& db, const tuner::model::Digest& trial);
/// All measurements of a trial, oldest first, with their samples.
std::vector<StoredMeasurement> measurements(const Connection& db, const tuner::model::Digest& trial);

/// How a trial that was measured again did at first.
struct FirstRace {
  std::string measured_at;
  double median_ns = 0;
};
std::map<tuner::model::Digest, FirstRace> first_races(const Connection& db);

/// What probes said, by identifier.
std::vector<tuner::model::ProbeVerdict> verdicts(const Connection& db);

/// Newest first.
std::vector<tuner::model::RunRecord> runs(const Connection& db);
/// The trials whose current result is of that run, or of one that began later.
std::set<tuner::model::Digest> trials_since(const Connection& db, const tuner::model::Digest& run);
/// Every device that ever ran a sweep, by name; `id` as it was last addressed.
std::vector<tuner::model::DeviceInfo> devices(const Connection& db);

/// What was counted of a trial, or of all, by trial and metric.
std::vector<StoredCounter> counters(const Connection& db,
                                    const std::optional<tuner::model::Digest>& trial = std::nullopt);

/// Where the specs of kernels were when a sweep last read them, as far as that is known. `family` and
/// `kernel` may be empty: any.
std::vector<std::string> declared_paths(const Connection& db, const std::string& family,
                                        const std::string& kernel);

/// One problem in one class: the trials that compete for one `best`. Libraries do not count.
struct Case {
  tuner::model::Problem problem;
  tuner::model::Environment environment;
  std::int64_t ok = 0;
  std::int64_t dropped = 0;
  std::int64_t skipped = 0;
  std::int64_t failed = 0;
  std::string latest;  ///< when one of its trials was last measured
  std::int64_t trials() const { return ok + dropped + skipped + failed; }
};

/// What today's specs describe, from the tallies alone: cheap on any database. Of the filter its status and
/// `superseded` do not count. By family, then the class measured most recently first, then
/// problem.
std::vector<Case> cases(const Connection& db, const TrialFilter& filter = {});

/// Whether every trial of the case was last measured by a run of this strategy.
bool is_only_of_strategy(const Connection& db, const Case& tuning_case, const std::string& strategy);

/// A launch whose end was not seen: the process died with the machine, or is still at it.
struct OpenAttempt {
  tuner::model::Digest trial;
  std::string kernel;
  tuner::model::Configuration configuration;
  tuner::model::Problem problem;
  std::string device;
  std::int64_t pid = 0;
  bool this_boot = false;  ///< of this machine; else it was open when a machine went down
  bool is_alive = false;   ///< of this boot, and its process is there
  std::string opened_at;
};
std::vector<OpenAttempt> open_attempts(const Connection& db);

/// A WHERE clause put together from parts, with the values of its parameters.
class Condition {
 public:
  using Value = std::variant<std::int64_t, std::string, tuner::model::Digest>;

  void add(const std::string& clause) { m_clauses.push_back(clause); }
  void add(const std::string& clause, Value value);
  /// Of kernels k.
  void add_kernel(const TrialFilter& filter) {
    if (!filter.kernel.empty()) add("k.name = ?", filter.kernel);
  }
  /// ` WHERE … AND …`, or nothing.
  std::string text() const;
  void bind_to(Statement::Use& use) const;

 private:
  std::vector<std::string> m_clauses;
  std::vector<Value> m_values;
};

/// The part of a filter that names cases, its kernel aside: in problems p, cases n and environments c.
Condition case_condition(const TrialFilter& filter);

}  // namespace db
