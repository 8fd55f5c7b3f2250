#include "tuner/cli/gpu_neighbours.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "tuner/device/cuda/nvml.hpp"

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

GpuNeighbours::GpuNeighbours(const model::DeviceInfo& device)
    : m_uuid(device.kind == "cuda" ? device.uuid : "") {}

GpuNeighbours::~GpuNeighbours() = default;

std::optional<std::string> GpuNeighbours::sentence() {
  if (m_uuid.empty()) return std::nullopt;
  if (!m_nvml) m_nvml = std::make_unique<device::cuda::Nvml>();
  const std::vector<std::uint32_t> pids = m_nvml->compute_processes(m_uuid);
  if (pids.empty()) return std::nullopt;
  const bool trust_proc = sees_all_processes();
  std::string names;
  for (const std::uint32_t pid : pids) names += (names.empty() ? "" : "; ") + name_of(pid, trust_proc);
  return fmt::format("{} ({}) {} using this GPU: times may be off",
                     pids.size() == 1 ? "another process" : "other processes", names,
                     pids.size() == 1 ? "is" : "are");
}

}  // namespace tuner::cli
