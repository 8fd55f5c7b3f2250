#pragma once
#include <string>

#include "reports/json.hpp"
#include "reports/summary.hpp"

namespace reports {

// Trials by column: one for each value of the trial's JSON, named by its path: `sizes.M`,
// `configuration.BLOCK_SIZE`, `metrics.GFLOP/s`. In place of the samples stands their number; `best`: it is
// the one to use.

/// A line for each trial, RFC 4180, below a header. A field without value is empty.
std::string to_csv(const ReportInput& input);

/// `{"count", "columns": {PATH: …}}` for a page of `trials`, which are of one environment. A column is
/// `{"all": value}` where all trials have one value, `[number, …]`, or `{"values", "codes"}`, where -1 is
/// no value. What the environment says already is left out, and so are columns without a value. A text of
/// more than 500 bytes is cut.
Json columns_json(const Trials& trials, const ReportInput& input);

}  // namespace reports
