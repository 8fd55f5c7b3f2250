#include "db/merge.hpp"

#include <fmt/format.h>

#include "db/database.hpp"
#include "db/final_queries.hpp"
#include "db/kernel_sources.hpp"
#include "db/queries.hpp"
#include "db/row_writer.hpp"
#include "db/statement.hpp"
#include "db/transaction.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::UsageError;

/// What stands in the place of a table may be a view that computes for ever, or a table with conditions of
/// its own: only what was created word for word as ours is read.
void require_our_tables(const Connection& target, const Connection& source) {
  Statement ours(target,
                 "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'");
  Statement theirs(source, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql = ?");
  auto table = ours.use();
  while (table.step()) {
    const std::string name = table.text();
    auto same = theirs.use();
    same.bind(name).bind(table.text());
    if (!same.step()) {
      throw Error(fmt::format("{}: has no table '{}' as this program makes it", source.path().string(), name),
                  "only databases of the tuner can be merged");
    }
    Statement check(source, fmt::format("PRAGMA quick_check('{}')", name));
    auto result = check.use();
    const std::string found = result.step() ? result.text() : "nothing";
    if (found != "ok") {
      throw Error(fmt::format("{}: damaged in table '{}': {}", source.path().string(), name, found),
                  "merge an intact copy");
    }
  }
}

void copy_rows(const Connection& target, const Connection& source) {
  RowWriter writer(target);
  for (const auto& run : runs(source)) writer.put(run);
  for (const Digest& key : trial_keys(source, {})) {
    const auto trial = find_trial(source, key);
    // Present, unless an index of the source names rows that its table has not.
    if (!trial) throw Error(fmt::format("trial {} is in an index but not in the table", key.hex()));
    writer.add(*trial, measurements(source, key));
  }
  for (const auto& final : finals(source)) writer.put(final);
  for (const auto& ceiling : ceilings(source)) writer.put(ceiling);
}

}  // namespace

Added merge_database(const Connection& target, const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::equivalent(target.path(), path, error)) {
    throw UsageError(fmt::format("{}: is the database to merge into", path.string()), "name another one");
  }
  const Connection source = open_for_reading(path);
  source.distrust();
  const Snapshot snapshot(source);
  require_our_tables(target, source);
  Transaction transaction(target);
  const AddedCounter counter(target);
  try {
    copy_rows(target, source);
    KernelSources(target).adopt_newest();
  } catch (const Error& failure) {
    throw failure.in_context(fmt::format("merging {}", path.string()));
  }
  const Added added = counter.since();
  transaction.commit();
  return added;
}

}  // namespace db
