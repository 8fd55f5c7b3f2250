#pragma once
#include <vector>

#include "tuner/model/diagnostic.hpp"

namespace config {

/// Where the launches of `spec` and of its reference do not fit what its sources declare: another number of
/// arguments, a pointer for a value, a value of another size, an entry that is misspelt. Read from the text
/// alone: a kernel that is not seen there, or is declared several times, is not judged.
std::vector<tuner::model::Diagnostic> signature_mistakes(const tuner::model::KernelSpec& spec);

}  // namespace config
