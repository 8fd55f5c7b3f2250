#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tuner::cluster {

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
