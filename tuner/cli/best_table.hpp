#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "reports/table.hpp"

namespace tuner::cli {

/// One row an answer: size, kernel, configuration, median time with its interval, the first metric,
/// registers, occupancy and what limits it, speed-up over the default (`~` where that was dropped early), how
/// many are tied with it; where any of them has one, the time of each library by its own, its time by that of
/// the fastest of its final, and its share of the device's ceiling. `*` after a time that was not
/// re-measured, `†` after one with launch latency.
reports::Table best_table(const std::vector<db::BestAnswer>& answers);

/// The table for a terminal, and what the marks in it mean.
std::string best_text(const std::vector<db::BestAnswer>& answers);

/// The metric shown of a trial: the first of its kernel, as `38.2 TFLOP/s`; empty where it has none.
std::string metric_text(const model::TrialRecord& trial, const std::string& metric);

}  // namespace tuner::cli
