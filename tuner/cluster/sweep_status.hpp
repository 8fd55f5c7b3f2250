#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/cluster/shared_file.hpp"
#include "tuner/cluster/slurm.hpp"

namespace tuner::cluster {

enum class PartState {
  done,
  running,
  waiting,  ///< not begun, or in Slurm's queue to be begun again
  lost,     ///< begun or submitted, not done, and no process works on it
};

std::string_view to_string(PartState state);

struct PartStatus {
  int number = 0;  ///< 0: the whole, by the last job
  PartState state = PartState::waiting;
  std::optional<PartProgress> progress;
  std::string note;  ///< for people; may be empty
};

/// How a folder's sweep stands.
struct SweepStatus {
  std::vector<PartStatus> parts;   ///< 1 … n
  std::optional<PartStatus> last;  ///< absent where there is no last job
  std::vector<std::string> notes;  ///< what could not be found out

  int count(PartState state) const;
  /// Every part and the last job; or the last job, where it did all that parts had left.
  bool done() const;
  std::int64_t planned() const;  ///< of parts that have said so
  std::int64_t measured() const;
  double trials_per_second() const;  ///< of parts that run
  /// At the present speed; absent where no part runs or a part has not begun.
  std::optional<double> seconds_left() const;
};

/// What the file server takes for now, in nanoseconds of an epoch of its own.
using FolderClock = std::function<std::int64_t(const std::filesystem::path& folder)>;
/// Writes a file there and looks at its time; where it cannot write, the time of the newest progress file.
std::int64_t folder_time_ns(const std::filesystem::path& folder);

/// Looks at a folder of `tuner slurm`, or at any with files published by hand. Whether a run that says it is
/// running still does is known from Slurm where it is Slurm's, else from the age of its last sign of life, by
/// the file server's clock alone. Throws model::Error with nothing_found where there is nothing of a sweep.
SweepStatus look_at(const SweepFolder& folder, const Queue& queue, const FolderClock& clock = folder_time_ns);

}  // namespace tuner::cluster
