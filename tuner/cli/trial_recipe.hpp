#pragma once
#include <string>

#include "db/connection.hpp"
#include "tuner/cli/build_recipe.hpp"

namespace tuner::cli {

/// How a trial of a database is built: by the spec that was named, else by the shipped one, else by the one
/// where a sweep read it: the first of them that compiles to what was measured, or the last at all.
BuildRecipe recipe_of(const db::Connection& connection, const model::TrialRecord& winner,
                      const std::string& named_spec);

}  // namespace tuner::cli
