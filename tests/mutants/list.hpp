#pragma once
#include <filesystem>
#include <string_view>
#include <vector>

#include "tests/mutants/mutation.hpp"

namespace mutants {

/// Reads a list. Throws model::Error, with its line, for what is none.
///
///     # a comment
///     file tuner/measure/final.cpp        for the mutations below, until another is named; so is
///     test measure_test final_test.cpp    the program; where it takes long, its files that are enough
///
///     the-final-asks-for-ten-rounds       a mutation begins with its name and ends with an empty line
///       after void leave(                 optional
///       - rounds >= 10                    lines of the original; blanks between words count as one
///       + rounds > 10                     lines of what replaces it; none: the statement is removed
///       test test_sweep                   optional: another program, for this one alone
///       case nobody leaves before *       optional: the case, * and ? as doctest has them
///       equivalent: every caller rounds   optional: why nothing can notice
std::vector<Mutation> read_list(std::string_view text, std::string_view room);

/// All `*.txt` of a folder, in the order of their names. Throws model::Error, also where a name is there
/// twice.
std::vector<Mutation> read_lists(const std::filesystem::path& folder);

}  // namespace mutants
