#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mutants {

/// A place where a programmer could have made a small mistake, and the mistake.
struct Site {
  std::size_t begin = 0;  ///< bytes from the start of the file
  std::size_t end = 0;
  std::string replacement;  ///< of the bytes between; empty: a statement is missing
};

/// All sites of a C++ source or of SQL, in the order of the text. Comments, strings, preprocessor lines,
/// declarations that are computed while compiling, and template brackets have none. The text is expected in
/// the layout that clang-format gives it: a binary operator has a blank on both sides.
std::vector<Site> sites_of(std::string_view text, bool is_sql);

/// `text` with the site's replacement in place.
std::string mutated(std::string_view text, const Site& site);

/// The line of the site as it is and as it becomes, for people: `12: a < b  ->  a <= b`.
std::string line_of(std::string_view text, const Site& site);

}  // namespace mutants
