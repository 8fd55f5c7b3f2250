#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/device/cuda/counters/cupti.hpp"

namespace tuner::device::cuda::counters {

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
