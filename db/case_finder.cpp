#include "db/case_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/row_reader.hpp"
#include "db/statement.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::FinalRecord;
using tuner::model::TrialRecord;

CaseFinder::CaseFinder(const Connection& db)
    : m_winner(db,
               "SELECT trial, final, finalist FROM winner WHERE tuning_case = ? AND kernel IS nullif(?, '')"),
      // Along the index trials_tied; the reader stops early.
      m_by_low(db,
               "SELECT t.id, t.median_ns, t.low_ns FROM trials AS t WHERE t.tuning_case = ? AND t.kernel = ? "
               "AND t.competes = 1 ORDER BY t.low_ns"),
      m_newcomers(db,
                  "SELECT kernel, count(*) FROM unconsidered WHERE tuning_case = ? AND median_ns <= ? "
                  "GROUP BY kernel ORDER BY kernel"),
      m_untuned(db, sql("select_untuned")),
      m_trial(db, select_trials() + " WHERE t.id = ?"),
      m_competitor(db,
                   "SELECT k.name FROM trials AS t JOIN kernels AS k ON k.id = t.kernel "
                   "WHERE t.id = ? AND t.competes = 1"),
      m_baselines(db,
                  "SELECT id FROM trials WHERE tuning_case = ? AND role = 'baseline' AND status = 'ok' "
                  "AND superseded = 0 ORDER BY median_ns, id"),
      m_kernels(db,
                "SELECT DISTINCT y.kernel FROM tallies AS y JOIN kernels AS k ON k.id = y.kernel "
                "WHERE y.tuning_case = ? AND y.status = 'ok' AND y.superseded = 0 AND y.trials > 0 "
                "AND (?2 = '' OR k.name = ?2)"),
      m_last_final(db, "SELECT 1 FROM last_final WHERE tuning_case = ?"),
      m_kind(db, "SELECT kind FROM devices WHERE name = ? ORDER BY id LIMIT 1"),
      m_final(db, " WHERE f.id = ?"),
      m_reopened(db) {}

std::optional<CaseFinder::Winner> CaseFinder::winner(const Digest& tuning_case, const std::string& kernel) {
  auto row = m_winner.use();
  row.bind(tuning_case).bind(kernel);
  if (!row.step()) return std::nullopt;
  Winner winner;
  winner.trial = row.digest();
  winner.final = row.digest();
  winner.finalist = row.digest();
  return winner;
}

std::vector<Digest> CaseFinder::tied(const Digest& tuning_case, const std::string& kernel,
                                     const TrialRecord& winner) {
  std::vector<std::pair<double, Digest>> found;
  const double end_ns = winner.outcome.measurement->high_ns;
  auto kernels = m_kernels.use();
  kernels.bind(tuning_case).bind(kernel);
  while (kernels.step()) {
    auto row = m_by_low.use();
    row.bind(tuning_case).bind(kernels.digest());
    while (row.step()) {
      const Digest trial = row.digest();
      const double median_ns = row.real();
      if (row.real() > end_ns) break;
      if (trial != winner.key) found.emplace_back(median_ns, trial);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<Digest> keys;
  for (const auto& [median_ns, key] : found) keys.push_back(key);
  return keys;
}

FinalRecord CaseFinder::final(const Digest& id) {
  auto row = m_final.use();
  if (!row.bind(id).step()) throw tuner::model::Error(fmt::format("final {} is gone", id.hex()));
  return m_final.read(row);
}

bool CaseFinder::has_final(const Digest& tuning_case) {
  auto row = m_last_final.use();
  return row.bind(tuning_case).step();
}

std::optional<std::string> CaseFinder::kernel_of_competitor(const Digest& trial) {
  auto row = m_competitor.use();
  if (!row.bind(trial).step()) return std::nullopt;
  return row.text();
}

std::vector<Newcomers> CaseFinder::newcomers(const Digest& tuning_case, double most_ns) {
  std::vector<Newcomers> list;
  auto row = m_newcomers.use();
  row.bind(tuning_case).bind(most_ns);
  while (row.step()) {
    Newcomers newcomers;
    newcomers.kernel = row.text();
    newcomers.trials = row.integer();
    list.push_back(std::move(newcomers));
  }
  return list;
}

std::int64_t CaseFinder::dropped_near(const Digest& tuning_case, const std::string& kernel) {
  return static_cast<std::int64_t>(m_reopened.find(tuning_case, near_the_best, kernel, kernel).size());
}

std::optional<TrialRecord> CaseFinder::untuned(const Digest& tuning_case, const Digest& winner) {
  auto row = m_untuned.use();
  row.bind(tuning_case).bind(winner);
  if (!row.step()) return std::nullopt;
  return load(row.digest());
}

std::vector<TrialRecord> CaseFinder::baselines(const Digest& tuning_case) {
  std::vector<TrialRecord> list;
  auto row = m_baselines.use();
  row.bind(tuning_case);
  while (row.step()) list.push_back(load(row.digest()));
  return list;
}

std::string CaseFinder::kind_of(const std::string& device) {
  auto row = m_kind.use();
  return row.bind(device).step() ? row.text() : "";
}

TrialRecord CaseFinder::load(const Digest& key) {
  auto row = m_trial.use();
  row.bind(key);
  if (!row.step()) throw tuner::model::Error(fmt::format("trial {} is gone", key.hex()));
  return read_trial(row, false);
}

}  // namespace db
