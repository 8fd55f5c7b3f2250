#pragma once
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/problem.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// The problems of a sweep in the order asked for, whatever the order of the search.
std::vector<model::Problem> problems_asked_for(const sweep::Request& request);

/// Prints the best of every problem of a sweep, in its own class, then the best of those of its kernels that
/// another one beats, or where there are many how to see them.
void say_best(const sweep::Request& request, const db::Connection& connection);

}  // namespace tuner::cli
