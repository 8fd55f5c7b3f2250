#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "db/json.hpp"
#include "reports/summary.hpp"
#include "tuner/explain/explain.hpp"

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

/// Adds to final_json() how race and final stand to each other, as db::FinalCheck has it: `settled`,
/// `off_clock`, `fastest_in_turn_ns`.
void add_check(bool is_settled, bool is_off_clock, double in_turn_ns, Json& final);

/// `{"as_default": whether `best` gives the bits of its default, null: unknown, "groups": the final's
/// trials by their bits}`.
Json same_bits_json(const model::TrialRecord& best, const model::TrialRecord* untuned,
                    const std::vector<std::vector<model::Digest>>& groups);

/// A library's time by the winner's: `{"name", "trial", "library", "median_ns", "ratio", …, "paired"}`.
Json baseline_json(const model::TrialRecord& baseline, const model::TrialRecord& winner,
                   const model::FinalRecord* final);

/// `{"candidates", "tried", "reopened", "whole", "outlook": {…, "tried"}}`; null where nothing is known.
Json searched_json(const std::optional<model::Searched>& searched);

/// `[{"about", "rule", "from", "text", "next", "flaw"}]`; null where there is nothing to try.
Json findings_json(const std::vector<tuner::explain::Finding>& findings);

/// Of a report, without its environments: `{"schema_version": 3, "title", "command", "generated_at", "notes",
/// "runs"}`.
Json heading_json(const ReportInput& input);

/// Of an environment, without its trials: `{"environment", "ceilings", "problems", "failures"}`. Times in
/// nanoseconds; what is unknown is null. `problems`: of the group.
Json group_json(const EnvironmentGroup& group, const std::vector<ProblemSummary>& problems,
                const ReportInput& input);

/// A trial of a report: what trial_json says of it, and `counters` by metric where it was counted.
Json report_trial_json(const model::TrialRecord& trial, const ReportInput& input);

/// The report: heading_json() with `environments`, each a group_json() with its `trials`.
void to_json(const ReportInput& input, std::ostream& out);

/// Indented, with a newline. Logs hold whatever a compiler wrote: bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& value);

// Trials by column: one for each value of the trial's JSON, named by its path: `sizes.M`,
// `configuration.BLOCK_SIZE`, `metrics.GFLOP/s`. In place of the samples stands their number; `best`: it is
// the one to use.

/// A line for each trial, RFC 4180, below a header. A field without value is empty.
void to_csv(const ReportInput& input, std::ostream& out);

/// A file of the folders `reports` and `reports/page`, in the binary. Throws model::Error where there is
/// none.
std::string_view embedded_text(std::string_view path);

/// One self-contained HTML file that loads nothing: the report's JSON and the scripts that draw it. The JSON
/// is that of to_json(), on one line, with these differences: trials stand by column, `{"count", "columns":
/// {PATH: …}}`, with `problems`, the place of each trial's problem, null of those that may not be chosen. A
/// column is `{"all": value}` where all trials have one value, `[number, …]`, or `{"values", "codes"}`, where
/// -1 is no value; what the environment says already is left out, and so are columns without a value; a text
/// of more than 500 bytes is cut. An environment has `headlines` by family; a problem has `family` (see
/// FamilyGroup), `searched_text`, `command` and `flags` (see Usage), and its final no coverage.
void to_html(const ReportInput& input, std::ostream& out);

}  // namespace reports
