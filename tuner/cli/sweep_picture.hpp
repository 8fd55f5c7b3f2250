#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/cli/terminal/progress.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::cli {

/// What stands below the line of progress: the best of each size as it improves, what compiles, what each
/// device runs with its clock, temperature and watts where they are known, and the last failure. `tuner run`
/// and `tuner top` draw it alike.
class SweepPicture {
 public:
  explicit SweepPicture(std::vector<model::DeviceInfo> devices);

  void compiling(const model::TrialRecord& trial);
  void compiled(const model::TrialRecord& trial);
  void launching(const model::TrialRecord& trial);
  void finished(const model::TrialRecord& trial);
  /// Nothing is compiled or run any more.
  void ended();

  /// At most `rows` lines; those about a configuration are no wider than `columns`; sizes that were
  /// improved long ago are left out first, then what comes last.
  std::vector<std::string> lines(const terminal::Progress& progress, std::size_t columns,
                                 std::size_t rows) const;

 private:
  struct AtWork {
    std::string id;
    std::int64_t trials = 0;
    std::string now;
    std::string configuration;
    std::string state;  ///< ` · 1755 MHz · 54 °C · 412 W`, of its last trial
  };
  AtWork& device_of(const model::TrialRecord& trial);
  static std::vector<std::string> size_lines(const terminal::Progress& progress, std::size_t columns,
                                             std::size_t rows);

  std::vector<std::pair<std::string, AtWork>> m_devices;                     ///< by uuid
  std::map<model::Digest, std::pair<std::string, std::string>> m_compiling;  ///< name, configuration
  std::vector<model::Digest> m_compiling_order;
  std::string m_last_failure;
};

}  // namespace tuner::cli
