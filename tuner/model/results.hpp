#pragma once
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

/// A problem in a class, the trials of which are compared.
struct CaseName {
  Problem problem;
  Environment environment;
  bool operator==(const CaseName&) const = default;
};

/// What some kernels did on another problem or in another class, or before their specs were edited. Of many
/// trials the fastest, and an even sample of the others.
struct Elsewhere {
  struct Known {
    std::string kernel;
    std::shared_ptr<const Configuration> configuration;  ///< one for all that have it; names in any order
    TrialStatus status = TrialStatus::ok;
    std::optional<double> median_ns;  ///< of ok and dropped ones
  };
  CaseName tuning_case;
  bool is_today = true;  ///< of what today's specs describe; else of what they were
  std::vector<Known> results;
};

/// What is wanted: near `case`, of these kernels, and of none of the cases `except`, as far as today's
/// specs describe it; what they were before counts everywhere.
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
  /// The definition, and what selects its configurations: value lists, constraints, element types.
  Digest spec;
  std::string path;       ///< of the spec; `shipped:` before an embedded one's
  std::string host = {};  ///< that declared it; for people, as the next
  std::string declared_at = {};

  /// Whether they say the same, whoever said it when.
  bool operator==(const KernelDeclaration& other) const {
    return std::tie(family, kernel, role, definition, spec, path) ==
           std::tie(other.family, other.kernel, other.role, other.definition, other.spec, other.path);
  }
};

/// A trial of the past as far as it takes to tell whether today's spec still describes it.
struct PastTrial {
  Digest key;
  Configuration configuration;
  Problem problem;
  Environment environment;
  Digest definition;
  std::string architecture;  ///< of the device it ran on; empty: unknown
  DeviceLimits limits;
};

/// Whether today's spec of its kernel describes a past trial: the same program on the same problem, and a
/// configuration that is still in the space. What it does not describe is kept and does not compete.
struct Judgement {
  Digest trial;
  bool describes = false;
};

/// A result that is known already.
struct KnownResult {
  Digest trial;
  TrialStatus status = TrialStatus::ok;
  std::optional<double> median_ns;  ///< of ok and dropped ones
  std::optional<OutputBits> output_bits = {};
  std::optional<double> energy_j = {};  ///< Energy::mean_j
};

/// Likewise, asked for by what was tried.
struct TriedConfiguration {
  KnownResult result;
  Configuration configuration;  ///< its names in any order
};

/// Whom a final of a problem would be between.
struct PossibleFinal {
  std::vector<TrialRecord> finalists;  ///< the best that may win, fastest first; no raw samples
  /// Parallel to them: what each takes in a race. Of one that was in a final it follows from the races and
  /// ratios of all who were: a final's own times may be of another clock.
  std::vector<double> raced_ns;
  std::vector<TrialRecord> baselines;           ///< all of them
  std::vector<FinalRecord::Coverage> coverage;  ///< of all results that may win, and of the finals before
  /// Of each final that counts and of which no other knows: for each finalist, then each baseline, whether
  /// it has considered it as it is.
  std::vector<std::vector<bool>> considered;
  /// Of the same finals: for each finalist, whether it was sampled in it.
  std::vector<std::vector<bool>> sampled = {};
  /// A final's time of its only finalist is beyond what others raced in, and nothing says which is right.
  /// They are finalists then, whatever was asked for.
  bool unsettled = false;
};

/// Where a sweep puts what it learns. Every call is durable when it returns: a crash after it loses nothing.
/// Implemented by db::ResultStore; throws model::Error when the row cannot be kept.
class ResultSink : public Seam {
 public:
  virtual void begin_run(const RunRecord& run) = 0;
  /// `state`: `done`, `interrupted` or `failed`.
  virtual void end_run(const Digest& run, const std::string& state) = 0;
  /// Says what the kernel is now, and which of its past trials that describes; the rest of them stay as they
  /// are. One transaction, and cheap where nothing has changed.
  virtual void declare(const KernelDeclaration& kernel, const std::vector<Judgement>& judgements) = 0;
  /// Says that `trial` is about to be launched, so that the culprit of a crash has a name.
  virtual void open_attempt(const TrialRecord& trial) = 0;
  /// How an attempt ended that gives no result: as a death that was observed (`crashed`, `timeout`), which is
  /// noted even where no attempt is open, since a compiler dies before there is one; or, with any other
  /// status, as one that never came to a launch and is nobody's fault.
  virtual void close_attempt(const TrialRecord& trial, TrialStatus how, const std::string& detail) = 0;
  /// The result of a trial; closes its open attempt, if any.
  virtual void record(const TrialRecord& trial) = 0;
  /// record() of those that have ended and open_attempt() of those that come next, together where that is
  /// cheaper.
  virtual void turn_over(const std::vector<const TrialRecord*>& ended,
                         const std::vector<const TrialRecord*>& next) {
    for (const TrialRecord* trial : ended) record(*trial);
    for (const TrialRecord* trial : next) open_attempt(*trial);
  }
  /// What the probes of a binary said. Trials of a binary that is wrong fail, past ones too.
  virtual void record_verdict(const ProbeVerdict& verdict) = 0;
  /// The result of a final, with its finalists: each gets the measurement of the final as its current one.
  /// All or nothing is kept.
  virtual void record_final(const FinalRecord& final, const std::vector<TrialRecord>& finalists) = 0;
  /// How the run's search of a case ended.
  virtual void record_search(const SearchRecord& search) = 0;
};

/// What a sweep asks of the past.
class ResultSource : public Seam {
 public:
  /// Those of `keys` that have a result, in any order.
  virtual std::vector<KnownResult> known(const std::vector<Digest>& keys) = 0;
  /// All results of a kernel on a problem in a class, whatever its spec was then; for a space too large to
  /// ask for each key.
  virtual std::vector<TriedConfiguration> tried(const Problem& problem, const Environment& environment,
                                                const std::string& kernel) = 0;
  virtual std::optional<TrialRecord> find(const Digest& trial) = 0;
  /// Median of the fastest trial of a problem in a class that may win; absent when there is none.
  virtual std::optional<double> best_ns(const Problem& problem, const Environment& environment) = 0;
  /// The least median that any of `keys` ever had, in a race or a final, of those whose time is to be trusted
  /// today; absent when there is none.
  virtual std::optional<double> least_ns(const std::vector<Digest>& keys) = 0;
  /// Likewise, of the trials of a problem in a class that may win and whose kernel is none of these.
  virtual std::optional<double> least_ns_beside(const std::set<std::string>& kernels, const Problem& problem,
                                                const Environment& environment) = 0;
  /// Trials of a problem in a class that were dropped early and whose time is at most `within` times the
  /// least that any who competes ever had, so that nobody knows how fast they are. Fastest first; no raw
  /// samples.
  virtual std::vector<TrialRecord> reopened(const Problem& problem, const Environment& environment,
                                            double within) = 0;
  /// The finalists are those whose time is at most the best one's times `within`, `most` of them at most.
  virtual PossibleFinal possible_final(const Problem& problem, const Environment& environment, double within,
                                       int most) = 0;
  /// Deaths observed while `trial` was open, plus attempts left open under another boot of this machine.
  virtual int deaths(const Digest& trial) = 0;
  virtual std::optional<ProbeVerdict> verdict(const Digest& probe) = 0;
  /// What the kernels of a family were declared as last.
  virtual std::vector<KernelDeclaration> declared(const std::string& family) = 0;
  /// The trials of a kernel of which nobody has said yet whether this spec describes them.
  virtual std::vector<PastTrial> undecided(const KernelDeclaration& kernel) = 0;
  /// What may tell of a case: of the same class the nearest problems; of other environments each one's
  /// nearest problem; few of both, those that know most about it first.
  virtual std::vector<Elsewhere> elsewhere(const ElsewhereQuery& query) = 0;
  /// How far a problem has been searched, see Searched; nothing where no search of before says.
  virtual std::optional<Searched> searched(const Problem& problem, const Environment& environment) = 0;
};

}  // namespace tuner::model
