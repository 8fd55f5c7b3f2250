#pragma once
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/mutants/mutation.hpp"

namespace mutants {

/// Where a mutation's original stands in its file.
struct Place {
  std::size_t begin = 0;  ///< bytes
  std::size_t end = 0;
  auto operator<=>(const Place&) const = default;
};

/// Throws model::Error, naming the mutation, unless `text` has its original at exactly one place (the first
/// one behind `after`, where it says that).
Place find_place(std::string_view text, const Mutation& mutation);

/// `text` of the file that all of these are in, with each original as a choice between it and its
/// replacement. C++ gets `TUNER_MUTANT`; other texts, which are embedded, the marks that is_on.hpp's chosen()
/// reads. Throws model::Error, also where two places overlap.
std::string with_choices(std::string_view text, const std::vector<const Mutation*>& mutations);

/// The mutation as a unified diff of its file.
std::string diff_of(std::string_view text, const Mutation& mutation);

}  // namespace mutants
