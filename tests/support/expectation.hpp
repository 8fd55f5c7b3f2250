#pragma once
#include <string_view>
#include <vector>

#include "tuner/model/compile_job.hpp"

namespace tuner::test {

/// What the description of a spec under tests/faulty/ says a trial of it ends with: `expected: crashed`,
/// `expected: unstable or wrong_result`. Empty where it says nothing that can be understood.
std::vector<model::TrialStatus> expected_statuses(std::string_view description);

}  // namespace tuner::test
