#include "db/ranking.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace db {

using tuner::model::FinalRecord;
using tuner::model::TrialRecord;

namespace {

/// Of the trial that all ratios are to.
double base_ns(const std::vector<TrialRecord>& trials, const BestAnswer& answer) {
  if (answer.final) {
    for (const TrialRecord& trial : trials) {
      if (trial.key == answer.final->entries.front().trial) return trial.outcome.measurement->median_ns;
    }
  }
  return answer.winner.outcome.measurement->median_ns;
}

Ranked ranked(TrialRecord trial, const BestAnswer& answer, double base_ns) {
  Ranked out;
  const auto* entry = answer.final ? tuner::model::entry_of(*answer.final, trial.key) : nullptr;
  out.in_final = entry != nullptr;
  out.ratio = entry != nullptr ? entry->ratio : trial.outcome.measurement->median_ns / base_ns;
  out.ratio_low = entry != nullptr ? entry->ratio_low : out.ratio;
  out.ratio_high = entry != nullptr ? entry->ratio_high : out.ratio;
  out.trial = std::move(trial);
  return out;
}

}  // namespace

std::vector<Ranked> ranking(const Connection& db, const BestAnswer& answer, const BestQuery& query) {
  TrialFilter filter;
  filter.problem = answer.contest.problem;
  filter.comparison_class = answer.contest.comparison_class;
  filter.status = tuner::model::TrialStatus::ok;
  filter.superseded = false;
  std::vector<TrialRecord> all = trials(db, filter);
  const double base = base_ns(all, answer);
  std::vector<Ranked> list;
  for (TrialRecord& trial : all) {
    if (!tuner::model::may_win(trial.role) && trial.key != answer.winner.key) continue;
    if (!query.kernel.empty() && trial.kernel != query.kernel) continue;
    list.push_back(ranked(std::move(trial), answer, base));
  }
  const auto place = [&](const Ranked& one) {
    return std::tuple(one.trial.key != answer.winner.key, one.ratio, one.trial.key);
  };
  std::sort(list.begin(), list.end(), [&](const Ranked& a, const Ranked& b) { return place(a) < place(b); });
  return list;
}

}  // namespace db
