#pragma once
#include <string>
#include <vector>

#include "reports/summary.hpp"
#include "reports/table.hpp"

namespace reports {

/// How the ones to use differ from size to size. All problems are of one family and class; those without one
/// to use are left out. Both are empty where fewer than two are left.

/// A sentence: what all of them have in common.
std::string common_text(const std::vector<ProblemSummary>& problems);

/// A row a size: what is different from the row above (the kernel alone where that is another), and how its
/// operations (else bytes) a second lie beside those of its neighbours: the nearest below and above of which
/// no dimension is beyond twice or half of its own. What edges, an odd size or a last wave of blocks cost
/// shows there.
Table change_table(const std::vector<ProblemSummary>& problems);

/// What the last column means, for below the table; empty where it says nothing.
std::string neighbours_note(const std::vector<ProblemSummary>& problems);

}  // namespace reports
