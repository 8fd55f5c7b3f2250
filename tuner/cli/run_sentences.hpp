#pragma once
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "db/best.hpp"
#include "db/connection.hpp"
#include "db/pending_results.hpp"
#include "tuner/cli/context.hpp"
#include "tuner/model/case.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::cli {

// What `tuner run` tells people on stderr before and after a sweep.

/// Problems that were left out, and why: a line for each kernel.
std::vector<std::string> exclusion_texts(const sweep::TrialList& list);
/// Says them. Throws model::UsageError where nothing is left.
void say_exclusions(const sweep::TrialList& list, sweep::Observer& observer);
/// Configurations that the device cannot launch, once for each kernel: sizes differ little in this.
void say_unlaunchable(const sweep::TrialList& list, sweep::Observer& observer);
/// Says that TrialList::reopened() trials are measured again, and why. Empty where there are none.
std::string reopened_text(std::int64_t reopened);
/// Which strategy is at work, and of how large a space.
void say_strategy(const sweep::StrategyChoice& strategy, const sweep::Request& request,
                  const sweep::TrialList& list, sweep::Observer& observer);
/// What was done, and where the time went.
void say_end(const sweep::Summary& summary, int compile_jobs, bool all_failed);
/// What is still to be done once all shards are.
void say_what_shards_lack(const sweep::Shard& shard, const Context& context);
void say_where(const config::Settings& settings, const std::string& report);
/// The command that goes on, where there is something to go on with. What it is to measure again, `run` and
/// those after it have in part; empty: nothing of it is measured yet.
void say_how_to_go_on(sweep::Ending ending, const Context& context, const std::string& run = "");
/// The last words of a process that is told to end at once.
void say_cut_off(const Context& context, const std::string& run);
/// Whether nothing of what was asked for has a result: all of it failed, now or before, or nothing was tried.
bool is_all_failed(const sweep::TrialList& list, const sweep::Request& request,
                   const sweep::Summary& summary);
/// Tells what could not be written, once more at the end: it must not scroll away. The exit code: `code`, or
/// that of a failure.
int settle(db::PendingResults& results, int code);

/// The problems of a sweep in the order asked for, whatever the order of the search.
std::vector<model::Problem> problems_asked_for(const sweep::Request& request);

/// The best of each of them in the sweep's own environment, of the bits that it asks for.
db::BestAnswers best_answers(const sweep::Request& request, const db::Connection& connection);

/// Prints what a sweep leaves known: the best of every problem in its own environment, why a problem has
/// none, and beside several kernels how far the others are behind, a line for each. After a sweep of many
/// sizes that found nothing to do, only how to see them. `is_held`: results wait that the database has not
/// taken.
void say_best(const sweep::Request& request, const sweep::TrialList& list, const sweep::Summary& summary,
              const db::Connection& connection, bool is_held);

}  // namespace tuner::cli
