#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "tuner/device/cpu/block_runner.hpp"
#include "tuner/device/cpu/cpu_device.hpp"

namespace tuner::device::cpu {
namespace {

/// Each fibre's stack and its guard page are two mappings, and Linux allows a process 65530 of them by
/// default (vm.max_map_count): this many workers with blocks of 1024 threads stay below.
constexpr int most_workers = 28;

/// The value in the first line of a /proc file that starts with `key`; empty where there is none.
std::string proc_value(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return "";
}

std::string processor_name() {
  const std::string name = proc_value("/proc/cpuinfo", "model name");
  return name.empty() ? "CPU" : name;  // not every architecture names its model there
}

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(CPU_COUNT(&cores), 1);
  return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

std::int64_t positive(long value) {
  return std::max(value, 0L);
}

}  // namespace

model::DeviceInfo describe_cpu(const CpuOptions& options) {
  model::DeviceInfo info;
  info.id = "cpu";
  info.kind = "cpu";
  info.name = processor_name();
  info.architecture = "host";
  const std::int64_t page_bytes = positive(sysconf(_SC_PAGESIZE));
  info.memory_bytes = positive(sysconf(_SC_PHYS_PAGES)) * page_bytes;
  // Not what is unused: the page cache gives way.
  info.free_memory_bytes =
      1024 * std::strtoll(proc_value("/proc/meminfo", "MemAvailable").c_str(), nullptr, 10);
  info.limits.multiprocessors =
      std::min(options.workers > 0 ? options.workers : usable_cores(), most_workers);
  // Times with more workers are other times: part of what may be compared.
  info.driver = fmt::format("cpu-{} with {} workers", tuner_cpu::abi_version, info.limits.multiprocessors);
  info.limits.max_threads_per_block = static_cast<int>(most_threads);
  info.limits.max_threads_per_multiprocessor = static_cast<int>(most_threads);
  info.limits.max_blocks_per_multiprocessor = 1;
  info.limits.shared_bytes_per_block = options.shared_bytes_per_block;
  info.limits.shared_bytes_per_block_optin = options.shared_bytes_per_block_optin;
  info.limits.shared_bytes_per_multiprocessor = options.shared_bytes_per_block_optin;
  info.limits.l2_bytes = positive(sysconf(_SC_LEVEL3_CACHE_SIZE));
  return info;
}

}  // namespace tuner::device::cpu
