#pragma once
#include <array>
#include <string>
#include <vector>

#include "tuner/source/program.hpp"

namespace tuner::source {

/// How a kernel walks through the buffer behind each of its parameters: the dimensions, outermost first. In
/// `C[row * n + col]` behind `row < m` they are `m` and `n`. Each is the name of an integer parameter, of the
/// kernel or of its template, `gridDim.x` where an index is `blockIdx.x`, or the number that a loop ends at.
/// Empty: the text does not say, or says different things.
std::vector<std::vector<std::string>> indexed_shapes(const ProgramFunction& kernel);

/// The name of the integer parameter that bounds what a kernel computes from its block along x, y and z, as
/// `n` of `i = blockIdx.x * 64 + threadIdx.x` behind `i < n`. Empty: none does, or several do.
std::array<std::string, 3> bounded_axes(const ProgramFunction& kernel);

}  // namespace tuner::source
