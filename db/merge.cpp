#include "db/merge.hpp"

#include <fmt/format.h>

#include <optional>

#include "db/database.hpp"
#include "db/final_queries.hpp"
#include "db/kernel_specs.hpp"
#include "db/queries.hpp"
#include "db/row_writer.hpp"
#include "db/searches.hpp"
#include "db/snapshot.hpp"
#include "db/statement.hpp"
#include "db/transaction.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/temporary_folder.hpp"

namespace db {
namespace {

using tuner::model::Error;
using tuner::model::UsageError;

/// What stands in the place of a table may be a view that computes for ever, a table with conditions of its
/// own, or one whose triggers do more than ours: only what was created word for word as ours is read, or
/// brought up to date. Other people's views are left alone.
void require_our_schema(const Connection& source, std::int64_t version) {
  const Connection reference = Connection::in_memory();
  migrate(reference, shipped_migrations().first(static_cast<std::size_t>(version)));
  constexpr const char* list =
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'trigger') AND name NOT LIKE "
      "'sqlite%' "
      "ORDER BY type, name";
  Statement ours(reference, list);
  Statement theirs(source, list);
  auto expected = ours.use();
  auto found = theirs.use();
  const auto refuse = [&](const std::string& type, const std::string& name, const char* how) {
    throw Error(
        fmt::format("{}: {} {} '{}' as this program makes it", source.path().string(), how, type, name),
        "only databases of the tuner can be merged");
  };
  while (expected.step()) {
    const std::string type = expected.text();
    const std::string name = expected.text();
    if (!found.step()) refuse(type, name, "has no");
    const bool same_kind = found.text() == type;
    const bool same_name = found.text() == name;
    if (!same_kind || !same_name || found.text() != expected.text()) refuse(type, name, "has no");
    if (type != "table") continue;
    Statement check(source, fmt::format("PRAGMA quick_check('{}')", name));
    auto result = check.use();
    const std::string state = result.step() ? result.text() : "nothing";
    if (state != "ok") {
      throw Error(fmt::format("{}: damaged in table '{}': {}", source.path().string(), name, state),
                  "merge an intact copy");
    }
  }
  if (found.step()) {
    const std::string type = found.text();
    refuse(type, found.text(), "has, beside what it should have,");
  }
}

/// A stranger's database, open for reading and never changed: one of an older schema is read as a copy that
/// is brought up to date.
class Foreign {
 public:
  explicit Foreign(const std::filesystem::path& path) : m_db(open_as_it_is(path)) {
    m_db.distrust();
    const std::int64_t version = m_db.integer("PRAGMA user_version");
    require_our_schema(m_db, version);
    if (version == shipped_migrations().back().version) return;
    m_folder.emplace();
    const std::filesystem::path copy = m_folder->path() / "copy.db";
    snapshot(m_db, copy);
    open_database(copy);
    m_db = open_for_reading(copy);
    m_db.distrust();
  }
  const Connection& db() const { return m_db; }

 private:
  std::optional<tuner::util::TemporaryFolder> m_folder;
  Connection m_db;
};

void copy_rows(const Connection& target, const Connection& source) {
  RowWriter writer(target);
  for (const auto& run : runs(source)) writer.put(run);
  for_each_trial(source, {}, {.samples = true, .measurements = true},
                 [&](tuner::model::TrialRecord&& trial, std::vector<StoredMeasurement>&& earlier) {
                   writer.add(trial, earlier);
                 });
  for (const auto& verdict : verdicts(source)) writer.put(verdict, false);
  for (const auto& final : finals(source)) writer.put(final);
  for (const auto& search : searches(source)) writer.put(search);
  for (const auto& ceiling : ceilings(source)) writer.put(ceiling);
}

}  // namespace

Added merge_database(const Connection& target, const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::equivalent(target.path(), path, error)) {
    throw UsageError(fmt::format("{}: is the database to merge into", path.string()), "name another one");
  }
  const Foreign foreign(path);
  const Connection& source = foreign.db();
  Transaction transaction(target);
  const AddedCounter counter(target);
  try {
    copy_rows(target, source);
    KernelSpecs(target).adopt_newest();
  } catch (const Error& failure) {
    throw failure.in_context(fmt::format("merging {}", path.string()));
  }
  const Added added = counter.since();
  transaction.commit();
  return added;
}

}  // namespace db
