#pragma once
#include <vector>

#include "db/connection.hpp"
#include "tuner/model/problem.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::cli {

/// The problems of a sweep in the order asked for, whatever the order of the search.
std::vector<model::Problem> problems_asked_for(const sweep::Request& request);

/// Prints what a sweep leaves known: the best of every problem in its own class, why a problem has none, and
/// beside several kernels how far the others are behind, a line for each. After a sweep of many sizes that
/// found nothing to do, only how to see them.
void say_best(const sweep::Request& request, const sweep::TrialList& list, const sweep::Summary& summary,
              const db::Connection& connection);

}  // namespace tuner::cli
