#include "db/ranking.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "db/statement.hpp"

namespace db {

using tuner::model::FinalRecord;
using tuner::model::TrialRecord;

namespace {

/// The least time that a trial ever had: finals are of other clocks than races.
double least_ns(const Connection& db, const tuner::model::Digest& trial, double otherwise) {
  Statement select(db, "SELECT min(median_ns) FROM measurements WHERE trial = ? AND status = 'ok'");
  auto row = select.use();
  row.bind(trial).step();
  return row.null() ? otherwise : row.real();
}

/// Of the trial that all ratios are to, as it raced.
double base_ns(const Connection& db, const BestAnswer& answer) {
  const tuner::model::Digest& base = answer.final ? answer.final->entries.front().trial : answer.winner.key;
  return least_ns(db, base, answer.winner.outcome.measurement->median_ns);
}

Ranked ranked(TrialRecord trial, const BestAnswer& answer, double base_ns) {
  Ranked out;
  const auto* entry = answer.final ? tuner::model::entry_of(*answer.final, trial.key) : nullptr;
  out.in_final = entry != nullptr;
  // A time of the race is held against a time of the race.
  const double raced_ns = answer.final ? answer.check.race_of_fastest(trial.gpu) : 0;
  out.ratio = entry != nullptr ? entry->ratio
                               : trial.outcome.measurement->median_ns / (raced_ns > 0 ? raced_ns : base_ns);
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
  filter.superseded = false;
  filter.kernel = query.kernel;
  const double base = base_ns(db, answer);
  std::vector<Ranked> list;
  for (const auto status : {tuner::model::TrialStatus::ok, tuner::model::TrialStatus::dropped}) {
    filter.status = status;
    for (TrialRecord& trial : trials(db, filter)) {
      if (!tuner::model::may_win(trial.role) && trial.key != answer.winner.key) continue;
      list.push_back(ranked(std::move(trial), answer, base));
    }
  }
  const auto place = [&](const Ranked& one) {
    return std::tuple(one.trial.key != answer.winner.key, one.ratio, one.trial.key);
  };
  std::sort(list.begin(), list.end(), [&](const Ranked& a, const Ranked& b) { return place(a) < place(b); });
  return list;
}

}  // namespace db
