#include "db/searches.hpp"

#include <algorithm>

#include "db/row_reader.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Outlook;
using tuner::model::Searched;
using tuner::model::SearchRecord;

ReopenedFinder::ReopenedFinder(const Connection& db) : m_select(db, sql("select_reopened")) {}

std::vector<Digest> ReopenedFinder::find(const Digest& tuning_case, double within, const std::string& kernel,
                                         const std::string& beside) {
  return m_select.all(&Statement::Use::digest, tuning_case, within, kernel, beside);
}

std::vector<SearchRecord> searches(const Connection& db, const TrialFilter& filter) {
  const Condition condition = case_condition(filter);
  Statement parts(db, "SELECT " + columns_of<SearchRecord::Part>().names() +
                          " FROM search_kernels WHERE search = ? ORDER BY kernel");
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
  std::int64_t kernels = 0;
  for (auto part = m_parts.use(tuning_case, kernel); part.step(); ++kernels) {
    const std::string name = part.text();
    const std::int64_t tried = m_tried.first(&Statement::Use::integer, tuning_case, name).value();
    const std::int64_t candidates = part.integer();
    searched.candidates += candidates;
    // Exports of before version 3 have trials that are no part of the space any more.
    const std::int64_t known = std::min(tried, candidates);
    const auto reopened = static_cast<std::int64_t>(m_reopened.find(tuning_case, near_the_best, name).size());
    searched.reopened += std::min(reopened, known);
    searched.tried += known - std::min(reopened, known);
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

}  // namespace db
