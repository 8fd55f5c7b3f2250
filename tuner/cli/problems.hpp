#pragma once
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// Every kernel with every problem that the sizes, type and paddings of `settings` give it. A kernel that
/// does not offer the type, the padding or that many dimensions is left out with a sentence in `notices`;
/// when none is left, the first reason is thrown as model::UsageError.
std::vector<sweep::Work> make_work(const std::vector<model::KernelSpec>& kernels,
                                   const config::Settings& settings, std::vector<std::string>& notices);

}  // namespace tuner::cli
