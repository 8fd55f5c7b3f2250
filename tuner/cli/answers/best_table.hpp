#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/cli/answers/words.hpp"

namespace tuner::cli::answers {

/// The answers for a terminal. Those of one family and environment stand together under its name: one as a
/// block with all that is known of it, several as a table of the figures that matter most, with what all
/// configurations share said once. `~` before a time that is approximate, `*` after a time that was not
/// re-measured, `†` after one with launch latency; below the table what the marks in it mean, and how far the
/// spaces were searched.
std::string best_text(const std::vector<db::BestAnswer>& answers, const Style& style);

/// `~` where the answer's winner was dropped early, and so all that depends on its time is approximate.
std::string approximate_mark(const db::BestAnswer& answer);

/// The metric shown of a trial: the first of its kernel, as `38.2 TFLOP/s`; empty where it has none.
std::string metric_text(const model::TrialRecord& trial, const std::string& metric);

}  // namespace tuner::cli::answers
