#pragma once
#include <cstddef>
#include <string>

#include "reports/document.hpp"
#include "reports/report_input.hpp"

namespace reports {

/// The standard report: per class its circumstances, the best configuration for each size with its doubt, a
/// table size × parameter for each kernel, the failures, the spread; then what reproduces it. Names come from
/// the rows alone.
Document build_report(const ReportInput& input);

/// What every document begins and ends with: date, notes and a word on classes; the commands that reproduce
/// it.
void add_introduction(const ReportInput& input, std::size_t classes, Document& document);
void add_commands(const ReportInput& input, Document& document);

/// One record a trial, RFC 4180 with a header line. Sizes, parameters and metrics are columns named `size.M`,
/// `parameter.BLOCK_SIZE`, `metric.GFLOP/s`; a field without value is empty.
std::string to_csv(const ReportInput& input);

/// `{"schema_version": 1, "title", "command", "generated_at", "runs", "classes": [{…, "problems", "failures",
/// "trials"}]}`. Times in nanoseconds; what is unknown is null.
std::string to_json(const ReportInput& input);

}  // namespace reports
