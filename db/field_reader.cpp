#include "db/field_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Field;
using tuner::model::FinalRecord;
using tuner::model::TrialRecord;

FieldReader::FieldReader(const Connection& db)
    : m_fastest(db,
                "SELECT median_ns FROM trials WHERE contest = ? AND competes = 1 ORDER BY median_ns LIMIT 1"),
      m_least(db, sql("select_least_time")),
      m_least_by_kernel(db, sql("select_least_times")),
      m_contenders(db,
                   "SELECT id FROM trials WHERE contest = ? AND competes = 1 AND median_ns <= ? "
                   "ORDER BY median_ns, id LIMIT ?"),
      m_baselines(db,
                  "SELECT id FROM trials WHERE contest = ? AND role = 'baseline' AND status = 'ok' "
                  "AND superseded = 0 ORDER BY median_ns, id"),
      m_trial(db, select_trials() + " WHERE t.id = ?"),
      m_coverage(db, sql("select_coverage")),
      m_last_finals(db, "SELECT id FROM last_final WHERE contest = ?"),
      m_considered(db,
                   "SELECT 1 FROM trials AS t JOIN kernels AS k ON k.id = t.kernel "
                   "JOIN final_coverage AS v ON v.run = coalesce(t.run, x'') AND v.kernel = k.name "
                   "AND t.sequence BETWEEN v.first AND v.last WHERE v.final = ? AND t.id = ?") {}

std::optional<double> FieldReader::best_ns(const Digest& contest) {
  auto row = m_fastest.use();
  if (!row.bind(contest).step()) return std::nullopt;
  return row.real();
}

std::optional<double> FieldReader::least_ns(const std::vector<Digest>& trials) {
  std::optional<double> least_ns;
  for (const Digest& trial : trials) {
    auto row = m_least.use();
    row.bind(trial).step();
    if (row.null()) continue;
    const double time_ns = row.real();
    least_ns = std::min(time_ns, least_ns.value_or(time_ns));
  }
  return least_ns;
}

std::optional<double> FieldReader::least_ns_beside(const std::set<std::string>& kernels,
                                                   const Digest& contest) {
  auto row = m_least_by_kernel.use();
  row.bind(contest);
  while (row.step()) {
    const double time_ns = row.real();
    if (!kernels.contains(row.text())) return time_ns;
  }
  return std::nullopt;
}

TrialRecord FieldReader::load(const Digest& trial) {
  auto row = m_trial.use();
  if (!row.bind(trial).step()) throw tuner::model::Error(fmt::format("trial {} is gone", trial.hex()));
  return read_trial(row, false);
}

std::vector<FinalRecord::Coverage> FieldReader::coverage(const Digest& contest) {
  std::vector<FinalRecord::Coverage> list;
  auto row = m_coverage.use();
  row.bind(contest);
  while (row.step()) {
    FinalRecord::Coverage covered;
    covered.run = row.digest();
    covered.kernel = row.text();
    covered.first = row.integer();
    covered.last = row.integer();
    list.push_back(std::move(covered));
  }
  return list;
}

Field FieldReader::read(const Digest& contest, double within, int most) {
  Field field;
  const auto best = best_ns(contest);
  if (!best) return field;
  {
    auto row = m_contenders.use();
    row.bind(contest).bind(*best * within).bind(std::max(most, 0));
    while (row.step()) field.contenders.push_back(load(row.digest()));
  }
  {
    auto row = m_baselines.use();
    row.bind(contest);
    while (row.step()) field.baselines.push_back(load(row.digest()));
  }
  field.coverage = coverage(contest);

  std::vector<Digest> finals;
  {
    auto row = m_last_finals.use();
    row.bind(contest);
    while (row.step()) finals.push_back(row.digest());
  }
  for (const Digest& final : finals) {
    std::vector<bool>& considered = field.considered.emplace_back();
    for (const auto* list : {&field.contenders, &field.baselines}) {
      for (const TrialRecord& trial : *list) {
        auto row = m_considered.use();
        considered.push_back(row.bind(final).bind(trial.key).step());
      }
    }
  }
  return field;
}

}  // namespace db
