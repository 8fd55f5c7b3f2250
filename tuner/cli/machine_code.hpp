#pragma once
#include "config/settings.hpp"
#include "db/connection.hpp"
#include "tuner/cli/answers/show.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::cli {

/// What the machine code of a trial's binary says. The binary is the cached one, else, where that may be, it
/// is compiled again by the same job from the spec at hand. What nvdisasm prints of it is kept in the cache
/// of binaries. Throws model::Error where there is no such binary, it is not for a GPU, or nvdisasm is
/// missing or refuses it.
answers::TrialCode machine_code(const config::Settings& settings, const db::Connection& connection,
                                model::TrialRecord trial, bool may_compile = true);

}  // namespace tuner::cli
