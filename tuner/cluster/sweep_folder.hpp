#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace tuner::cluster {

/// Where the parts of a sweep and what came of them lie, in a folder that the machines share.
class SweepFolder {
 public:
  explicit SweepFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return m_path; }  ///< absolute, links followed
  std::filesystem::path results() const { return m_path / "results"; }
  std::filesystem::path published(int part) const;
  std::filesystem::path logs() const { return m_path / "logs"; }
  std::filesystem::path array_script() const { return m_path / "shards.sbatch"; }
  std::filesystem::path last_script() const { return m_path / "last.sbatch"; }
  std::filesystem::path description_file() const { return m_path / "sweep.json"; }

 private:
  std::filesystem::path m_path;
};

/// What `tuner slurm` keeps of a sweep for those who look after it.
struct SweepDescription {
  int shards = 0;
  std::string command;           ///< that wrote the folder
  std::filesystem::path result;  ///< where the last job publishes all there is

  bool operator==(const SweepDescription&) const = default;
};

/// Throws model::Error.
void write_description(const SweepFolder& folder, const SweepDescription& description);
/// Absent where the folder has none. Throws model::Error for one that makes no sense.
std::optional<SweepDescription> read_description(const SweepFolder& folder);

}  // namespace tuner::cluster
