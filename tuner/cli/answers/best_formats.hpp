#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "reports/json.hpp"

namespace tuner::cli::answers {

/// What became of the spec that an answer was measured by.
struct SpecNote {
  enum class State {
    unknown,    ///< nobody declared it, or its file is not here
    unchanged,  ///< the file says what was measured
    changed,    ///< what the kernel runs, or what is right, is another: spec, source or a header was edited
    widened,    ///< its lists or constraints are others, and still have the answer
    excluded,   ///< its lists or constraints are others, and have the answer no longer
    unreadable  ///< the file has mistakes, or the kernel no longer
  };
  State state = State::unknown;
  std::string path;         ///< empty: nobody declared it
  std::string declared_at;  ///< UTC
  std::string host;         ///< that declared it
  std::string device;       ///< as `--device` takes it; empty: it need not be said
  std::string command;      ///< measures it anew; empty where nothing has changed
};

/// `changed`
const char* to_string(SpecNote::State state);
/// For people: what it means; empty where nothing has changed.
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
/// each answer, or empty.
std::string best_json(const std::vector<db::BestAnswer>& answers, const std::string& size,
                      const std::vector<SpecNote>& specs = {}, const std::vector<Missing>& missing = {});

/// The problem, its environment, and how near they are to what was asked for.
reports::Json case_json(const db::BestAnswer& answer);
/// A trial of the answer's case.
reports::Json trial_json(const db::BestAnswer& answer, const model::TrialRecord& trial);

/// What it was measured on and how sure that is, as comments of a C header.
std::string best_comments(const db::BestAnswer& answer);

}  // namespace tuner::cli::answers
