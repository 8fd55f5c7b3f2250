#include "db/merge.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.hpp"
#include "db/finals.hpp"
#include "db/kernel_specs.hpp"
#include "db/merge_rows.hpp"
#include "db/queries.hpp"
#include "db/row_reader.hpp"
#include "db/row_writer.hpp"
#include "db/searches.hpp"
#include "db/statement.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace db {
namespace {

Added count(const Connection& db) {
  // Not count(*), which reads all: a new row gets the rowid after the last, and nobody deletes any meanwhile.
  return {db.integer("SELECT count(*) FROM runs"), db.integer("SELECT max(rowid) FROM trials"),
          db.integer("SELECT max(rowid) FROM measurements")};
}

}  // namespace

AddedCounter::AddedCounter(const Connection& db) : m_db(db), m_before(count(db)) {}

Added AddedCounter::since() const {
  const Added now = count(m_db);
  return {now.runs - m_before.runs, now.trials - m_before.trials, now.measurements - m_before.measurements};
}

namespace {

using tuner::model::Error;
using tuner::model::UsageError;

/// Rows go all over the target's indexes, and what does not fit is written more than once.
constexpr std::int64_t target_cache_bytes = std::int64_t{256} << 20;
/// While indexes are made, as much again is sorted at a time.
constexpr std::int64_t index_cache_bytes = std::int64_t{128} << 20;
constexpr std::int64_t source_cache_bytes = std::int64_t{32} << 20;

struct SchemaObject {
  std::string type;
  std::string name;
  std::string sql;
  bool operator==(const SchemaObject&) const = default;
};

std::vector<SchemaObject> schema_of(const Connection& db) {
  Statement list(db,
                 "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'trigger') "
                 "AND name NOT LIKE 'sqlite%' ORDER BY type, name");
  std::vector<SchemaObject> objects;
  auto row = list.use();
  while (row.step()) {
    SchemaObject object;
    object.type = row.text();
    object.name = row.text();
    object.sql = row.text();
    objects.push_back(std::move(object));
  }
  return objects;
}

std::vector<SchemaObject> our_schema() {
  return schema_of(open_in_memory());
}

/// Of the tables and triggers of version 8.
constexpr std::string_view digest_of_version_8 = "f76bf127cc765e76368e0c7e35efbc0b";

std::string digest_of(const std::vector<SchemaObject>& objects) {
  tuner::model::DigestBuilder digest;
  for (const SchemaObject& object : objects) digest.add(object.type).add(object.name).add(object.sql);
  return digest.finish().hex();
}

void require_intact(const Connection& source, const std::string& table) {
  Statement check(source, fmt::format("PRAGMA quick_check('{}')", table));
  auto result = check.use();
  const std::string state = result.step() ? result.text() : "nothing";
  if (state == "ok") return;
  throw Error(fmt::format("{}: damaged in table '{}': {}", source.path().string(), table, state),
              "merge an intact copy");
}

/// What stands in the place of a table may be a view that computes for ever, a table with conditions of its
/// own, or one whose triggers do more than ours: only what was created word for word as ours is read, or
/// brought up to date. Other people's views are left alone.
void require_our_schema(const Connection& source, std::int64_t version) {
  static const std::vector<SchemaObject> ours = our_schema();
  const std::vector<SchemaObject> theirs = schema_of(source);
  const auto refuse = [&](const SchemaObject& object, const char* how) {
    throw Error(fmt::format("{}: {} {} '{}' as this program makes it", source.path().string(), how,
                            object.type, object.name),
                "only databases of the tuner can be merged");
  };
  if (version < shipped_schema().version) {
    if (digest_of(theirs) != digest_of_version_8)
      throw Error(fmt::format("{}: its tables are not those of version {}", source.path().string(), version),
                  "only databases of the tuner can be merged");
    for (const SchemaObject& object : theirs)
      if (object.type == "table") require_intact(source, object.name);
    return;
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (i >= theirs.size() || theirs[i] != ours[i]) refuse(ours[i], "has no");
  }
  if (theirs.size() > ours.size()) refuse(theirs[ours.size()], "has, beside what it should have,");
  for (const SchemaObject& object : ours) {
    if (object.type == "table") require_intact(source, object.name);
  }
}

/// A stranger's database, open for reading and never changed: one of an older schema is read as a copy that
/// is brought up to date.
class Foreign {
 public:
  Foreign(const std::filesystem::path& path, const OpenOptions& options)
      : m_db(open_as_it_is(path, options)) {
    m_db.distrust();
    // What was looked at is what will be read, whoever writes meanwhile.
    m_db.execute("BEGIN");
    const std::int64_t version = m_db.integer("PRAGMA user_version");
    require_our_schema(m_db, version);
    if (version == shipped_schema().version) return;
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
  const Connection& db() const { return m_db; }

 private:
  std::optional<tuner::util::TemporaryFolder> m_folder;
  Connection m_db;
};

/// One merge of several databases: what can be done once for all of them is done at its end.
class Merge {
 public:
  Merge(const Connection& target, const MergeOptions& options, bool defers_indexes)
      : m_target(target),
        m_as_copy(options.as_copy),
        m_writer(target, RowWriter::Life::one_transaction),
        m_specs(target) {
    if (defers_indexes) m_deferred.emplace(target);
  }

  Added add(const Connection& source) {
    const AddedCounter counter(m_target);
    for (const auto& run : runs(source)) m_writer.put(run);
    MergeRows(m_target, source, m_writer).copy();
    for (const auto& failure : past_failures(source)) m_writer.put(failure);
    for (const auto& probing : probings(source)) {
      m_writer.note(probing);
      m_judged.insert(probing.verdict.probe);
    }
    for (const auto& declaration : declarations(source)) {
      m_specs.put(declaration);
      if (m_as_copy && declaration.own) m_specs.own(declaration);
    }
    for_each_judgement(source, [&](const StoredJudgement& judgement) { m_specs.put(judgement); });
    for (const auto& final : finals(source)) m_writer.put(final);
    for (const auto& search : searches(source)) m_writer.put(search);
    for (const auto& ceiling : ceilings(source)) m_writer.put(ceiling);
    return counter.since();
  }

  void finish(const Judge& judge) {
    if (m_deferred) {
      m_target.set_cache(index_cache_bytes);
      m_deferred->make();
    }
    Statement failed(m_target, "SELECT id FROM verdicts WHERE status <> 'ok'");
    for (auto row = failed.use(); row.step();) m_judged.insert(row.digest());
    for (const tuner::model::Digest& probe : m_judged) m_writer.condemn(probe);
    m_writer.settle_failures();
    m_specs.settle(judge);
  }

 private:
  const Connection& m_target;
  bool m_as_copy;
  std::optional<DeferredIndexes> m_deferred;
  RowWriter m_writer;
  KernelSpecs m_specs;
  std::set<tuner::model::Digest> m_judged;
};

std::uintmax_t size_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

/// All entries of an index are sorted anew, also of what is there already: half of it is where that takes as
/// long as to put in the others one by one.
bool pays_to_defer_indexes(const Connection& target, const std::vector<std::filesystem::path>& paths) {
  std::uintmax_t bytes = 0;
  for (const auto& path : paths) bytes += size_of(path);
  const std::int64_t there = target.integer("PRAGMA page_count") * target.integer("PRAGMA page_size");
  return bytes >= static_cast<std::uintmax_t>(there) / 2;
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

void require_mergeable(const std::filesystem::path& path, const OpenOptions& options) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::not_found) {
    throw Error(fmt::format("{}: there is no such file", path.string()),
                "check the path: `tuner merge` takes databases of tuner's");
  }
  constexpr std::string_view mark{"SQLite format 3\0", 16};
  std::array<char, mark.size()> bytes{};
  std::ifstream in(path, std::ios::binary);
  const bool is_read = type == std::filesystem::file_type::regular && in.is_open();
  in.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(in.gcount()));
  if (begin == mark || !is_read) {
    open_as_it_is(path, options);  // says what else may be wrong with it
    return;
  }
  if (begin.empty()) {
    throw Error(fmt::format("{}: the file is empty", path.string()), "there is nothing in it to merge");
  }
  if (begin.front() == '{') {
    throw Error(
        fmt::format("{}: not a database; it begins as an export does", path.string()),
        fmt::format("an export is added with `tuner import {}`", tuner::util::shell_quote(path.string())));
  }
  throw Error(
      fmt::format("{}: not an SQLite database", path.string()),
      "`tuner merge` takes databases of tuner's; what `tuner export` wrote is added with `tuner import`");
}

std::vector<Added> merge_databases(const Connection& target, const std::vector<std::filesystem::path>& paths,
                                   const MergeOptions& options) {
  require_others(target, paths, options.open);
  target.set_cache(target_cache_bytes);
  const SortingInFiles sorting(target);
  // RowWriter puts what a row refers to before it; asking again for each row took a fifth of the time.
  const UnenforcedKeys unenforced(target);
  Transaction transaction(target);
  Merge merge(target, options, pays_to_defer_indexes(target, paths));
  std::vector<Added> added;
  for (const auto& path : paths) {
    const Foreign foreign(path, options.open);
    foreign.db().set_cache(source_cache_bytes);
    try {
      added.push_back(merge.add(foreign.db()));
    } catch (const Error& failure) {
      throw failure.in_context(fmt::format("merging {}", path.string()));
    }
    foreign.db().require_unwritten();
    if (options.progress) options.progress(path, added.back());
  }
  merge.finish(options.judge);
  transaction.commit();
  return added;
}

Added merge_database(const Connection& target, const std::filesystem::path& path,
                     const OpenOptions& options) {
  return merge_databases(target, {path}, {.open = options, .as_copy = false, .judge = {}, .progress = {}})
      .front();
}

}  // namespace db
