#include "tuner/device/cuda/counters/permission.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>

namespace tuner::device::cuda::counters {
namespace {

constexpr const char* parameter = "RmProfilingAdminOnly";

/// What stands behind `name:` in a file of such lines; nothing where it has none.
std::optional<std::string> value_in(const std::filesystem::path& file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name + ":")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return std::nullopt;
}

bool is_administrator(const std::filesystem::path& proc) {
  constexpr unsigned cap_sys_admin = 21;
  const auto effective = value_in(proc / "self" / "status", "CapEff");
  return !effective || ((std::strtoull(effective->c_str(), nullptr, 16) >> cap_sys_admin) & 1U) != 0;
}

}  // namespace

const char* const how_to_permit =
    "on a host: run as root, or `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in /etc/modprobe.d "
    "and "
    "reboot; in a container: that option on its host, or start it with --cap-add SYS_ADMIN";

std::string why_not_permitted(const std::filesystem::path& proc) {
  const std::filesystem::path parameters = proc / "driver" / "nvidia" / "params";
  const auto restricted = value_in(parameters, parameter);
  if (!restricted || *restricted == "0" || is_administrator(proc)) return "";
  return fmt::format(
      "NVIDIA's driver gives hardware counters to administrators alone ({}: {} in {}), and this process has "
      "no CAP_SYS_ADMIN",
      parameter, *restricted, parameters.string());
}

}  // namespace tuner::device::cuda::counters
