#include "tuner/util/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "tuner/util/text.hpp"

namespace tuner::util {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<double> number_in(const fs::path& file) {
  return parse_number<double>(first_line(file));
}

template <typename Value>
void lower(std::optional<Value>& least, std::optional<double> value) {
  if (!value || *value <= 0) return;
  const auto found = static_cast<Value>(*value);
  if (!least || found < *least) least = found;
}

/// Of version 2: `cpu.max` is `max 100000`, or microseconds in each period of so many.
void read_unified(const fs::path& group, GroupLimits& limits) {
  const std::string max = first_line(group / "cpu.max");
  const std::size_t space = max.find(' ');
  if (space != std::string::npos) {
    const auto quota = parse_number<double>(max.substr(0, space));
    const auto period = parse_number<double>(max.substr(space + 1));
    if (quota && period && *period > 0) lower(limits.processors, *quota / *period);
  }
  lower(limits.memory_bytes, number_in(group / "memory.max"));
}

void read_legacy(const fs::path& group, GroupLimits& limits) {
  const auto quota = number_in(group / "cpu.cfs_quota_us");
  const auto period = number_in(group / "cpu.cfs_period_us");
  if (quota && period && *period > 0) lower(limits.processors, *quota / *period);
  // Without a limit this is the largest multiple of a page.
  constexpr double none = 9e18;
  const auto memory = number_in(group / "memory.limit_in_bytes");
  if (memory && *memory < none) lower(limits.memory_bytes, memory);
}

/// The group and those it is in, down to `root`.
template <typename Read>
void read_upwards(const fs::path& root, const std::string& group, Read read) {
  for (fs::path at = fs::path(group).relative_path();; at = at.parent_path()) {
    read(root / at);
    if (at.empty()) return;
  }
}

}  // namespace

GroupLimits group_limits(const fs::path& own_groups, const fs::path& all_groups) {
  GroupLimits limits;
  std::ifstream in(own_groups);
  for (std::string line; std::getline(in, line);) {
    // `0::/path` of version 2; `4:cpu,cpuacct:/path` of version 1.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      read_upwards(all_groups, group, [&](const fs::path& at) { read_unified(at, limits); });
    } else {
      read_upwards(all_groups / controllers, group, [&](const fs::path& at) { read_legacy(at, limits); });
    }
  }
  return limits;
}

int usable_processors(const GroupLimits& limits) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  // More processors than a mask of the usual size has room for: then all of them.
  const bool known = sched_getaffinity(0, sizeof mask, &mask) == 0;
  const auto all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int allowed = known ? std::max(1, CPU_COUNT(&mask)) : all;
  const double most = std::ceil(limits.processors.value_or(allowed));
  return static_cast<int>(std::clamp(most, 1.0, static_cast<double>(allowed)));
}

std::int64_t usable_memory_bytes() {
  const std::int64_t all = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return std::min(all, group_limits().memory_bytes.value_or(all));
}

void for_each_index(std::size_t count, std::size_t worth_a_thread,
                    const std::function<void(std::size_t)>& work) {
  static const auto cores = static_cast<std::size_t>(usable_processors());
  const std::size_t parts =
      std::clamp<std::size_t>(count / std::max<std::size_t>(1, worth_a_thread), 1, cores);
  std::vector<std::future<void>> others;
  const auto do_part = [&](std::size_t part) {
    for (std::size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) work(i);
  };
  for (std::size_t part = 1; part < parts; ++part)
    others.push_back(std::async(std::launch::async, do_part, part));
  do_part(0);
  for (auto& other : others) other.get();
}

}  // namespace tuner::util
