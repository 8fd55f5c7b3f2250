#include "tuner/device/cpu/package_energy.hpp"

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace tuner::device::cpu {
namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

/// `intel-rapl:0`; parts of a package are `intel-rapl:0:1`.
bool is_package(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with("intel-rapl:") && name.find(':') == name.rfind(':');
}

}  // namespace

std::filesystem::path PackageEnergy::usual_folder() {
  const char* const named = std::getenv("TUNER_POWERCAP");
  return named == nullptr || *named == 0 ? "/sys/class/powercap" : named;
}

std::optional<double> PackageEnergy::joules() {
  std::error_code error;
  std::uint64_t sum_uj = 0;
  bool any = false;
  for (const auto& entry : std::filesystem::directory_iterator(m_folder, error)) {
    if (!is_package(entry.path())) continue;
    const auto now_uj = number_in(entry.path() / "energy_uj");
    if (!now_uj) return std::nullopt;
    const auto [known, is_new] = m_packages.try_emplace(entry.path(), Package{*now_uj, 0});
    Package& package = known->second;
    const std::uint64_t range_uj = number_in(entry.path() / "max_energy_range_uj").value_or(0);
    package.taken_uj +=
        *now_uj >= package.last_uj ? *now_uj - package.last_uj : *now_uj + range_uj - package.last_uj;
    package.last_uj = *now_uj;
    sum_uj += package.taken_uj;
    any = true;
  }
  return any ? std::optional(static_cast<double>(sum_uj) * 1e-6) : std::nullopt;
}

}  // namespace tuner::device::cpu
