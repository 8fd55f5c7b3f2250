#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "db/best.hpp"
#include "db/result_store.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::cli {

/// The metrics that the settings name beside the usual ones.
std::vector<std::string> asked_metrics(const config::Settings& settings);

/// Why nothing can be counted on a device, as far as that is known before trying: a sentence without its end;
/// empty: it can.
std::string why_not_countable(const model::DeviceInfo& device);

/// Counts what one run of a trial does; throws model::Error where it cannot.
using CountTrial = std::function<model::Profile(const model::TrialRecord&)>;

/// `tuner run --counters`: has the finalists of each answer of the sweep counted, or where there was no
/// final the fastest, and keeps what was counted. Those that were counted before are left out, and so are
/// libraries, kernels that this sweep does not tune, and other bits than it asks for. Says how many; the
/// first that cannot be counted ends it with a sentence.
void count_finalists(const sweep::Request& request, const db::BestAnswers& answers, db::ResultStore& store,
                     const CountTrial& count, sweep::Observer& observer, const std::atomic<bool>& stop);

}  // namespace tuner::cli
