#include "db/possible_final.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "db/row_reader.hpp"
#include "db/statement.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::PossibleFinal;
using tuner::model::TrialRecord;

PossibleFinalReader::PossibleFinalReader(const Connection& db)
    : m_fastest(
          db,
          "SELECT median_ns FROM trials WHERE tuning_case = ? AND competes = 1 ORDER BY median_ns LIMIT 1"),
      m_least(db, sql("select_least_time")),
      m_least_by_kernel(db, sql("select_least_times")),
      m_finalists(
          db,
          "SELECT id, median_ns FROM trials WHERE tuning_case = ? AND competes = 1 ORDER BY median_ns, id"),
      m_coverage(db, sql("select_coverage")),
      m_last_finals(db, "SELECT id FROM last_final WHERE tuning_case = ?"),
      m_considered(db,
                   "SELECT 1 FROM trials AS t JOIN kernels AS k ON k.id = t.kernel "
                   "JOIN final_coverage AS v ON v.run = coalesce(t.run, x'') AND v.kernel = k.name "
                   "AND t.sequence BETWEEN v.first AND v.last WHERE v.final = ? AND t.id = ?"),
      m_entries(db,
                "SELECT e.trial, e.ratio, t.median_ns, t.gpu FROM final_entries AS e "
                "JOIN trials AS t ON t.id = e.trial AND t.competes = 1 WHERE e.final = ?"),
      m_cases(db),
      m_checker(db) {}

std::optional<double> PossibleFinalReader::best_ns(const Digest& tuning_case) {
  return m_fastest.first(&Statement::Use::real, tuning_case);
}

std::optional<double> PossibleFinalReader::least_ns(const std::vector<Digest>& trials) {
  std::optional<double> least_ns;
  for (const Digest& trial : trials) {
    const auto time_ns = m_least.first(read_real, trial).value();
    if (time_ns) least_ns = std::min(*time_ns, least_ns.value_or(*time_ns));
  }
  return least_ns;
}

std::optional<double> PossibleFinalReader::least_ns_beside(const std::set<std::string>& kernels,
                                                           const Digest& tuning_case) {
  for (auto row = m_least_by_kernel.use(tuning_case); row.step();) {
    const double time_ns = row.real();
    if (!kernels.contains(row.text())) return time_ns;
  }
  return std::nullopt;
}

std::vector<PossibleFinalReader::Raced> PossibleFinalReader::finalists(const Digest& tuning_case,
                                                                       const std::vector<Digest>& finals,
                                                                       double& unsettled_ns) {
  std::vector<Raced> found;
  for (const Digest& final : finals) {
    const FinalCheck check = m_checker.check(tuning_case, final);
    if (check.is_unsettled()) unsettled_ns = std::max(unsettled_ns, check.final_ns);
    for (auto row = m_entries.use(final); row.step();) {
      Raced raced;
      raced.trial = row.digest();
      const double ratio = row.real();
      const double time_ns = row.real();
      const double fastest_ns = check.race_of_fastest(row.text());
      raced.ns = fastest_ns > 0 ? fastest_ns * ratio : time_ns;
      const auto known = std::find_if(found.begin(), found.end(),
                                      [&](const Raced& other) { return other.trial == raced.trial; });
      if (known == found.end())
        found.push_back(raced);
      else
        known->ns = std::min(known->ns, raced.ns);
    }
  }
  return found;
}

std::vector<PossibleFinalReader::Raced> PossibleFinalReader::finalists(const Digest& tuning_case,
                                                                       std::vector<Raced> list, double within,
                                                                       double unsettled_ns) {
  double best_ns = std::numeric_limits<double>::infinity();
  std::set<Digest> known;
  for (const Raced& finalist : list) {
    best_ns = std::min(best_ns, finalist.ns);
    known.insert(finalist.trial);
  }
  const auto most_ns = [&] { return std::max(best_ns * within, unsettled_ns); };
  for (auto row = m_finalists.use(tuning_case); row.step();) {
    const Digest trial = row.digest();
    const double time_ns = row.real();
    if (known.contains(trial)) continue;
    best_ns = std::min(best_ns, time_ns);
    if (time_ns > most_ns()) break;
    list.push_back({trial, time_ns});
  }
  std::erase_if(list, [&](const Raced& raced) { return raced.ns > most_ns(); });
  std::sort(list.begin(), list.end(),
            [](const Raced& a, const Raced& b) { return std::tie(a.ns, a.trial) < std::tie(b.ns, b.trial); });
  return list;
}

PossibleFinal PossibleFinalReader::read(const Digest& tuning_case, double within, int most) {
  PossibleFinal field;
  const std::vector<Digest> finals = m_last_finals.all(&Statement::Use::digest, tuning_case);
  double unsettled_ns = 0;
  std::vector<Raced> list = finalists(tuning_case, finals, unsettled_ns);
  list = finalists(tuning_case, std::move(list), within, unsettled_ns);
  if (list.empty()) return field;
  list.resize(std::min(list.size(), static_cast<std::size_t>(std::max(most, 0))));
  field.unsettled = unsettled_ns > 0;
  for (const Raced& raced : list) {
    field.finalists.push_back(m_cases.load(raced.trial));
    field.raced_ns.push_back(raced.ns);
  }
  field.baselines = m_cases.baselines(tuning_case);
  field.coverage = m_coverage.all(read_row<FinalRecord::Coverage>, tuning_case);

  for (const Digest& final : finals) {
    std::set<Digest> entries;
    for (auto row = m_entries.use(final); row.step();) entries.insert(row.digest());
    std::vector<bool>& sampled = field.sampled.emplace_back();
    for (const TrialRecord& trial : field.finalists) sampled.push_back(entries.contains(trial.key));
    std::vector<bool>& considered = field.considered.emplace_back();
    for (const auto* trials : {&field.finalists, &field.baselines}) {
      for (const TrialRecord& trial : *trials)
        considered.push_back(m_considered.use(final, trial.key).step());
    }
  }
  return field;
}

}  // namespace db
