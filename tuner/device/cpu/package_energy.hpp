#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

namespace tuner::device::cpu {

/// The counters of the processor's packages (RAPL) as Linux shows them in its powercap folder.
class PackageEnergy {
 public:
  /// TUNER_POWERCAP names another folder than /sys/class/powercap.
  static std::filesystem::path usual_folder();

  explicit PackageEnergy(std::filesystem::path folder = usual_folder()) : m_folder(std::move(folder)) {}

  /// J that all packages have taken since the first call; nothing where there are none, or one cannot be
  /// read. Call it more often than a counter starts again, every few minutes.
  std::optional<double> joules();

 private:
  struct Package {
    std::uint64_t last_uj = 0;
    std::uint64_t taken_uj = 0;
  };

  std::filesystem::path m_folder;
  std::map<std::filesystem::path, Package> m_packages;
};

}  // namespace tuner::device::cpu
