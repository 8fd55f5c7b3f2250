#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::cluster {

/// A task of Slurm's that has not ended.
struct QueuedTask {
  std::string job;          ///< of an array, that of the whole
  std::optional<int> part;  ///< the number in the array; absent: a job by itself
  std::string name;
  bool waiting = false;  ///< not started yet, or to be started again

  bool operator==(const QueuedTask&) const = default;
};

/// What squeue prints for `queue_format`, one array task a line; those that work in `folder`.
std::vector<QueuedTask> parse_queue(std::string_view text, const std::filesystem::path& folder);
extern const char* const queue_format;

/// What Slurm knows of a folder's tasks.
struct Queue {
  std::vector<QueuedTask> tasks;
  std::string failure;  ///< why it could not be asked; empty: it was
  bool there = false;   ///< this machine has Slurm's commands

  /// Whether `tasks` can be believed.
  bool answered() const { return there && failure.empty(); }
};
Queue ask_slurm(const std::filesystem::path& folder);

/// Hands a script to sbatch with these options and returns the job's number. Throws model::Error with what
/// sbatch said.
std::string submit_script(const std::filesystem::path& script, const std::vector<std::string>& options);
/// Takes a job that waits out of the queue.
void cancel_job(const std::string& job);

}  // namespace tuner::cluster
