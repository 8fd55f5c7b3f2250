#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tuner/model/case.hpp"
#include "tuner/model/compile_job.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::model {

/// A problem in an environment. Trials of one case are compared.
struct CaseName {
  Problem problem;
  Environment environment;
  bool operator==(const CaseName&) const = default;
};

/// What some kernels did on another problem, in another environment, or before their specs were edited. Where
/// there are many trials: the fastest, and an even sample of the others.
struct Elsewhere {
  struct Known {
    std::string kernel;
    std::shared_ptr<const Configuration>
        configuration;  ///< shared by all results that have it; names in any order
    TrialStatus status = TrialStatus::ok;
    std::optional<double> median_ns;  ///< of ok and dropped ones
  };
  CaseName tuning_case;
  bool is_today = true;  ///< false: results of specs as they were before an edit
  std::vector<Known> results;
};

/// Asks for results of these kernels near `tuning_case`. Results that today's specs describe are left out for
/// the cases in `except`; results of edited specs are not.
struct ElsewhereQuery {
  CaseName tuning_case;
  std::vector<std::string> kernels;
  std::vector<CaseName> except;
};

/// What a kernel is today, as a sweep of it says.
struct KernelDeclaration {
  std::string family;
  std::string kernel;
  Role role = Role::competitor;
  Digest definition;  ///< as TrialRecord::definition
  /// Covers the definition and what selects configurations: value lists, constraints, element types.
  Digest spec;
  std::string path;       ///< of the spec; an embedded one begins with `shipped:`
  std::string host = {};  ///< the machine that declared it; for people only, as is the next
  std::string declared_at = {};

  /// Equal content; host and time do not matter.
  bool operator==(const KernelDeclaration& other) const {
    return std::tie(family, kernel, role, definition, spec, path) ==
           std::tie(other.family, other.kernel, other.role, other.definition, other.spec, other.path);
  }
};

/// The part of a past trial that tells whether today's spec still describes it.
struct PastTrial {
  Digest key;
  Configuration configuration;
  Problem problem;
  Environment environment;
  Digest definition;
  std::string architecture;  ///< of the device it ran on; empty: unknown
  DeviceLimits limits;
};

/// Whether today's spec describes a past trial: the program and the problem are the same, and the
/// configuration is still in the space. Other trials are kept, but do not compete.
struct Judgement {
  Digest trial;
  bool describes = false;
};

/// What only the spec says of a trial: no measurement does.
struct SpecSays {
  bool is_default = false;
  Metrics metrics;  ///< at the time given; none where there is none
  Workload workload;
  bool operator==(const SpecSays&) const = default;
};
using AskSpec = std::function<SpecSays(const Problem& problem, const Configuration& configuration,
                                       std::optional<double> time_ns)>;

/// A result that the database has.
struct KnownResult {
  Digest trial;
  TrialStatus status = TrialStatus::ok;
  std::optional<double> median_ns;  ///< of ok and dropped ones
  std::optional<OutputBits> output_bits = {};
  std::optional<double> energy_j = {};  ///< Energy::mean_j
};

/// A known result with its configuration.
struct TriedConfiguration {
  KnownResult result;
  Configuration configuration;  ///< its names in any order
};

/// The finalists that a final of a problem would have.
struct PossibleFinal {
  std::vector<TrialRecord> finalists;  ///< the fastest trials that may win, fastest first; no raw samples
  /// Parallel to `finalists`: the time in a race. A final may have run at another clock, so for its finalists
  /// this follows from their races and their ratios in the final.
  std::vector<double> raced_ns;
  std::vector<TrialRecord> baselines;           ///< all of them
  std::vector<FinalRecord::Coverage> coverage;  ///< of all results that may win, and of earlier finals
  /// One row for each final that no later final covers: for each finalist, then each baseline, whether the
  /// final considered its present result.
  std::vector<std::vector<bool>> considered;
  /// The same rows: for each finalist, whether the final sampled it.
  std::vector<std::vector<bool>> sampled = {};
  /// The same rows: the time of the final's only finalist, where others raced faster than that and nothing
  /// explains it; else 0.
  std::vector<double> contradicted_ns = {};
  /// The time of a final's only finalist, or of the one it chose, exceeds race times of other trials, and no
  /// sample in turn says which is right. Then these trials are finalists too, whatever limits were asked for.
  bool unsettled = false;
};

/// Where a sweep stores its results. A call is durable when it returns: a later crash loses nothing.
/// Implemented by db::ResultStore; throws model::Error when the row cannot be kept.
class ResultSink : public Seam {
 public:
  virtual void begin_run(const RunRecord& run) = 0;
  /// `state`: `done`, `interrupted` or `failed`.
  virtual void end_run(const Digest& run, const std::string& state) = 0;
  /// Declares the kernel, and judges past trials; other trials keep their judgement. One transaction; cheap
  /// where nothing has changed.
  virtual void declare(const KernelDeclaration& kernel, const std::vector<Judgement>& judgements) = 0;
  /// What is kept of the kernel's trials follows `ask` again where its spec alone says it. Writes nothing
  /// where nothing has changed.
  virtual void restate(const KernelDeclaration& kernel, const AskSpec& ask) = 0;
  /// Notes that `trial` is about to be launched. After a crash the open attempt names the culprit.
  virtual void open_attempt(const TrialRecord& trial) = 0;
  /// Ends an attempt without a result. `crashed` and `timeout` note a death that was observed, even where no
  /// attempt is open: a compiler dies before there is one. Any other status means that nothing was launched
  /// and no trial is to blame.
  virtual void close_attempt(const TrialRecord& trial, TrialStatus how, const std::string& detail) = 0;
  /// The result of a trial; closes its open attempt, if any.
  virtual void record(const TrialRecord& trial) = 0;
  /// record() for `ended` and open_attempt() for `next`, in one transaction where that is cheaper.
  virtual void turn_over(const std::vector<const TrialRecord*>& ended,
                         const std::vector<const TrialRecord*>& next) {
    for (const TrialRecord* trial : ended) record(*trial);
    for (const TrialRecord* trial : next) open_attempt(*trial);
  }
  /// Records the verdict of a binary's probes. Where it is `wrong`, all trials of the binary fail, past ones
  /// too.
  virtual void record_verdict(const ProbeVerdict& verdict) = 0;
  /// Records a final and its finalists. The final's measurement of each becomes its current one. One
  /// transaction.
  virtual void record_final(const FinalRecord& final, const std::vector<TrialRecord>& finalists) = 0;
  /// Records how the run's search of a case ended.
  virtual void record_search(const SearchRecord& search) = 0;
};

/// What a sweep reads from the database.
class ResultSource : public Seam {
 public:
  /// The results of those `keys` that have one, in any order.
  virtual std::vector<KnownResult> known(const std::vector<Digest>& keys) = 0;
  /// All results of a kernel in a case, whatever its spec was then. For spaces too large to ask by key.
  virtual std::vector<TriedConfiguration> tried(const Problem& problem, const Environment& environment,
                                                const std::string& kernel) = 0;
  virtual std::optional<TrialRecord> find(const Digest& trial) = 0;
  /// Median of a case's fastest trial that may win; absent when there is none.
  virtual std::optional<double> best_ns(const Problem& problem, const Environment& environment) = 0;
  /// The smallest median that a trial among `keys` ever had, in a race or a final. Only trials with a trusted
  /// time today are considered; absent when there is none.
  virtual std::optional<double> least_ns(const std::vector<Digest>& keys) = 0;
  /// The same over a case's trials that may win and are of other kernels than these.
  virtual std::optional<double> least_ns_beside(const std::set<std::string>& kernels, const Problem& problem,
                                                const Environment& environment) = 0;
  /// Trials of a case that were dropped early with a time of at most `within` times the smallest that a
  /// competing trial ever had. They may be faster than the winner. Fastest first; no raw samples.
  virtual std::vector<TrialRecord> reopened(const Problem& problem, const Environment& environment,
                                            double within) = 0;
  /// The finalists are at most `most` trials with at most `within` times the best time.
  virtual PossibleFinal possible_final(const Problem& problem, const Environment& environment, double within,
                                       int most) = 0;
  /// Deaths observed while an attempt of `trial` was open, plus attempts left open before this machine's last
  /// boot.
  virtual int deaths(const Digest& trial) = 0;
  virtual std::optional<ProbeVerdict> verdict(const Digest& probe) = 0;
  /// The current declarations of a family's kernels.
  virtual std::vector<KernelDeclaration> declared(const std::string& family) = 0;
  /// Trials of a kernel without a judgement under this declaration.
  virtual std::vector<PastTrial> undecided(const KernelDeclaration& kernel) = 0;
  /// Results that may predict a case: the nearest problems in its environment, and the nearest problem of
  /// each other environment. Few of both, the most informative first.
  virtual std::vector<Elsewhere> elsewhere(const ElsewhereQuery& query) = 0;
  /// How far a problem has been searched (see Searched); absent where no earlier search says.
  virtual std::optional<Searched> searched(const Problem& problem, const Environment& environment) = 0;
};

}  // namespace tuner::model
