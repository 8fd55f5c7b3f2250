#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "reports/document.hpp"
#include "reports/layout.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"

namespace reports {

/// How the ones to use differ from size to size. All problems are of one family and environment; those
/// without one to use are left out. Both are empty where fewer than two are left.

/// A sentence: what all of them have in common.
std::string common_text(const std::vector<ProblemSummary>& problems);

/// A row a size: what is different from the row above (the kernel alone where that is another), and how its
/// operations (else bytes) a second lie beside those of its neighbours: the nearest below and above with
/// no dimension beyond twice or half of its own. What edges, an odd size or a last wave of blocks cost
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

/// The parts of the standard report. All trials are of one environment; those of the first three of one
/// family as well.

/// What is best in a few words: at how many sizes, how much faster than the default and each library, what
/// share of the ceiling, and how sure that is. Empty where there is nothing to use.
std::string headline(const std::vector<ProblemSummary>& problems,
                     const std::vector<model::Ceiling>& ceilings);

/// A row a size with the figures that matter most, by importance; `id_digits` of each identifier.
Table best_table(const std::vector<ProblemSummary>& problems, const std::string& metric,
                 const std::vector<model::Ceiling>& ceilings, std::size_t id_digits);

/// The configuration of each size, those that are the same together.
Facts configurations(const std::vector<ProblemSummary>& problems);

/// Size, the one to use, its time, how it compares with the fastest of its final, what it is tied with by
/// identifiers of `id_digits`, and where the idea to try it came from where any is known.
Table times_table(const std::vector<ProblemSummary>& problems, const std::string& metric,
                  std::size_t id_digits);

/// Size, what the one to use takes of the device, how it compares with the default, and a column for each
/// library that it is held against.
Table resources_table(const std::vector<ProblemSummary>& problems);

/// How the ones to use were found, for people: what a final is, and by which rule it chooses. Empty where no
/// problem had one.
std::string final_text(const std::vector<ProblemSummary>& problems);

/// How much choosing matters: fastest and slowest measured configuration of each size.
Table spread_table(const std::vector<ProblemSummary>& problems, std::size_t id_digits);

/// `value` of the fastest trial of each size, one line a named group. Groups without such values are left
/// out. The x axis is the size where all dimensions are equal, else the geometric mean of the dimensions.
Chart size_chart(const std::string& title, const std::vector<std::pair<std::string, Trials>>& groups,
                 const Field& value);

/// Failures by status with an example and its reason in one line.
Table failure_table(const std::vector<FailureSummary>& failures, std::size_t id_digits);

/// The trial by name: kernel, configuration, size.
std::string trial_text(const model::TrialRecord& trial);

}  // namespace reports
