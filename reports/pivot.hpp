#pragma once
#include <string>
#include <vector>

#include "reports/field.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"

namespace reports {

/// The parameters that get a table of their own: `wanted` alone if the kernel has it, else every one that
/// takes more than one value, in the order the spec writes them; one empty name where none does. `trials` are
/// of one kernel.
std::vector<std::string> choose_pivots(const Trials& trials, const std::string& wanted);

/// One row a problem, one column a value of `parameter` (or one in all where it is empty), each cell the
/// fastest over the other parameters. `exhaustive`: a cell without trials is `NA`, not `-`. `trials` are of
/// one kernel and class.
Table pivot_table(const Trials& trials, const std::string& parameter, const Field& cell, bool exhaustive);

}  // namespace reports
