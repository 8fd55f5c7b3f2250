#include "tuner/cli/count_finalists.hpp"

#include <fmt/format.h>

#include "db/queries.hpp"
#include "tuner/device/cuda/counters/counting.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// Whom the answer of a problem was chosen from, the chosen one first.
std::vector<model::Digest> finalists_of(const db::BestAnswer& answer) {
  std::vector<model::Digest> keys = {answer.winner.key};
  if (!answer.final) return keys;
  for (const model::FinalRecord::Entry& entry : answer.final->entries)
    if (entry.trial != answer.winner.key) keys.push_back(entry.trial);
  return keys;
}

std::vector<model::TrialRecord> uncounted(const sweep::Request& request, const db::BestAnswers& answers,
                                          const db::Connection& connection) {
  std::vector<model::TrialRecord> all;
  for (const db::BestAnswer& answer : answers) {
    for (const model::Digest& key : finalists_of(answer)) {
      if (!db::counters(connection, key).empty()) continue;
      model::TrialRecord trial = db::find_trial(connection, key.hex());
      if (model::may_win(trial.role) && sweep::work_of(request, trial) != nullptr &&
          sweep::gives_bits(request, trial))
        all.push_back(std::move(trial));
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> asked_metrics(const config::Settings& settings) {
  std::vector<std::string> metrics;
  const std::string text = settings.find("metrics") != nullptr ? settings.text("metrics") : "";
  for (std::string_view rest = text; !rest.empty();)
    if (const std::string_view name = util::trimmed(util::split_first(rest, ",")); !name.empty())
      metrics.emplace_back(name);
  return metrics;
}

std::string why_not_countable(const model::DeviceInfo& device) {
  if (!model::device_kind(device.kind).is_gpu)
    return device.id + " has no hardware counters, which are of NVIDIA GPUs";
  const std::string why = device::cuda::counters::why_not_permitted();
  return why.empty() ? "" : fmt::format("{} ({})", why, device::cuda::counters::how_to_permit);
}

void count_finalists(const sweep::Request& request, const db::BestAnswers& answers, db::ResultStore& store,
                     const CountTrial& count, sweep::Observer& observer, const std::atomic<bool>& stop) {
  const std::vector<model::TrialRecord> trials = uncounted(request, answers, store.connection());
  if (trials.empty()) return;
  const std::string finalists = util::counted(trials.size(), "finalist");
  observer.notice("counting what " + finalists + " do");
  std::size_t done = 0;
  for (const model::TrialRecord& trial : trials) {
    if (stop) break;
    try {
      store.record_counters(trial.key, count(trial).counters);
      ++done;
    } catch (const model::Error& error) {
      observer.notice(fmt::format("counted {} of {}; then: {}{}", done, finalists, error.what(),
                                  error.hint().empty() ? "" : fmt::format(" ({})", error.hint())));
      return;
    }
  }
  if (done < trials.size())
    observer.notice(fmt::format("counted {} of {}; the same command counts the others", done, finalists));
  else
    observer.notice(fmt::format("counted {}: `tuner explain` says what binds the best", finalists));
}

}  // namespace tuner::cli
