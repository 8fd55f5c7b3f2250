#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/database.hpp"
#include "db/export_file.hpp"
#include "db/queries.hpp"
#include "db/statement.hpp"
#include "db/transfer.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace db {
namespace {

using tuner::model::Error;
using tuner::model::UsageError;

constexpr std::int64_t source_cache_bytes = std::int64_t{32} << 20;

struct SchemaObject {
  std::string type;
  std::string name;
  std::string sql;
  bool operator==(const SchemaObject&) const = default;
};

std::vector<SchemaObject> schema_of(const Connection& db) {
  return Statement(db,
                   "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'trigger') "
                   "AND name NOT LIKE 'sqlite%' ORDER BY type, name")
      .all([](Statement::Use& row) {
        return SchemaObject{row.text(), row.text(), row.text()};
      });
}

/// Of the tables and triggers of older versions.
constexpr std::pair<std::int64_t, std::string_view> digests_of_versions[] = {
    {8, "f76bf127cc765e76368e0c7e35efbc0b"},
    {9, "4f928b2988d8c1ed5534d5a18c88ba51"},
    {10, "4e144688564c88b305f8895f9793ebe5"},
    {11, "ecd84db24e2f660cca1dc1b47bf8e2e2"}};
static_assert(std::size(digests_of_versions) == schema_version - oldest_schema_version);

std::string digest_of(const std::vector<SchemaObject>& objects) {
  tuner::model::DigestBuilder digest;
  for (const SchemaObject& object : objects) digest.add(object.type).add(object.name).add(object.sql);
  return digest.finish().hex();
}

void require_intact(const Connection& source, const std::string& table) {
  const std::string state = source.text(fmt::format("PRAGMA quick_check('{}')", table));
  if (state == "ok") return;
  throw Error(fmt::format("{}: damaged in table '{}': {}", source.path().string(), table, state),
              "merge an intact copy");
}

/// What stands in the place of a table may be a view that computes for ever, a table with conditions of its
/// own, or one whose triggers do more than ours: only what was created word for word as ours is read, or
/// brought up to date. Other people's views are left alone.
void require_our_schema(const Connection& source, std::int64_t version) {
  static const std::vector<SchemaObject> ours = schema_of(open_in_memory());
  const std::vector<SchemaObject> theirs = schema_of(source);
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("{}: {}", source.path().string(), what),
                "only databases of the tuner can be merged");
  };
  if (version < shipped_schema().version) {
    const std::string digest = digest_of(theirs);
    const auto* const known =
        std::ranges::find(digests_of_versions, std::pair<std::int64_t, std::string_view>(version, digest));
    if (known == std::end(digests_of_versions))
      refuse(fmt::format("its tables are not those of version {}", version));
  } else {
    const auto [lacking, beside] = std::mismatch(ours.begin(), ours.end(), theirs.begin(), theirs.end());
    const bool lacks = lacking != ours.end();
    if (lacks || beside != theirs.end()) {
      const SchemaObject& object = lacks ? *lacking : *beside;
      refuse(fmt::format("{} {} '{}' as this program makes it",
                         lacks ? "has no" : "has, beside what it should have,", object.type, object.name));
    }
  }
  for (const SchemaObject& object : theirs)
    if (object.type == "table") require_intact(source, object.name);
}

/// Those of this program, in front of whatever views the file has.
void put_own_views(const Connection& db) {
  std::string views = views_text();
  constexpr std::string_view create = "CREATE VIEW ";
  for (std::size_t at = views.find(create); at != std::string::npos; at = views.find(create, at + 1))
    views.replace(at, create.size(), "CREATE TEMP VIEW ");
  db.execute(views);
}

void require_others(const Connection& target, const std::vector<std::filesystem::path>& paths,
                    const OpenOptions& options) {
  for (const auto& path : paths) {
    std::error_code error;
    if (std::filesystem::equivalent(target.path(), path, error)) {
      throw UsageError(fmt::format("{}: is the database to merge into", path.string()), "name another one");
    }
    // What is wrong with the last is not said after an hour with those before it.
    require_mergeable(path, options);
  }
}

}  // namespace

Foreign::Foreign(const std::filesystem::path& path, const OpenOptions& options)
    : m_db(open_as_it_is(path, options)) {
  m_db.distrust();
  // What was looked at is what will be read, whatever is written meanwhile.
  m_db.execute("BEGIN");
  const std::int64_t version = m_db.integer("PRAGMA user_version");
  require_our_schema(m_db, version);
  if (version != shipped_schema().version) {
    m_db.execute("COMMIT");
    m_folder.emplace();
    const std::filesystem::path copy = m_folder->path() / "copy.db";
    snapshot(m_db, copy);
    OpenOptions own;
    own.file_system = nullptr;
    open_database(copy, own);
    m_db.require_unwritten();
    m_db = open_as_it_is(copy, own);
    m_db.distrust();
    m_db.execute("BEGIN");
    require_our_schema(m_db, m_db.integer("PRAGMA user_version"));
  }
  put_own_views(m_db);
}

void require_mergeable(const std::filesystem::path& path, const OpenOptions& options) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::not_found) {
    throw Error(fmt::format("{}: there is no such file", path.string()),
                "check the path: `tuner merge` takes databases of the tuner",
                tuner::model::ExitCode::nothing_found);
  }
  std::ifstream in(path, std::ios::binary);
  const bool is_read = type == std::filesystem::file_type::regular && in.is_open();
  if (tuner::util::begins_as_database(path) || !is_read) {
    open_as_it_is(path, options);  // says what else may be wrong with it
    return;
  }
  const int first = in.get();
  if (in.eof()) {
    throw Error(fmt::format("{}: the file is empty", path.string()), "there is nothing in it to merge");
  }
  if (first == '{') {
    throw Error(
        fmt::format("{}: not a database; it begins as an export does", path.string()),
        fmt::format("an export is added with `tuner import {}`", tuner::util::shell_quote(path.string())));
  }
  throw Error(
      fmt::format("{}: not an SQLite database", path.string()),
      "`tuner merge` takes databases of the tuner; what `tuner export` wrote is added with `tuner import`");
}

namespace {

void add_all(const Connection& source, Arrivals& arrivals) {
  for (const auto& run : runs(source)) arrivals.put(run);
  arrivals.put_trials_of(source);
  for_each_record(source, {}, [&](const auto& record) { arrivals.put(record); });
}

}  // namespace

std::vector<Added> merge_databases(const Connection& target, const std::vector<std::filesystem::path>& paths,
                                   const MergeOptions& options) {
  require_others(target, paths, options.open);
  const Setting sorting = sorting_in_files(target);
  // RowWriter puts what a row refers to before it; asking again for each row took a fifth of the time.
  const Setting unenforced = unenforced_keys(target);
  Transaction transaction(target);
  const DeferredIndexes deferred(target, paths);
  Arrivals arrivals(target);
  std::vector<Added> added;
  for (const auto& path : paths) {
    const Foreign foreign(path, options.open);
    foreign.db().set_cache(source_cache_bytes);
    const Added before = arrivals.count();
    try {
      add_all(foreign.db(), arrivals);
    } catch (const Error& failure) {
      throw failure.in_context(fmt::format("merging {}", path.string()));
    }
    added.push_back(arrivals.added_since(before));
    foreign.db().require_unwritten();
    if (options.progress) options.progress(path, added.back());
  }
  deferred.make();
  arrivals.finish(options.judge);
  transaction.commit();
  return added;
}

Added merge_database(const Connection& target, const std::filesystem::path& path,
                     const OpenOptions& options) {
  return merge_databases(target, {path}, {.open = options, .judge = {}, .progress = {}}).front();
}

}  // namespace db
