#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/spec_note.hpp"
#include "tuner/cli/answers/unanswered.hpp"

namespace tuner::cli::answers {

/// `{"schema_version": 1, "size": …, "answers": […], "unanswered": […]}`; times in nanoseconds. `specs`: of
/// each answer, or empty.
std::string best_json(const std::vector<db::BestAnswer>& answers, const std::string& size,
                      const std::vector<SpecNote>& specs = {}, const std::vector<Missing>& missing = {});

nlohmann::ordered_json class_json(const model::ComparisonClass& comparison);
/// Family, size, class and how near they are to what was asked for.
nlohmann::ordered_json contest_json(const db::BestAnswer& answer);
/// A trial of the answer's contest.
nlohmann::ordered_json trial_json(const db::BestAnswer& answer, const model::TrialRecord& trial);

/// What it was measured on and how sure that is, as comments of a C header.
std::string best_comments(const db::BestAnswer& answer);

}  // namespace tuner::cli::answers
