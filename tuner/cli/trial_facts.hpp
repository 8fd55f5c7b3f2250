#pragma once
#include <filesystem>

#include "db/connection.hpp"
#include "tuner/cli/answers/trial_sheet.hpp"

namespace tuner::cli {

/// What a database knows of one of its trials, with the steps to its occupancy and, where the cache of
/// binaries in `cache` has its binary, the size of its code.
answers::TrialFacts load_facts(const db::Connection& connection, model::TrialRecord trial,
                               const std::filesystem::path& cache);

}  // namespace tuner::cli
