#pragma once
#include <vector>

#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/model/results.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// The kernels that compete with the selected ones and are not tuned now, as far as their specs are at hand:
/// where the sweep that tuned them read them from, or, for those that were never tuned here, shipped. A spec
/// that is gone or has mistakes is none.
std::vector<sweep::Work> find_rivals(const KernelCatalog& catalog, model::ResultSource& source);

}  // namespace tuner::cli
