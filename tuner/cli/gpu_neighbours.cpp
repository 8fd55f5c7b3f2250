#include "tuner/cli/gpu_neighbours.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tuner::cli {
namespace {

/// Whether /proc counts processes as the driver does: in the first PID namespace, whose inode number is fixed
/// (PROC_PID_INIT_INO). In a container /proc may have another process under the same number.
bool sees_all_processes() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/ns/pid", ignored) == "pid:[4026531836]";
}

/// `pid 1234, python3`
std::string name_of(std::uint32_t pid, bool trust_proc) {
  std::string name;
  if (trust_proc) {
    std::ifstream comm(fmt::format("/proc/{}/comm", pid));
    std::getline(comm, name);
  }
  return name.empty() ? fmt::format("pid {}", pid) : fmt::format("pid {}, {}", pid, name);
}

}  // namespace

GpuNeighbours::GpuNeighbours(const std::vector<model::DeviceInfo>& devices) {
  for (const model::DeviceInfo& device : devices) {
    if (model::device_kind(device.kind).is_gpu) m_gpus.push_back(device);
  }
}

std::vector<std::string> GpuNeighbours::sentences() {
  std::vector<std::string> sentences;
  if (!m_gpus.empty() && !m_nvml) m_nvml.emplace();
  for (const model::DeviceInfo& gpu : m_gpus) {
    const std::vector<std::uint32_t> pids = m_nvml->compute_processes(gpu.uuid);
    if (pids.empty()) continue;
    const bool trust_proc = sees_all_processes();
    std::string names;
    for (const std::uint32_t pid : pids) names += (names.empty() ? "" : "; ") + name_of(pid, trust_proc);
    sentences.push_back(fmt::format(
        "{} ({}) {} using {}: times may be off", pids.size() == 1 ? "another process" : "other processes",
        names, pids.size() == 1 ? "is" : "are", m_gpus.size() == 1 ? "this GPU" : gpu.id));
  }
  return sentences;
}

}  // namespace tuner::cli
