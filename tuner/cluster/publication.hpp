#pragma once
#include <chrono>
#include <filesystem>
#include <optional>

#include "db/added.hpp"
#include "db/connection.hpp"
#include "tuner/cluster/progress.hpp"
#include "tuner/cluster/shared_file.hpp"

namespace tuner::cluster {

/// The copy of a local database that others may read, in a folder that machines share. A database on a
/// network file system is not safe to write to; a file that is replaced whole is.
class Publication {
 public:
  /// `database`: made already, on a local file system.
  Publication(std::filesystem::path database, std::filesystem::path file);

  /// Before a run: what was published earlier, by this host or another, is merged into the database, so that
  /// nothing is done twice. Absent where there is no file. Throws model::Error where it cannot be written
  /// later, or is no database of ours: it would not be replaced then.
  std::optional<db::Added> take_over();

  /// What one round of publishing did.
  struct Round {
    bool copied = false;  ///< the database had changed since the round before
    /// Another process had replaced the file: what it has gained was merged into the database first.
    std::optional<db::Added> gained;
  };
  /// Replaces the file where the database has changed, and the progress beside it always. Throws model::Error
  /// where another publisher keeps the file for longer than `patience`, and where anything fails; what was
  /// published before is then still there.
  Round publish(const Progress& progress, std::chrono::milliseconds patience);

  const std::filesystem::path& file() const { return m_file; }
  const std::filesystem::path& database() const { return m_database; }

 private:
  std::optional<db::Added> merge_what_is_there();
  bool copy();
  void require_quiet() const;

  std::filesystem::path m_database;
  std::filesystem::path m_file;
  db::Connection m_source;
  FileMark m_mark;                        ///< of the file as it was last merged or written
  std::optional<std::int64_t> m_version;  ///< SQLite's count of changes, as published
};

}  // namespace tuner::cluster
