#pragma once
#include <vector>

#include "tuner/model/kernel_spec.hpp"

namespace config {

/// An entry that is the name of several functions of its source, of the host's too, becomes that of the one
/// kernel that can take what its launch passes: `two` becomes `two(float*x, int n)`. Where none or several
/// can, the compiler says what is wrong.
void choose_overloads(tuner::model::KernelSpec& spec);

/// Where the launches of `spec` and of its reference do not fit what its sources declare: another number of
/// arguments, a pointer for a value, a value of another size, an entry that is misspelt. Read from the text
/// alone: a kernel that is not seen there, or is declared several times, is not judged.
std::vector<tuner::model::Diagnostic> signature_mistakes(const tuner::model::KernelSpec& spec);

}  // namespace config
