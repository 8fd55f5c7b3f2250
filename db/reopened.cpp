#include "db/reopened.hpp"

#include "db/sql.hpp"

namespace db {

using tuner::model::Digest;

ReopenedFinder::ReopenedFinder(const Connection& db) : m_select(db, sql("select_reopened")) {}

std::vector<Digest> ReopenedFinder::find(const Digest& contest, double within, const std::string& kernel,
                                         const std::string& beside) {
  std::vector<Digest> found;
  auto row = m_select.use();
  row.bind(contest).bind(within).bind(kernel).bind(beside);
  while (row.step()) found.push_back(row.digest());
  return found;
}

}  // namespace db
