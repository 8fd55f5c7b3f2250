#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::cluster {

/// Where the parts of a sweep and what came of them lie, in a folder that the machines share.
class SweepFolder {
 public:
  explicit SweepFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return m_path; }  ///< absolute, links followed
  std::filesystem::path results() const { return m_path / "results"; }
  std::filesystem::path published(int part) const;
  std::filesystem::path logs() const { return m_path / "logs"; }
  std::filesystem::path array_script() const { return m_path / "shards.sbatch"; }
  std::filesystem::path last_script() const { return m_path / "last.sbatch"; }
  std::filesystem::path description_file() const { return m_path / "sweep.json"; }

 private:
  std::filesystem::path m_path;
};

/// What `tuner slurm` keeps of a sweep for those who look after it.
struct SweepDescription {
  int shards = 0;
  std::string command;           ///< that wrote the folder
  std::filesystem::path result;  ///< where the last job publishes all there is

  bool operator==(const SweepDescription&) const = default;
};

/// Throws model::Error.
void write_description(const SweepFolder& folder, const SweepDescription& description);
/// Absent where the folder has none. Throws model::Error for one that makes no sense.
std::optional<SweepDescription> read_description(const SweepFolder& folder);

/// What the scripts of a sweep under Slurm are written from. All paths are absolute.
struct SlurmSweep {
  explicit SlurmSweep(SweepFolder shared) : folder(std::move(shared)) {}

  SweepFolder folder;
  std::filesystem::path program;  ///< this tuner, where the nodes find it
  int shards = 1;
  std::string command;                 ///< that writes the scripts, for people
  std::vector<std::string> arguments;  ///< of `tuner run`, without database, cache, report and shard
  std::filesystem::path result;        ///< where the last job publishes all there is
  std::filesystem::path report;        ///< which it writes
  std::filesystem::path cache;         ///< of binaries, shared; empty: each task has its own
  bool needs_gpu = true;
  std::vector<std::string> options;    ///< of sbatch, in both scripts: `--time=2:00:00`
  std::vector<std::string> variables;  ///< of settings: what they are where a script is run does not count
};

constexpr const char* last_job_name = "tuner-last";

/// The job array: shard K of N is task K. It works in a folder of its own on the node, which it finds again
/// when it is requeued there, publishes to results/K.db, and hands Slurm's warning before the end on to the
/// tuner.
std::string array_script(const SlurmSweep& sweep);
/// The job after it: brings together what there is, does what is missing, holds the finals on one device.
std::string last_script(const SlurmSweep& sweep);

/// Whether sbatch can be told of the folder: it reads `%` and `\` in a log's path as patterns. Throws
/// model::UsageError.
void require_speakable(const std::filesystem::path& folder);
/// `time=2:00:00` or `--time=2:00:00` as a line of a script takes it. Throws model::UsageError for what is no
/// option of sbatch, or is ours to set.
std::string sbatch_option(const std::string& text);

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
