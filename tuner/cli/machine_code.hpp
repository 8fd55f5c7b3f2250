#pragma once
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "tuner/cli/answers/code_sheet.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::cli {

/// What the machine code of a trial's binary says. The binary is the cached one, else it is compiled again by
/// the same job from the spec at hand. What nvdisasm prints of it is kept in the cache of binaries. Throws
/// model::Error where there is no such binary, it is not for a GPU, or nvdisasm is missing or refuses it.
answers::TrialCode machine_code(const Context& context, const db::Connection& connection,
                                model::TrialRecord trial);

}  // namespace tuner::cli
