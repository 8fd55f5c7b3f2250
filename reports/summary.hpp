#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/explain/explain.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/model/winner.hpp"

namespace reports {

namespace model = tuner::model;

/// How to build what a winner is, for a page.
struct Usage {
  std::string command;    ///< `tuner best …`, to which a format is added
  std::string selection;  ///< ` --family …`: what any command about all sizes of the family takes
  std::string flags;      ///< of nvcc, as `tuner best --format flags` prints them; empty: they cannot be said
};

/// Of trials how many ended how, and when they were measured.
struct Tally {
  std::map<model::TrialStatus, std::int64_t> statuses;
  std::string first;  ///< empty: unknown
  std::string last;
  void add(const model::TrialRecord& trial);
  void add(const Tally& other);
  std::int64_t trials() const;
};

/// Trials of one problem in one environment that a report counts and does not name.
struct Unnamed {
  model::Problem problem;
  model::Digest environment;
  Tally tally;
};

using Visit = std::function<void(const model::TrialRecord&)>;

/// Everything a report is made from: rows as remembered, and how they were asked for. No report reads
/// anything else, so equal inputs give equal documents, byte for byte.
struct ReportInput {
  std::string title = "Tuning report";
  std::string command;                 ///< reproduces the report; shown as written
  std::string generated_at;            ///< UTC, ISO 8601
  std::vector<std::string> notes;      ///< paragraphs shown under the title
  std::vector<model::RunRecord> runs;  ///< give the device's properties and the sweeps' command lines
  /// Of any number of environments, families and problems, in any order: all, or those that its tables and
  /// charts name (NamedTrials).
  std::vector<model::TrialRecord> trials;
  std::vector<Unnamed> unnamed;  ///< the others
  /// Visits all, or those of one environment, in one order each time; empty: `trials` are all.
  std::function<void(const model::Environment*, const Visit&)> each_trial;
  db::BestAnswers answers;               ///< what to use of each problem and environment; decided elsewhere
  std::vector<model::Ceiling> ceilings;  ///< of any devices
  std::string
      pivot;  ///< parameter whose values are table columns; empty, or unknown to a kernel: a table for each
  std::size_t id_digits = 7;              ///< of trials' identifiers that tell them apart
  std::map<model::Digest, Usage> usages;  ///< by the winner; a page shows those it finds
  std::map<model::Digest, std::vector<tuner::explain::Finding>> explanations;  ///< by the winner
  std::map<model::Digest, std::vector<model::Counter>> counters;  ///< of trials that were counted
  std::map<model::Digest, db::FirstRace> first_races;  ///< of trials that were measured again; for a page
  std::string database_flag;  ///< behind commands that a page gives; ` --db FILE` or empty
};

/// All trials, or those of one environment.
void for_each_trial(const ReportInput& input, const model::Environment* environment, const Visit& visit);

/// Views of rows that someone else keeps alive.
using Trials = std::vector<const model::TrialRecord*>;

Trials view(const std::vector<model::TrialRecord>& trials);

/// The trials of one environment; what is in different groups is never compared.
struct EnvironmentGroup {
  model::Environment environment;
  Trials trials;
};

/// Groups in order of Environment::text().
std::vector<EnvironmentGroup> by_environment(const Trials& trials);

/// Trials whose problems are of one kind.
struct FamilyGroup {
  std::string name;  ///< the family's; the kind's where the family has several
  Trials trials;
};

/// Groups by name.
std::vector<FamilyGroup> by_family(const Trials& trials);

/// Where a trial's median comes from and how far it can be trusted.
bool has_time(const model::TrialRecord& trial);        ///< it was measured at all
bool is_trusted(const model::TrialRecord& trial);      ///< its status lets its time compete
bool is_approximate(const model::TrialRecord& trial);  ///< measured, but dropped early: shown with `~`
bool has_latency(const model::TrialRecord& trial);     ///< its time includes launch latency: shown with `†`
bool is_unverified(const model::TrialRecord& trial);   ///< measured, and its results were not checked
/// `text`, which follows from its time, with the marks of these: `~1.234 ms† unverified`.
std::string marked(const model::TrialRecord& trial, const std::string& text);
/// `1.234 ms`, so marked; requires has_time.
std::string marked_time(const model::TrialRecord& trial);
constexpr const char* unverified_meaning =
    "unverified: the results were not checked (verify = \"none\"), or a recording does not tell";
constexpr const char* latency_meaning = "† too short to tell from launch latency, which the time includes";
/// Of a thread; empty where they are unknown, or a CPU has none.
std::string registers_text(const model::TrialRecord& trial);
double median_ns(const model::TrialRecord& trial);  ///< requires has_time

/// The fastest trusted trial, or null. Equal medians: fewer registers, then the smaller block, then name and
/// configuration, so that the answer never depends on the order of the rows.
const model::TrialRecord* fastest(const Trials& trials);
/// The same among those with an approximate time.
const model::TrialRecord* fastest_approximate(const Trials& trials);

/// What is known of one problem in one environment.
struct ProblemSummary {
  model::Problem problem;
  Trials trials;
  std::int64_t unnamed = 0;                   ///< trials beside these
  const model::TrialRecord* best = nullptr;   ///< the one to use; null: nothing ran
  const model::FinalRecord* final = nullptr;  ///< by which `best` was found; null: not re-measured
  double in_turn_ns = 0;                      ///< as db::FinalCheck has it, and the next two
  bool is_off_clock = false;
  bool is_settled = true;
  std::int64_t newcomers = 0;                         ///< trials near `best` that no final has considered
  std::vector<std::vector<model::Digest>> same_bits;  ///< see db::BestAnswer
  Trials tied;  ///< others that cannot be told from `best`, fastest first
  const model::TrialRecord* default_trial =
      nullptr;                                  ///< measured default configuration of the winner's kernel
  const model::TrialRecord* slowest = nullptr;  ///< of those measured, approximate ones included
  std::optional<model::Searched> searched;      ///< how far its space has been searched, where that is known
  Trials baselines;                             ///< with a trusted time, fastest first; no part of `trials`
  std::optional<double> over_default;           ///< the default's time by that of `best`

  /// default time / best time; absent when the default was not measured.
  std::optional<double> speedup() const;
};

/// One entry a problem that has trials which may be chosen, in order of family, padding and size. `trials`
/// must be of one environment. The result points into `answers`.
std::vector<ProblemSummary> by_problem(const Trials& trials, const db::BestAnswers& answers,
                                       const std::vector<Unnamed>& unnamed = {});

/// That of a problem in an environment, or null.
const db::BestAnswer* answer_of(const db::BestAnswers& answers, const model::Problem& problem,
                                const model::Environment& environment);

/// How a trial did in its final: null where it took no part, or there was none.
const model::FinalRecord::Entry* standing(const model::FinalRecord* final, const model::TrialRecord& trial);

/// Problems in display order: family, padding, product of the sizes, then the sizes themselves, by name last.
bool problem_less(const model::Problem& a, const model::Problem& b);

struct FailureSummary {
  model::TrialStatus status = model::TrialStatus::ok;
  std::int64_t count = 0;
  const model::TrialRecord* example = nullptr;  ///< the first by kernel, problem and configuration
};

/// Failures by status, most frequent first; `unnamed` are counted too.
std::vector<FailureSummary> failures(const Trials& trials, const Tally& unnamed = {});

/// Those of the environment, and what is not named of it.
Tally tally_of(const EnvironmentGroup& group, const std::vector<Unnamed>& unnamed = {});

/// The metric to show: the first of the kernel of the first trial that has any; empty where none has.
std::string first_metric(const Trials& trials);

/// `1024`, `512x1024x256 pad 32`: what tells problems of one family and environment apart.
std::string size_label(const model::Problem& problem);

/// The assignments that all of these trials have, in the order of the first; there is at least one trial.
std::vector<model::Assignment> common_assignments(const Trials& trials);

/// Every kernel that occurs, by name.
std::vector<std::string> kernel_names(const Trials& trials);

/// Every baseline of these problems, by name.
std::vector<std::string> baseline_names(const std::vector<ProblemSummary>& problems);

/// Those for which `keep` is true, in the same order.
template <typename Predicate>
Trials select(const Trials& trials, Predicate keep) {
  Trials out;
  for (const model::TrialRecord* trial : trials) {
    if (keep(*trial)) out.push_back(trial);
  }
  return out;
}

/// Whether `best` gives the bits of the default of its kernel (null: it has no time): `as the default`,
/// `others`; empty where it is unknown, or it is the default.
std::string bits_text(const model::TrialRecord& best, const model::TrialRecord* untuned);

/// Why a failed trial failed: its detail, or its compiler log; one line.
std::string reason(const model::TrialRecord& trial);

/// Trials of one kernel that failed alike: with the same status, and for the same reason but for numbers
/// that are each trial's own (values, sizes). What a compiler said must be the same throughout, but for the
/// arguments of templates.
struct FailureGroup {
  const model::TrialRecord* example = nullptr;  ///< the first of them
  Trials trials;
};

/// Those of `trials` that are no success, in groups: kernels by name, of each the largest group first. Points
/// into `trials`.
std::vector<FailureGroup> failure_groups(const Trials& trials);

/// All that is known of why a trial failed: its compiler's log, or the detail.
const std::string& whole_reason(const model::TrialRecord& trial);

}  // namespace reports
