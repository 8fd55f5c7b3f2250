#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "reports/json.hpp"
#include "tuner/cli/answers/evidence.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/cover/table.hpp"
#include "tuner/model/trial.hpp"

// What `tuner best` answers: as tables, as reasons, as JSON, by which of several environments, and what a
// program gains by it.
namespace tuner::cli::answers {

/// Those whose answers are of one kind of problem and environment together, in their order.
template <class Item, class AnswerOf>
std::vector<std::vector<const Item*>> grouped(const std::vector<Item>& items, const AnswerOf& answer_of) {
  std::vector<std::vector<const Item*>> groups;
  for (const Item& item : items) {
    const db::BestAnswer& own = answer_of(item);
    const auto same = std::ranges::find_if(groups, [&](const auto& group) {
      const db::BestAnswer& first = answer_of(*group.front());
      return first.problem().kind() == own.problem().kind() && first.environment() == own.environment();
    });
    (same == groups.end() ? groups.emplace_back() : *same).push_back(&item);
  }
  return groups;
}

/// The answers for a terminal. Those of one kind of problem and environment stand together under its name:
/// one as a block with all that is known of it, several as a table of the figures that matter most, with what
/// all configurations share said once. `~` before a time that is approximate, `*` after a time that was not
/// re-measured, `†` after one with launch latency; below the table what the marks in it mean, and how far the
/// spaces were searched.
std::string best_text(const db::BestAnswers& answers, const Style& style);

/// The final that the answer is from; null where it was not measured again.
inline const model::FinalRecord* final_of(const db::BestAnswer& answer) {
  return answer.final ? &*answer.final : nullptr;
}

/// Whether the answer's check is of its winner, which may be another than the final's: the best that meets a
/// condition, or of a kernel.
inline bool is_checked(const db::BestAnswer& answer) {
  return answer.final && (answer.winner.key == answer.final->chosen ||
                          answer.winner.key == answer.final->entries.front().trial);
}
inline bool is_off_clock(const db::BestAnswer& answer) {
  return is_checked(answer) && answer.check.is_off_clock();
}
inline bool is_unsettled(const db::BestAnswer& answer) {
  return is_checked(answer) && answer.check.is_unsettled();
}

/// Whether a trial is tied with the answer's winner.
inline bool is_tied(const db::BestAnswer& answer, const model::Digest& trial) {
  return std::ranges::find(answer.tied, trial, &model::TrialRecord::key) != answer.tied.end();
}

/// The first of `ranked` that can be told from the answer's winner; null where there is none.
inline const db::Ranked* runner_up(const db::BestAnswer& answer, const db::Ranking& ranked) {
  const auto next = std::ranges::find_if(ranked, [&](const db::Ranked& one) {
    return one.trial.key != answer.winner.key && !is_tied(answer, one.trial.key);
  });
  return next == ranked.end() ? nullptr : &*next;
}

/// How long each trial of `ranked` takes by the answer's winner is its ratio by this.
inline double ratio_of_winner(const db::BestAnswer& answer, const db::Ranking& ranked) {
  const auto own = std::ranges::find(
      ranked, answer.winner.key, [](const db::Ranked& one) -> const auto& { return one.trial.key; });
  return own == ranked.end() ? 1 : own->ratio;
}

/// `~` where the answer's winner was dropped early, and so all that depends on its time is approximate.
std::string approximate_mark(const db::BestAnswer& answer);

/// The metric shown of a trial: the first of its kernel, as `38.2 TFLOP/s`; empty where it has none.
std::string metric_text(const model::TrialRecord& trial, const std::string& metric);

/// What a user asked for, in the words used.
struct Asked {
  std::string size;  ///< empty: every size
  std::string unanswered =
      {};                    ///< why this size has no answer in the environment; empty: it was never measured
  std::string by_rule = {};  ///< the sentence on the rule that answers instead; empty: none does
  std::string device_flag = {};  ///< what commands need to measure where the answer was measured
  std::string racing = {};       ///< the command that holds its final, as the question was asked
};

/// Why this is the answer, for people: what was measured, how the winner was measured again, who is tied with
/// it and by which rule it was chosen among them, how far behind the next one is and how it differs, and what
/// the trials around it say. `ranked`: the case's, as db::ranking() has them.
std::string why(const db::BestAnswer& answer, const Asked& asked, const db::Ranking& ranked,
                const Evidence& evidence, const Style& style);

/// How the winner was measured again, in one line; only of answers with a final.
std::string remeasured_text(const db::BestAnswer& answer);

/// What became of the spec that an answer was measured by.
struct SpecNote {
  enum class State {
    unknown,     ///< it was not declared, or its file is not here
    unchanged,   ///< the file says what was measured
    changed,     ///< what the kernel runs, or what is right, is another: spec, source or a header was edited
    widened,     ///< its lists or constraints are others, and still have the answer
    excluded,    ///< its lists or constraints are others, and have the answer no longer
    unreadable,  ///< the file has mistakes
    absent       ///< the file has the kernel no longer
  };
  State state = State::unknown;
  std::string path;         ///< empty: it was not declared
  bool is_named = false;    ///< the question named the file, which need not be the one that was measured
  std::string declared_at;  ///< UTC
  std::string host;         ///< that declared it
  std::string device;       ///< as `--device` takes it; empty: it need not be said
  std::string command;      ///< measures it anew; empty where nothing has changed
};

/// For people: what its state means; empty where nothing has changed.
std::string sentence(const SpecNote& note, const std::string& kernel);

/// A size without an answer, and why.
struct Missing {
  db::Case tuning_case;
  std::string reason;
};

/// Why a size has no answer: `none of 12 trials has a time: 10 compile_error, 2 timeout`.
Missing missing(const db::Unanswered& size, const std::string& kernel);

/// `no answer at 1664, 2304: sgemm was not tried`, a line for each reason; with the environment where there
/// are several. Empty where every size has an answer.
std::vector<std::string> missing_lines(const std::vector<Missing>& sizes);

/// `{"schema_version": 2, "size": …, "answers": […], "unanswered": […]}`; times in nanoseconds. `specs`: of
/// each answer, or empty; as are `bounds`, what a rule for sizes that were never measured may lose.
/// `provisional`: the answers are of another environment than was asked for.
std::string best_json(const db::BestAnswers& answers, const std::string& size,
                      const std::vector<SpecNote>& specs = {}, const std::vector<Missing>& missing = {},
                      const std::vector<reports::Json>& bounds = {}, bool provisional = false);

/// The problem, its environment, and how near they are to what was asked for.
reports::Json case_json(const db::BestAnswer& answer);
/// A trial of the answer's case.
reports::Json trial_json(const db::BestAnswer& answer, const model::TrialRecord& trial);

/// What it was measured on and how sure that is, as comments of a C header.
std::string best_comments(const db::BestAnswer& answer);

/// Several environments may have an answer to one question: two GPUs, another driver, a quick look at what
/// was tuned all night. Times of two environments are never compared; which environment answers is decided by
/// how its answer was found:
///
///   1. An environment with less than a tenth of the settled configurations of another, on a device of no
///      better kind, is a try and no answer. (Settled: tried, or passed over by a search that ended by
///      itself.)
///   2. Of the rest one answers that is not surpassed: another surpasses it that is at least as good a kind
///   of
///      device (GPU, recording, CPU), as well searched and as carefully measured (method: quick, standard,
///      complete, thorough, exhaustive), and better in one of these. Of different devices, whose spaces
///      differ, one is better searched where it has twice as many settled.
///   3. Of those that are of one device, type, L2 policy, execution and inputs and equal in all this, the one
///   whose
///      versions of driver, toolkit and method are the newest.
///
/// Else nothing does.
struct EnvironmentChoice {
  std::vector<std::size_t> answers;   ///< what there is to choose from, as places in the list given
  std::optional<std::size_t> chosen;  ///< one of these; nothing: no rule chooses
  std::string why;                    ///< why it, or why none; empty where there is one environment
  /// Of the others the fastest that takes less time than the chosen one, on the same device, of the same
  /// problem, and with the same L2 policy, execution and inputs: a hint, since no rule compares times of two
  /// environments.
  std::optional<std::size_t> faster = {};
};

/// The choice of each kind of problem, at each size where the answers are of several.
std::vector<EnvironmentChoice> choose_environments(const db::BestAnswers& answers);

/// Names the faster one of `choice`, which it has, with both times and how to ask for it.
std::string faster_text(const db::BestAnswers& answers, const EnvironmentChoice& choice);

/// What there is to choose from.
Chosen choices_of(const db::BestAnswers& answers, const EnvironmentChoice& choice);

/// The flags that pick one of the environments of `choices`, for a hint: `--gpu NAME (H100, H200),
/// --measure …`. Of `one`, which is among them, its own values alone: `--gpu H100`.
std::string choosing_flags(const Chosen& choices, const db::BestAnswer* one = nullptr);

/// For each answer that its rule chooses: the environments that differ in L2 policy and execution alone, and
/// in which the second of the answer's ranking is faster than the first beyond doubt. A line each.
std::vector<std::string> orders_elsewhere(const db::Connection& connection, const db::BestAnswers& answers,
                                          const db::BestQuery& query, const Style& style);

// Answers by energy. All of them are of one case, whose trials `ranked` has as db::ranking() does.

/// Keeps the trials whose energies can be compared, the best by `objective` first, and makes that one the
/// answer: energies of the last final, else of any final, else of races. False where no energy is known.
/// Nothing is done for Objective::time.
bool answer_by(model::Objective objective, db::BestAnswer& answer, db::Ranking& ranked);

/// What saving energy costs, as a table; empty where no energy is known.
std::string energy_front_text(db::Ranking ranked, const Style& style);

/// `trial 12ab uses 18 % less energy and takes 4 % longer`; empty where the answer's winner is the best by
/// energy, or where its energy was not measured beside others.
std::string cheaper_text(const db::BestAnswer& answer, db::Ranking ranked, const Style& style);

/// What a captured program spends on a problem of a kernel.
struct CapturedUse {
  cover::Sizes sizes;
  double cost = 0;  ///< ns of the GPU, or launches where none was timed
  std::uint64_t launches = 0;
};

struct CapturedUses {
  std::string capture;
  std::vector<CapturedUse> sizes;         ///< those that cost most first
  double cost = 0;                        ///< of all
  double program_ns = 0;                  ///< of all kernels; 0: none was timed
  std::vector<std::string> kernels = {};  ///< that were counted, as `scale(float*, int)`
};

/// Which kernels were counted as one; empty where one was.
std::string several_kernels(const CapturedUses& uses);

/// What the program gains by the answers for its kernel, as far as its sizes were measured with the default's
/// time; sentences for people.
std::vector<std::string> gain_sentences(const db::BestAnswers& all, const CapturedUses& uses);

}  // namespace tuner::cli::answers
