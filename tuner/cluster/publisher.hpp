#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "db/connection.hpp"
#include "db/transfer.hpp"
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
  Round publish(const PartProgress& progress, std::chrono::milliseconds patience);

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

/// Publishes at intervals beside a run, from a thread of its own: at once when the run is asked to stop,
/// since what comes after may not be granted, and a last time at the end. Where copying takes long the
/// intervals become ten times as long as it. A folder that is full or gone for a while is told once and tried
/// again.
class Publisher {
 public:
  /// `progress`: who publishes. `stop`: the run was asked to end; outlives this object.
  Publisher(Publication publication, PartProgress progress, double every_s, const std::atomic<bool>& stop);
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;
  /// Without finish() the run has failed, and what it has measured is published all the same.
  ~Publisher();

  // From the run's thread.
  void planned(std::int64_t trials, std::int64_t known);
  void more(std::int64_t trials);  ///< fewer, where it is negative
  void finished_one();
  /// Sentences for people since the last call: that publishing fails, why, and that it works again.
  std::vector<std::string> take_notices();

  /// Publishes all there is. Returns why that was not possible; empty: everything is published. Another
  /// publisher at work on the same file is waited for, a minute at most.
  std::string finish(RunState state);

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  bool wait_until_due(Clock::time_point due, bool& told_of_stop);
  std::string publish(std::chrono::milliseconds patience);
  PartProgress progress_now() const;
  void say(std::string sentence);

  Publication m_publication;
  const std::atomic<bool>& m_stop;
  Clock::duration m_every;
  Clock::duration m_pause;     ///< until the next round
  std::string m_failure;       ///< of the last round; empty: it worked
  mutable std::mutex m_mutex;  ///< of what follows
  PartProgress m_progress;
  Clock::time_point m_began;
  std::vector<std::string> m_notices;
  bool m_ending = false;
  std::condition_variable m_wake;
  std::thread m_thread;
};

}  // namespace tuner::cluster
