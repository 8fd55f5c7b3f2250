#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/util/files.hpp"

namespace tuner::cluster {

/// Which contents a file had when it was looked at: another writer replaces the file, so another inode, size
/// or time of the file server tells. Times are compared for being the same, never for being later.
struct FileMark {
  ino_t inode = 0;  ///< 0: there was no file
  off_t bytes = 0;
  std::int64_t modified_ns = 0;

  bool operator==(const FileMark&) const = default;
};

/// Opens the file to look at it: network file systems ask the server for what is opened, and only then.
/// Throws model::Error where it is there and cannot be opened.
FileMark mark_of(const std::filesystem::path& path);

// Both replace `target` in one step. Readers see either the old contents or the new ones, also after a power
// cut. The new file lies beside it meanwhile under a name with host and process. Throw model::Error with the
// target and the reason; then `target` is as it was, and nothing lies beside it.

/// Returns the mark of what is there now.
FileMark replace_by_copy(const std::filesystem::path& target, const std::filesystem::path& source);
void replace_by_text(const std::filesystem::path& target, std::string_view text);

/// Removes what killed writers of `target` left beside it. No other process may be writing it.
void remove_leftovers(const std::filesystem::path& target);

/// Keeps two publishers of one file apart, between machines too as far as the shared file system has locks;
/// where it has none, there is no lock and no error. The lock is on a file beside it, which stays, and dies
/// with its holder.
class PublishLock {
 public:
  /// Throws model::Error where another process still has it after `patience`, and where the lock's file
  /// cannot be made.
  PublishLock(const std::filesystem::path& published, std::chrono::milliseconds patience);

 private:
  util::FileDescriptor m_file;
};

/// Which part of several; 0 of 0 is the whole.
struct Part {
  int number = 0;
  int of = 0;

  bool operator==(const Part&) const = default;
};

enum class RunState { running, interrupted, done, failed };

std::string_view to_string(RunState state);

/// How far a run that publishes its database has come, as it says so itself beside what it publishes. It
/// holds no time of day: hosts need not agree on one.
struct PartProgress {
  Part part;
  std::int64_t planned = 0;   ///< trials of the part
  std::int64_t known = 0;     ///< of these, when the run began
  std::int64_t finished = 0;  ///< of these, since
  double trials_per_second = 0;
  RunState state = RunState::running;
  std::string host;
  std::int64_t process = 0;
  std::string job;           ///< as Slurm calls the task, `1234_5`; empty without Slurm
  std::string owner;         ///< unlike any other run's
  std::string database;      ///< on that host
  double next_within_s = 0;  ///< the next sign of life is due within this time

  bool operator==(const PartProgress&) const = default;
  std::int64_t measured() const { return known + finished; }
};

/// `results/3.db` -> `results/3.db.progress.json`
std::filesystem::path progress_file_of(const std::filesystem::path& published);

std::string progress_text(const PartProgress& progress);
/// Nothing is trusted: throws model::Error that names `origin` and what is wrong.
PartProgress parse_progress(std::string_view text, const std::string& origin);
/// Absent where there is no such file. Throws as parse_progress().
std::optional<PartProgress> read_progress(const std::filesystem::path& file);

}  // namespace tuner::cluster
