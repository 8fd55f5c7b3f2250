#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/case_finder.hpp"
#include "db/connection.hpp"
#include "db/finals.hpp"
#include "db/queries.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/results.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/model/winner.hpp"

namespace db {

/// Whose bits a configuration is to give: those of the default of its own kernel, or of this trial. At
/// another size than the trial's its configuration counts, as it was measured there by the same definition.
struct SameBitsAs {
  std::optional<tuner::model::TrialRecord> trial;  ///< nothing: the default
};

/// Which trials of one case give the bits that are asked for.
class SameBits {
 public:
  SameBits(const Connection& db, const SameBitsAs& as, const tuner::model::CaseName& tuning_case);

  /// Of a trial of the case. One with unknown bits gives none.
  bool admits(const tuner::model::TrialRecord& trial) const;
  /// Why nothing, or nothing of this kernel (empty: of any), can be held against what is asked for; empty
  /// where it can.
  std::string lack(const std::string& kernel) const;

 private:
  bool m_of_default;
  std::string m_lack;  ///< why there is no reference
  /// What the others are held against, by kernel; that of a trial: by no name.
  std::map<std::string, tuner::model::TrialRecord> m_references;
};

/// Why a trial's bits are not known, for people; empty where they are.
std::string why_no_bits(const tuner::model::TrialRecord& trial);

/// Trials by the bits that they give, in their order; each group's first before that of the next. Those of
/// unknown bits are in none.
std::vector<std::vector<tuner::model::Digest>> bits_groups(
    const std::vector<std::pair<tuner::model::Digest, std::optional<tuner::model::OutputBits>>>& trials);

struct BestQuery {
  std::string family;  ///< empty, and no kernel: every family but those of ceilings
  std::string kernel;  ///< empty: the kernels of a family compete
  /// One number sets all of a problem's dimensions; else one each. None: every size that was measured.
  std::vector<std::int64_t> sizes;
  std::optional<tuner::model::ElementType> type;
  std::optional<std::int64_t> row_padding = 0;  ///< nothing: any
  std::string device;                           ///< as TrialFilter's; empty: any
  std::string method;                           ///< `quick`, as --measure takes it; empty: any
  std::string l2;                               ///< empty: any
  std::string execution = {};                   ///< `graph`, `stream`, `eager`; empty: any
  std::string part_of_environment;              ///< of a class's text, in any case; empty: any
  int most_tied = 20;                           ///< load at most this many of the tied trials
  std::optional<SameBitsAs> same_bits;          ///< only trials that give these bits count; nothing: all
};

/// The configuration to use for one problem in one class, as the view `winner` has it: what the last final
/// between the best chose, unless a trial that it knows nothing of is faster than its interval; else the
/// fastest, whose figures are then from the race and better than they deserve. Where one kernel was asked
/// for, or certain bits: the best of these trials in that final. A dropped trial is named where it is faster
/// than all that were measured whole. Nothing is ever compared across environments.
struct BestAnswer {
  Case tuning_case;  ///< what was measured: its problem may be another than the one asked for
  const tuner::model::Problem& problem() const { return tuning_case.problem; }
  const tuner::model::Environment& environment() const { return tuning_case.environment; }
  /// The winner is what the rule of a cover picks for another size, and need not be the best of this one.
  bool is_by_rule = false;
  bool exact = false;       ///< the problem is the one asked for; else the nearest that was measured
  double distance = 0;      ///< Euclidean norm of log2(measured / wanted) over the dimensions; 0 when exact
  std::string device_kind;  ///< of the environment's device: `cuda`, `cpu`, `replay`; empty: unknown
  /// Configurations that were tried, or passed over by a search that ended by itself.
  std::int64_t settled = 0;
  tuner::model::TrialRecord winner;
  std::optional<tuner::model::FinalRecord> final;  ///< by which the winner was found; absent: not re-measured
  FinalCheck check;                                ///< of that final
  /// Whether the winner was dropped early: it is the best known, and its time is approximate.
  bool is_approximate() const { return !tuner::model::has_trusted_time(winner.outcome.status); }
  /// Trials near the winner that no final has considered; without `final` the winner is one of them.
  std::vector<Newcomers> newcomers;
  bool had_final = false;    ///< without `final`: there is one that the winner was not in
  bool beats_final = false;  ///< … and the winner beats whom that one names
  /// Trials that were dropped early near the winner: they may be faster.
  std::int64_t dropped_near = 0;
  std::vector<tuner::model::TrialRecord> tied;  ///< cannot be told from the winner, fastest first: in the
                                                ///< final, or without one by intervals that overlap
  std::int64_t tied_count = 0;                  ///< `tied` may be the first few of them
  std::optional<tuner::model::TrialRecord>
      untuned;  ///< the default configuration of the winner's kernel, when ok or dropped
  /// The entries of the final grouped by equal output bits, the winner's own group first where its bits are
  /// known. Entries with unknown bits are in no group.
  std::vector<std::vector<tuner::model::Digest>> same_bits = {};
  std::vector<tuner::model::TrialRecord> baselines;  ///< of the same problem and class, fastest first
  std::vector<tuner::model::Ceiling> ceilings;       ///< of the class's device
  std::optional<tuner::model::Searched> searched;    ///< nothing where no search of before says
  /// By which the winner is the best; of another than time who asks ranks the trials.
  tuner::model::Objective objective = tuner::model::Objective::time;
};

using BestAnswers = std::vector<BestAnswer>;

/// How many times as long as the winner another trial of the case takes: by the final where both were in
/// it, else by the race, where a time of it is known of the winner too.
double times_as_long(const BestAnswer& answer, const tuner::model::TrialRecord& trial);

/// For each family and class with a result, the best at the wanted size or at the nearest measured one.
/// Order: the class measured most recently first. Winners carry no raw samples (see find_trial). Empty when
/// there is nothing. Where no size was asked for, at each that was measured, by family, class and size.
/// Throws UsageError where no problem has as many dimensions as numbers were given.
std::vector<BestAnswer> best(const Connection& db, const BestQuery& query);

/// The cases that best() answers where no size is asked for, by their counts alone.
std::vector<Case> cases_to_answer(const Connection& db, const BestQuery& query);

/// A size that was tuned and has no answer to the question.
struct Unanswered {
  Case tuning_case;  ///< its counts are those of the kernel asked for
  /// Why none gives the bits that are asked for, though some have a time; empty: none has, or they do.
  std::string lacks_bits = {};
  /// How the trials that could have answered ended, the most frequent first.
  std::vector<std::pair<tuner::model::TrialStatus, std::int64_t>> ended;
  bool only_libraries = false;  ///< none, and a library was tried; else where there are none, nothing was
};
/// Those of the sizes asked for that `answers` leave out, in the order of cases(): of each class that the
/// kernel asked for was tried in.
std::vector<Unanswered> unanswered(const Connection& db, const BestQuery& query,
                                   const std::vector<BestAnswer>& answers);

/// best() for all cases that `filter` selects, in the order of cases(); of one kernel where it names
/// one. Cases without a trial that may win are left out, or that gives the bits asked for.
std::vector<BestAnswer> best_of_each(const Connection& db, const TrialFilter& filter,
                                     const std::optional<SameBitsAs>& same_bits = std::nullopt);
/// The least time that a trial of each kernel has in a case, dropped or not, by name.
std::map<std::string, double> least_ns_of_kernels(const Connection& db,
                                                  const tuner::model::CaseName& tuning_case);
/// A trial of a case beside the others.
struct Ranked {
  tuner::model::TrialRecord trial;  ///< without raw samples
  /// Its time by that of the fastest of the answer's final, or without one of the answer's winner; by the
  /// times of the race where it was not in that final.
  double ratio = 1;
  double ratio_low = 1;  ///< 95 % interval, where they were sampled in turn
  double ratio_high = 1;
  /// The ratio is that of the answer's final; else of two medians of the race; the fastest's is what all
  /// finalists together say (FinalCheck::raced_ns).
  bool in_final = false;
};

using Ranking = std::vector<Ranked>;

/// The trials of the answer's case in the order in which one would use them: the answer's winner, then by
/// their ratios. Those that compete and those that were dropped early, whose ratios are approximate: so the
/// first of any part is the best of that part. Of the kernel and the bits that `query` asks for.
std::vector<Ranked> ranking(const Connection& db, const BestAnswer& answer, const BestQuery& query);

struct FirstRanked {
  Ranking ranking;
  std::size_t left_out = 0;
};
/// The first `most` of ranking(), where any bits will do. No other trial is read whole.
FirstRanked first_ranked(const Connection& db, const BestAnswer& answer, const BestQuery& query,
                         std::size_t most);

}  // namespace db
