#pragma once
#include <string>
#include <vector>

#include "db/json.hpp"
#include "reports/summary.hpp"

namespace reports {

using Json = db::Json;

// The JSON of reports and answers: each record as an export writes it (db::json_of), and beside it what is
// worked out from it.

/// `approximate`, `ceiling_share` and `in_final` beside the record. `final`: of the trial's problem; null:
/// none.
Json trial_json(const model::TrialRecord& trial, const std::vector<model::Ceiling>& ceilings,
                const model::FinalRecord* final);

/// `fastest` and `rule` beside the record; null where there was none.
Json final_json(const model::FinalRecord* final);

/// A library's time by the winner's: `{"name", "trial", "library", "median_ns", "ratio", …, "paired"}`.
Json baseline_json(const model::TrialRecord& baseline, const model::TrialRecord& winner,
                   const model::FinalRecord* final);

/// `{"candidates", "tried", "reopened", "whole", "outlook": {…, "tried"}}`; null where nothing is known.
Json searched_json(const std::optional<model::Searched>& searched);

/// Indented, with a newline. Logs hold whatever a compiler wrote: bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value);

}  // namespace reports
