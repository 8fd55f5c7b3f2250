#include "db/searches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "db/queries.hpp"
#include "db/row_reader.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/record_fields.hpp"

namespace db {

using tuner::model::Digest;

ReopenedFinder::ReopenedFinder(const Connection& db) : m_select(db, sql("select_reopened")) {}

std::vector<Digest> ReopenedFinder::find(const Digest& tuning_case, double within, const std::string& kernel,
                                         const std::string& beside) {
  std::vector<Digest> found;
  auto row = m_select.use();
  row.bind(tuning_case).bind(within).bind(kernel).bind(beside);
  while (row.step()) found.push_back(row.digest());
  return found;
}

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::Outlook;
using tuner::model::Searched;
using tuner::model::SearchRecord;

namespace {

Outlook read_outlook(Statement::Use& row) {
  Outlook outlook;
  RowReader reader(row);
  describe(reader, outlook);
  return outlook;
}

SearchRecord read_search(Statement::Use& row) {
  SearchRecord search;
  read_case(row, search);
  search.run = row.digest();
  search.strategy = row.text();
  const std::string ending = row.text();
  const auto parsed = tuner::model::parse_word<tuner::model::SearchEnding>(ending);
  if (!parsed) throw Error(fmt::format("'{}' is no ending of a search", ending));
  search.ending = *parsed;
  search.tried = row.integer();
  search.failed = row.integer();
  search.ended_at = row.text();
  if (!row.null()) search.outlook = read_outlook(row);
  return search;
}

}  // namespace

std::vector<SearchRecord> searches(const Connection& db, const TrialFilter& filter) {
  TrialFilter cases = filter;
  cases.kernel.clear();
  const Condition condition = case_condition(cases);
  Statement select(db, sql("select_searches") + condition.text() + " ORDER BY s.tuning_case, s.id");
  Statement parts(db, "SELECT kernel, spec, candidates FROM search_kernels WHERE search = ? ORDER BY kernel");
  std::vector<SearchRecord> list;
  auto row = select.use();
  condition.bind(row);
  while (row.step()) {
    const Digest id = row.digest();
    SearchRecord& search = list.emplace_back(read_search(row));
    auto part = parts.use();
    part.bind(id);
    while (part.step()) {
      SearchRecord::Part read;
      read.kernel = part.text();
      read.spec = part.digest();
      read.candidates = part.integer();
      search.parts.push_back(std::move(read));
    }
  }
  return list;
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
  auto part = m_parts.use();
  part.bind(tuning_case).bind(kernel);
  while (part.step()) {
    ++kernels;
    const std::string name = part.text();
    auto tried = m_tried.use();
    tried.bind(tuning_case).bind(name).step();
    const std::int64_t candidates = part.integer();
    searched.candidates += candidates;
    // Exports of before version 3 have trials that are no part of the space any more.
    const std::int64_t known = std::min(tried.integer(), candidates);
    const auto reopened = static_cast<std::int64_t>(m_reopened.find(tuning_case, near_the_best, name).size());
    searched.reopened += std::min(reopened, known);
    searched.tried += known - std::min(reopened, known);
  }
  if (kernels == 0) return std::nullopt;
  auto row = m_outlooks.use();
  row.bind(tuning_case);
  while (row.step()) {
    const std::int64_t tried = row.integer();
    const std::int64_t of_kernels = row.integer();
    const std::int64_t unchanged = row.integer();
    if (tried > searched.tried || of_kernels != kernels || unchanged != kernels) continue;
    searched.outlook = read_outlook(row);
    searched.outlook_tried = tried;
    break;
  }
  return searched;
}

std::int64_t SearchFinder::settled(const Digest& tuning_case, const std::string& kernel) {
  auto row = m_settled.use();
  row.bind(tuning_case).bind(kernel).step();
  return row.integer();
}

}  // namespace db
