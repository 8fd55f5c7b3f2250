#pragma once
#include <vector>

#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/problem.hpp"

namespace tuner::space {

/// Small problems of the same type as `problem` that kernels get wrong first: every extent odd and unlike the
/// others. In the first they are smaller than most tiles, in the second no multiple of any; the second one's
/// rows are padded where the spec offers that. A configuration may be invalid on either.
std::vector<model::Problem> probe_problems(const model::KernelSpec& spec, const model::Problem& problem);

}  // namespace tuner::space
