#pragma once
#include <string>
#include <vector>

#include "db/best.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace tuner::cli {

/// Says what a captured program gains by the answers for a kernel of it, as far as its sizes were measured
/// with the default's time. Throws as captured_uses() does.
void say_gain(const std::vector<db::BestAnswer>& all, const std::string& capture,
              const model::KernelSpec& spec);

}  // namespace tuner::cli
