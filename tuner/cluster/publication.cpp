#include "tuner/cluster/publication.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "db/database.hpp"
#include "db/merge.hpp"
#include "db/snapshot.hpp"
#include "tuner/cluster/publish_lock.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/output_file.hpp"

namespace tuner::cluster {
namespace {

/// A file that goes with the object.
class PassingFile {
 public:
  explicit PassingFile(std::filesystem::path path) : m_path(std::move(path)) { remove(); }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;
  ~PassingFile() { remove(); }
  const std::filesystem::path& path() const { return m_path; }

 private:
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
  }
  std::filesystem::path m_path;
};

}  // namespace

Publication::Publication(std::filesystem::path database, std::filesystem::path file)
    : m_database(std::move(database)),
      m_file(std::filesystem::absolute(file)),
      m_source(db::open_for_reading(m_database)) {}

std::optional<db::Added> Publication::take_over() {
  util::require_writable(m_file.string(), "nothing was done; give another file with --publish");
  std::error_code error;
  if (std::filesystem::equivalent(m_file, m_database, error)) {
    throw model::UsageError(fmt::format("--publish {}: is the database itself", m_file.string()),
                            "publish to a file of its own, and keep --db on a local disk");
  }
  const PublishLock lock(m_file, std::chrono::seconds(60));
  return merge_what_is_there();
}

std::optional<db::Added> Publication::merge_what_is_there() {
  const FileMark there = mark_of(m_file);
  require_quiet();
  if (there.inode == 0 || there == m_mark) return std::nullopt;
  const db::Added added = db::merge_database(db::open_database(m_database), m_file);
  m_mark = there;
  return added;
}

/// SQLite would take the log of the file before for one of the file that comes after.
void Publication::require_quiet() const {
  for (const char* log : {"-wal", "-journal"}) {
    if (!std::filesystem::exists(m_file.string() + log)) continue;
    throw model::Error(fmt::format("{}: is a database in use ({}{} is there)", m_file.string(),
                                   m_file.filename().string(), log),
                       "publish to a file that nobody opens for writing");
  }
}

Publication::Round Publication::publish(const Progress& progress, std::chrono::milliseconds patience) {
  const PublishLock lock(m_file, patience);
  const std::filesystem::path progress_file = progress_file_of(m_file);
  remove_leftovers(m_file);
  remove_leftovers(progress_file);
  Round round;
  round.gained = merge_what_is_there();
  round.copied = copy();
  replace_by_text(progress_file, progress_text(progress));
  return round;
}

bool Publication::copy() {
  const std::int64_t version = m_source.integer("PRAGMA data_version");
  if (version == m_version && mark_of(m_file) == m_mark) return false;
  const PassingFile snapshot(fmt::format("{}.snapshot-{}", m_database.string(), ::getpid()));
  db::snapshot(m_source, snapshot.path());
  m_mark = replace_by_copy(m_file, snapshot.path());
  m_version = version;
  return true;
}

}  // namespace tuner::cluster
