#include "db/case_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "db/rows.hpp"
#include "db/statement.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Outlook;
using tuner::model::Searched;
using tuner::model::SearchRecord;

ReopenedFinder::ReopenedFinder(const Connection& db) : m_select(db, sql("select_reopened")) {}

std::vector<std::pair<Digest, std::string>> ReopenedFinder::find(const Digest& tuning_case, double within,
                                                                 const std::string& kernel,
                                                                 const std::string& beside) {
  const auto read = [](Statement::Use& row) { return std::pair{row.digest(), row.text()}; };
  return m_select.all(read, tuning_case, within, kernel, beside);
}

std::vector<SearchRecord> searches(const Connection& db, const TrialFilter& filter) {
  const Condition condition = case_condition(filter);
  Statement parts(db, select_from<SearchRecord::Part>("search_kernels WHERE search = ? ORDER BY kernel"));
  const auto read = [&](Statement::Use& row) {
    const Digest id = row.digest();
    auto search = read_of_case<SearchRecord>(row);
    search.parts = parts.all(read_row<SearchRecord::Part>, id);
    return search;
  };
  return Statement(db, select_of_case<SearchRecord>("searches", "s") + condition.text() +
                           " ORDER BY s.tuning_case, s.id")
      .all(read, condition);
}

SearchFinder::SearchFinder(const Connection& db)
    : m_parts(db, sql("select_search_parts")),
      m_tried(db,
              "SELECT total(y.trials) FROM tallies AS y JOIN kernels AS k ON k.id = y.kernel "
              "WHERE y.tuning_case = ? AND k.name = ? AND y.superseded = 0 AND y.role <> 'baseline'"),
      m_outlooks(db, sql("select_outlooks")),
      m_settled(db, sql("select_settled")),
      m_reopened(db) {}

std::optional<Searched> SearchFinder::searched(const Digest& tuning_case, const std::string& kernel) {
  Searched searched;
  std::map<std::string, std::int64_t> reopened;
  for (const auto& [trial, name] : m_reopened.find(tuning_case, near_the_best, kernel)) ++reopened[name];
  std::int64_t kernels = 0;
  for (auto part = m_parts.use(tuning_case, kernel); part.step(); ++kernels) {
    const std::string name = part.text();
    const std::int64_t tried = m_tried.first(&Statement::Use::integer, tuning_case, name).value();
    const std::int64_t candidates = part.integer();
    searched.candidates += candidates;
    // Exports of before version 3 have trials that are no part of the space any more.
    const std::int64_t known = std::min(tried, candidates);
    const std::int64_t again = std::min(reopened[name], known);
    searched.reopened += again;
    searched.tried += known - again;
  }
  if (kernels == 0) return std::nullopt;
  for (auto row = m_outlooks.use(tuning_case); row.step();) {
    const std::int64_t tried = row.integer();
    const std::int64_t of_kernels = row.integer();
    const std::int64_t unchanged = row.integer();
    if (tried > searched.tried || of_kernels != kernels || unchanged != kernels) continue;
    searched.outlook = read_row<Outlook>(row);
    searched.outlook_tried = tried;
    break;
  }
  return searched;
}

std::int64_t SearchFinder::settled(const Digest& tuning_case, const std::string& kernel) {
  return m_settled.first(&Statement::Use::integer, tuning_case, kernel).value();
}

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
      m_last_finals(db, "SELECT id FROM last_final WHERE tuning_case = ? ORDER BY id"),
      m_bits(db,
             "SELECT e.trial, t.output_bits_inputs, t.output_bits_outputs FROM final_entries AS e "
             "JOIN trials AS t ON t.id = e.trial WHERE e.final = ? ORDER BY e.place"),
      m_kind(db, "SELECT kind FROM devices WHERE name = ? ORDER BY id LIMIT 1"),
      m_final(db, " WHERE f.id = ?"),
      m_trial(db),
      m_reopened(db) {}

std::optional<CaseFinder::Winner> CaseFinder::winner(const Digest& tuning_case, const std::string& kernel) {
  const auto read = [](Statement::Use& row) { return Winner{row.digest(), row.digest(), row.digest()}; };
  return m_winner.first(read, tuning_case, kernel);
}

std::vector<Digest> CaseFinder::tied(const Digest& tuning_case, const std::string& kernel,
                                     const TrialRecord& winner) {
  std::vector<std::pair<double, Digest>> found;
  const double end_ns = winner.outcome.measurement->high_ns;
  for (const Digest& id : m_kernels.all(&Statement::Use::digest, tuning_case, kernel)) {
    for (auto row = m_by_low.use(tuning_case, id); row.step();) {
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
  auto final = m_final.first(id);
  if (!final) throw tuner::model::Error(fmt::format("final {} is gone", id.hex()));
  return *std::move(final);
}

std::vector<Digest> CaseFinder::last_finals(const Digest& tuning_case) {
  return m_last_finals.all(&Statement::Use::digest, tuning_case);
}

std::vector<std::pair<Digest, std::optional<tuner::model::OutputBits>>> CaseFinder::bits_of_final(
    const Digest& final) {
  const auto read = [](Statement::Use& row) {
    const Digest trial = row.digest();
    return std::pair(trial, read_bits(row));
  };
  return m_bits.all(read, final);
}

std::optional<std::string> CaseFinder::kernel_of_competitor(const Digest& trial) {
  return m_competitor.first(&Statement::Use::text, trial);
}

std::vector<Newcomers> CaseFinder::newcomers(const Digest& tuning_case, double most_ns) {
  return m_newcomers.all(
      [](Statement::Use& row) {
        return Newcomers{row.text(), row.integer()};
      },
      tuning_case, most_ns);
}

std::int64_t CaseFinder::dropped_near(const Digest& tuning_case, const std::string& kernel) {
  return static_cast<std::int64_t>(m_reopened.find(tuning_case, near_the_best, kernel, kernel).size());
}

std::optional<TrialRecord> CaseFinder::untuned(const Digest& tuning_case, const Digest& winner) {
  const auto found = m_untuned.first(&Statement::Use::digest, tuning_case, winner);
  return found ? std::optional(load(*found)) : std::nullopt;
}

std::vector<TrialRecord> CaseFinder::baselines(const Digest& tuning_case) {
  return m_trial.load(m_baselines.all(&Statement::Use::digest, tuning_case));
}

std::string CaseFinder::kind_of(const std::string& device) {
  return m_kind.first(&Statement::Use::text, device).value_or("");
}

}  // namespace db
