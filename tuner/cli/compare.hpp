#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "db/queries.hpp"
#include "reports/table.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/measure/statistics.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/sweep/in_turn.hpp"

namespace tuner::cli {

/// The trial to use of a problem in an environment.
struct BestTrial {
  model::TrialRecord trial;        ///< samples included
  std::vector<double> samples_ns;  ///< all that the run of its current measurement took, race and final
  bool is_of_baseline = false;     ///< then of these alone a few are known
};

/// One of the two things that are compared.
struct Side {
  std::string name;                         ///< as the user gave it
  std::optional<model::TrialRecord> trial;  ///< where it is one trial, samples included
  /// Where it is a run, a database or an export: of each problem in each environment.
  std::vector<BestTrial> best;
};

/// What a user would be told to use of each problem in each environment that `filter` selects.
std::vector<BestTrial> best_in(const db::Connection& connection, db::TrialFilter filter = {});

/// What `name` stands for: a file that exists (a database of the tuner, an export, another tuner's recording,
/// or a baseline), else the beginning of
/// a trial's or a run's identifier in one's own database. A foreign database or export is checked as merging
/// and importing do, and never changed. Throws model::Error where it is none of these.
Side load_side(const std::filesystem::path& own_database, const std::string& name);

/// The file that one commits to hold later results against: of each problem in an environment the
/// configuration that was to be used, its time with interval and a few of its samples, the GPU, and the
/// digest of the kernel's definition. An entry a line, for a readable diff:
/// {"format":"tuner-baseline","version":1,"entries":[…]}.
std::string baseline_text(const std::vector<BestTrial>& best);

/// Whether `file` begins as these do; false where it cannot be read.
bool looks_like_baseline(const std::filesystem::path& file);

/// The inverse, of text that is not trusted. Throws model::Error that names the file and the entry.
std::vector<BestTrial> read_baseline(const std::filesystem::path& file);

/// Two trials of one problem, held against each other.
struct Compared {
  model::TrialRecord a;
  model::TrialRecord b;
  measure::Ratio ratio;  ///< of the time of a by that of b
  measure::Verdict verdict = measure::Verdict::tied;
  std::string how;                ///< where the ratio is from: `the final of 2026-…`
  bool in_turn = false;           ///< both were sampled in turn; else on occasions of their own
  std::vector<double> samples_a;  ///< all that is known of the occasion
  std::vector<double> samples_b;
};

/// The time of one finalist by that of another of the same final: Standing, or FinalRecord::Entry.
template <class Finalist>
measure::Ratio ratio_between(const Finalist& a, const Finalist& b) {
  return measure::quotient({a.ratio, a.ratio_low, a.ratio_high}, {b.ratio, b.ratio_low, b.ratio_high});
}

/// Throws model::UsageError where their problems differ.
void require_one_problem(const model::TrialRecord& a, const model::TrialRecord& b);

/// Two trials by what is stored of them: by the last final both took part in, else by their samples. Throws
/// model::UsageError where their problems or environments differ, or one has no time.
Compared compare_trials(const model::TrialRecord& a, const model::TrialRecord& b,
                        const std::optional<model::FinalRecord>& final);

/// The best of two sides, problem by problem.
struct ComparedSides {
  std::vector<Compared> both;
  std::vector<model::TrialRecord> only_a;
  std::vector<model::TrialRecord> only_b;
};
ComparedSides compare_best(const Side& a, const Side& b);

/// The median and interval that a trial was measured with; throws model::UsageError where it has none.
const model::Measurement& measurement_of(const model::TrialRecord& trial);

/// What --fail-if-slower says: `1%`, `0.5 %` as 0.01, 0.005; nothing where it says nothing. Throws
/// model::UsageError where that is no percentage.
std::optional<double> allowed_share(const std::string& text);

/// What --fail-if-slower finds.
struct Limit {
  double share = 0;                          ///< 0.01: A may be one per cent slower
  std::vector<measure::Slowdown> slowdowns;  ///< parallel to the comparisons
  /// Or why nothing is judged, the launch being too small for the noise that was measured there. Then
  /// its slowdown is undecided.
  std::vector<std::string> refusals;
  bool any_slower() const;
};
Limit judge(const std::vector<Compared>& compared, double share);

/// Two trials in a sentence: which is faster, by how much, and how that is known.
std::string verdict_text(const Compared& compared, const reports::Screen& screen);
/// What is surely too slow, what is undecided, and how many are surely fast enough.
std::string limit_text(const std::vector<Compared>& compared, const Limit& limit, std::size_t columns);
/// Two sides: a table for each family and environment, the changes of configuration, the summary, and in a
/// line each what only one of them has and how far their environments differ.
std::string compare_text(const ComparedSides& sides, const std::optional<Limit>& limit,
                         const reports::Screen& screen);

/// The same with a limit as JUnit's XML, a test case for each problem: failed where A is surely too slow,
/// skipped where that is undecided, not judged, or not measured by A.
std::string compare_junit(const ComparedSides& sides, const Limit& limit);
/// And as annotations of GitHub's workflows: errors, warnings and a notice.
std::string compare_github(const ComparedSides& sides, const Limit& limit);

/// `{"schema_version": 2, "comparisons": […], "summary": {…}, "only_a": […], "only_b": […]}`; times in
/// nanoseconds, ratios of A by B; with a limit `"limit": {"share", "slower", "undecided"}`.
std::string compare_json(const ComparedSides& sides, const std::optional<Limit>& limit);

/// What came of timing kernels in turn on one problem.
struct TimedSize {
  model::Problem problem;
  struct Kernel {
    std::string name;                         ///< as people know it
    std::optional<model::TrialRecord> trial;  ///< with samples; none: it was not tried
    std::string failure;                      ///< why it has no time; empty: it has one
    std::optional<Compared> to_first;         ///< it as A, the first as B
  };
  std::vector<Kernel> kernels;  ///< in the order in which they were named
};

struct TimedKernels {
  std::string device;
  std::vector<std::string> assumed;
  std::string not_compared;  ///< why results were not held against each other; empty: they were
  std::vector<TimedSize> sizes;
  std::optional<double> allowed_share;  ///< what --fail-if-slower says
  int interrupted = 0;                  ///< the exit code of the signal that ended it early; 0: none
};

/// That of a signal; else done, slower where a kernel surely is by more than it may, failed where one has no
/// time.
int exit_code_of(const TimedKernels& timed);

/// A table, then a sentence for each size and kernel behind the first.
std::string timed_text(const TimedKernels& timed, std::size_t columns);
/// `{"schema_version": 1, "device", "assumed", "results_compared", "partial", "exit_code", "sizes": [{…,
/// "kernels": […]}]}`; times in nanoseconds, ratios of a kernel's time by that of the first.
std::string timed_json(const TimedKernels& timed);

struct SanitizerReport {
  std::vector<std::string> findings;  ///< a line each
  std::string why_not;                ///< why it was not run under them; empty: it was
};

/// All that `tuner judge` finds. What comes later is missing where something before it refused.
struct JudgementReport {
  std::string candidate;
  std::string against;
  std::string device;
  std::vector<std::string> mistakes;  ///< of its signature
  SanitizerReport sanitizers;
  struct Size {
    model::Problem problem;
    sweep::Judgement judgement;
  };
  std::vector<Size> sizes;
  std::optional<double> allowed_share;  ///< 0.01: one per cent slower than the default is allowed
  int interrupted = 0;                  ///< the exit code of the signal that ended it early; 0: none
};

/// Refused, that of a signal, slower, or done.
int exit_code_of(const JudgementReport& report);

std::string judgement_text(const JudgementReport& report, std::size_t columns);

/// {"schema_version": 1, "verdict": "accepted"|"refused"|"slower"|"interrupted", "reason": {"stage",
/// "status", "detail", "size"} or null, "signature", "sanitizers", "sizes": […]}; times in nanoseconds.
std::string judgement_json(const JudgementReport& report);

}  // namespace tuner::cli
