#pragma once
#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>

// With nothing but C's library: libtuner needs it too.
namespace tuner::util {

/// What this process may use of its machine, by the limits of its control groups; 0: not limited.
struct GroupLimits {
  double processors = 0;  ///< of processor time a second
  double memory_bytes = 0;
};

/// The one or two numbers in the first line of a file; 0 where there are none, as in `max 100000`.
inline double number_in(const char* folder, const char* file, double* second = nullptr) {
  char path[8400];
  std::snprintf(path, sizeof path, "%s/%s", folder, file);
  double number = 0;
  double ignored = 0;
  FILE* const in = std::fopen(path, "re");
  if (in == nullptr) return 0;
  if (std::fscanf(in, "%lf%lf", &number, second == nullptr ? &ignored : second) < 1) number = 0;
  std::fclose(in);
  return number;
}

inline void lower(double& least, double found) {
  if (found > 0 && (least <= 0 || found < least)) least = found;
}

/// Of one group, of version 2 or of version 1.
inline void read_limits(const char* group, GroupLimits& limits) {
  // `max 100000`, or microseconds in each period of so many.
  double period = 0;
  const double quota = number_in(group, "cpu.max", &period);
  if (quota > 0 && period > 0) lower(limits.processors, quota / period);
  const double old_period = number_in(group, "cpu.cfs_period_us");
  if (old_period > 0) lower(limits.processors, number_in(group, "cpu.cfs_quota_us") / old_period);
  lower(limits.memory_bytes, number_in(group, "memory.max"));
  // Without a limit this is the largest multiple of a page.
  constexpr double none = 9e18;
  const double memory = number_in(group, "memory.limit_in_bytes");
  if (memory < none) lower(limits.memory_bytes, memory);
}

/// The tightest limits from the process's own group upwards, of version 2 and of version 1. The paths are
/// those of proc(5) and cgroups(7), or a test's.
inline GroupLimits group_limits(const char* own_groups = "/proc/self/cgroup",
                                const char* all_groups = "/sys/fs/cgroup") {
  GroupLimits limits;
  FILE* const groups = std::fopen(own_groups, "re");
  char line[4096];
  while (groups != nullptr && std::fgets(line, sizeof line, groups) != nullptr) {
    // `0::/path` of version 2; `4:cpu,cpuacct:/path` of version 1.
    char* const controllers = std::strchr(line, ':');
    char* const path = controllers == nullptr ? nullptr : std::strchr(controllers + 1, ':');
    if (path == nullptr) continue;
    *path = '\0';
    char group[8300];
    std::snprintf(group, sizeof group, "%s/%s%.*s", all_groups, controllers + 1,
                  static_cast<int>(std::strcspn(path + 1, "\n")), path + 1);
    // The group and those that it is in, the root last.
    const std::size_t root = std::strlen(all_groups);
    while (std::strlen(group) > root) {
      read_limits(group, limits);
      *std::strrchr(group, '/') = '\0';
    }
  }
  if (groups != nullptr) std::fclose(groups);
  return limits;
}

/// Processors that this process may run on at once: those of its affinity mask, as far as its control groups
/// let it use them, part of one for a whole one. At least 1.
inline int usable_processors(const GroupLimits& limits = group_limits()) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  // More processors than a mask of the usual size has room for: then all of them.
  const bool known = sched_getaffinity(0, sizeof mask, &mask) == 0;
  const long all = known ? CPU_COUNT(&mask) : sysconf(_SC_NPROCESSORS_ONLN);
  const int allowed = all > 1 ? static_cast<int>(all) : 1;
  return limits.processors > 0 && limits.processors < allowed ? static_cast<int>(std::ceil(limits.processors))
                                                              : allowed;
}

}  // namespace tuner::util
