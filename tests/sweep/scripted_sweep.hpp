#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tuner/model/digest.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::test {

/// A sweep as `tuner run` does it, with the scripted compiler and device in real child processes instead of a
/// GPU's: specs from files, results in a database, binaries in a cache, the device locked.
struct ScriptedSweep {
  std::vector<std::filesystem::path> specs;   ///< files or folders
  std::vector<std::filesystem::path> rivals;  ///< sweep::Request::rivals, the same
  std::vector<std::int64_t> sizes = {100'000};
  std::filesystem::path database;
  std::filesystem::path cache;          ///< of binaries, and the folder of the device's lock; empty: neither
  std::string device = "Scripted GPU";  ///< its model
  std::string uuid = "GPU-5c819fed";    ///< what is locked
  std::uint64_t seed = 1;
  /// Of a compilation, and of a phase of a run: on a busy machine anything takes seconds.
  std::chrono::milliseconds deadline = std::chrono::minutes(2);
  double within = 1e9;  ///< of the best: who is in a final
  bool retry_failed = false;
  std::string recorded_device;  ///< sweep::Request::recorded_device
};

/// What a sweep did, and what it said to its user.
struct ScriptedSummary : sweep::Summary {
  std::vector<std::string> notices;
};

/// The kernels of `specs`. Throws model::Error where one has a mistake.
std::vector<model::KernelSpec> scripted_kernels(const std::vector<std::filesystem::path>& specs);
/// Does it all, and throws what `tuner run` would end with.
ScriptedSummary run_scripted_sweep(const ScriptedSweep& sweep);

/// A spec with `configurations` configurations whose kernel is called, and so behaves like, `entry`; see
/// behaviour_of(). Written with its sources to `folder`.
void write_scripted_spec(const std::filesystem::path& folder, const std::string& entry, int configurations);

/// What a database says of a trial, less where and when it was measured.
struct ScriptedResult {
  std::string what;  ///< kernel and configuration
  std::string status;
  std::string detail;
  std::vector<double> samples_ns;
  tuner::model::Metrics metrics;
  bool operator==(const ScriptedResult&) const = default;
};
std::map<model::Digest, ScriptedResult> results_in(const std::filesystem::path& database);

}  // namespace tuner::test
