#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "reports/document.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"

namespace reports {

/// How the ones to use differ from size to size. All problems are of one family and environment; those
/// without one to use are left out. Both are empty where fewer than two are left.

/// A sentence: what all of them have in common.
std::string common_text(const std::vector<ProblemSummary>& problems);

/// A row a size: what is different from the row above (the kernel alone where that is another), and how its
/// operations (else bytes) a second lie beside those of its neighbours: the nearest below and above of which
/// no dimension is beyond twice or half of its own. What edges, an odd size or a last wave of blocks cost
/// shows there.
Table change_table(const std::vector<ProblemSummary>& problems);

/// What the last column means, for below the table; empty where it says nothing.
std::string neighbours_note(const std::vector<ProblemSummary>& problems);

/// The standard report: per environment its circumstances, the best configuration for each size with its
/// doubt, a table size × parameter for each kernel, the failures, the spread; then what reproduces it. Names
/// come from the rows alone.
Document build_report(const ReportInput& input);

/// What every document begins and ends with: date, notes and a word on environments; the commands that
/// reproduce it.
void add_introduction(const ReportInput& input, std::size_t environments, Document& document);
void add_commands(const ReportInput& input, Document& document);

/// A line for each trial, RFC 4180, below a header. A column for each value of the trial's JSON, named by its
/// path: `sizes.M`, `configuration.BLOCK_SIZE`, `metrics.GFLOP/s`. A field without value is empty.
std::string to_csv(const ReportInput& input);

/// `{"schema_version": 3, "title", "command", "generated_at", "runs", "environments": [{…, "problems",
/// "failures", "trials"}]}`. Times in nanoseconds; what is unknown is null.
std::string to_json(const ReportInput& input);

}  // namespace reports
