#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/cuda/counters/cupti.hpp"
#include "tuner/device/device.hpp"

namespace tuner::device::cuda::counters {

/// The counters of the GPU with this ordinal, in the context that is current on the calling thread. `places`
/// are where CUPTI may be. Throws model::Error where there is none, or no permission.
std::unique_ptr<Counters> open(int ordinal, const std::vector<std::string>& places);

/// What to do where counters may not be read, on a host and in a container.
extern const char* const how_to_permit;

/// Why this process may not read hardware counters, as far as that can be told before trying; empty: it may,
/// or it is unknown. The driver's parameters come first: where all may count, nothing else matters. `proc` is
/// where the system tells of itself.
std::string why_not_permitted(const std::filesystem::path& proc = "/proc");

/// Metrics that are counted in the same passes.
using PassGroup = std::vector<std::string>;

/// How metrics are counted.
struct Schedule {
  std::vector<PassGroup> groups;
  int passes = 0;  ///< of all groups together
};

/// What a chip can count, as CUPTI's host half says; needs no GPU. Throws model::Error.
class ChipMetrics {
 public:
  /// `chip` is a name as GH100. `availability`, of a device at hand, leaves out what it cannot count today.
  ChipMetrics(std::shared_ptr<const Cupti> cupti, std::string chip,
              std::vector<std::uint8_t> availability = {});

  const std::string& chip() const { return m_chip; }
  bool knows(const std::string& metric) const;
  /// NVIDIA's word: `byte`, `percent`. Empty: it has none.
  std::string unit(const std::string& metric) const;

  /// The metrics that explain most kernels, as far as the chip knows them; of those that have two names the
  /// one that it knows.
  std::vector<std::string> usual() const;
  /// As few groups as a first fit finds. A metric that can be counted in one pass is: the counters that it
  /// is made from are of one run. So are the terms of ratios() that can be counted in one pass together.
  Schedule schedule(const std::vector<std::string>& metrics) const;
  /// As the device is told it.
  std::vector<std::uint8_t> config_image(const std::vector<PassGroup>& groups) const;
  /// The metrics' values of a run whose counters are in `data`.
  std::vector<double> evaluate(std::span<const std::uint8_t> data,
                               const std::vector<std::string>& metrics) const;

 private:
  int passes(const std::vector<PassGroup>& groups) const;

  std::shared_ptr<const Cupti> m_cupti;
  std::string m_chip;
  std::vector<std::uint8_t> m_availability;
};

/// Pairs of metrics that people divide by each other.
const std::vector<PassGroup>& ratios();

/// Names of the chips that this CUPTI knows.
std::vector<std::string> chips(const Cupti& cupti);

}  // namespace tuner::device::cuda::counters
