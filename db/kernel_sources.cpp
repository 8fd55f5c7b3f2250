#include "db/kernel_sources.hpp"

#include <vector>

#include "db/sql.hpp"

namespace db {

using tuner::model::Digest;

KernelSources::KernelSources(const Connection& db)
    : m_db(db),
      m_current(db, "SELECT source FROM kernel_sources WHERE family = ? AND kernel = ?"),
      m_put(db, sql("insert_kernel_source")),
      m_mark_tallies(db, sql("update_superseded_tallies")),
      m_mark_trials(db, sql("update_superseded_trials")),
      m_newest(db, sql("select_newest_sources")) {}

bool KernelSources::is_current(const std::string& family, const std::string& kernel, const Digest& source) {
  if (source.empty()) return true;
  auto row = m_current.use();
  return row.bind(family).bind(kernel).step() && row.digest() == source;
}

void KernelSources::set(const std::string& family, const std::string& kernel, const Digest& source) {
  m_put.use().bind(family).bind(kernel).bind(source).run();
  m_mark_tallies.use().bind(source).bind(family).bind(kernel).run();
  // The tallies are few and name every source there is: where none of them changes, no trial does.
  if (m_db.integer("SELECT changes()") == 0) return;
  m_mark_trials.use().bind(source).bind(family).bind(kernel).run();
}

void KernelSources::adopt_newest() {
  struct Newest {
    std::string family;
    std::string kernel;
    Digest source;
  };
  std::vector<Newest> found;
  {
    auto row = m_newest.use();
    while (row.step()) {
      Newest newest;
      newest.family = row.text();
      newest.kernel = row.text();
      newest.source = row.digest();
      found.push_back(std::move(newest));
    }
  }
  for (const Newest& newest : found) set(newest.family, newest.kernel, newest.source);
}

}  // namespace db
