#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tuner/cluster/sweep_folder.hpp"

namespace tuner::cluster {

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
  std::vector<std::string> options;  ///< of sbatch, in both scripts: `--time=2:00:00`
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

}  // namespace tuner::cluster
