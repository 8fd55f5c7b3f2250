#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace tuner::util {

/// What this process may use of its machine, by the limits of its control groups.
struct GroupLimits {
  std::optional<double> processors;          ///< of processor time a second; absent: not limited
  std::optional<std::int64_t> memory_bytes;  ///< absent: not limited
};

/// The tightest limits from the process's own group upwards, of version 2 and of version 1. The paths are
/// those of proc(5) and cgroups(7), or a test's.
GroupLimits group_limits(const std::filesystem::path& own_groups = "/proc/self/cgroup",
                         const std::filesystem::path& all_groups = "/sys/fs/cgroup");

/// Processors that this process may run on at once: those of its affinity mask, as far as its control groups
/// let it use them, part of one for a whole one. At least 1.
int usable_processors(const GroupLimits& limits = group_limits());
/// Memory that this process may use: the machine's, or its control groups' limit.
std::int64_t usable_memory_bytes();

/// Calls `work` with every index below `count`, from as many threads as there is enough to do for: of
/// `worth_a_thread` indices each. What it throws is thrown here, once all have ended.
void for_each_index(std::size_t count, std::size_t worth_a_thread,
                    const std::function<void(std::size_t)>& work);

}  // namespace tuner::util
