#pragma once
#include <cstddef>
#include <map>
#include <string>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_spread.hpp"

namespace tuner::sweep {

/// What a trial may be dropped for: the best time of its problem so far, as its own device would take it, and
/// no less than it is recorded with: whoever is dropped by a fast device is to be seen slower by the records
/// too.
class BestTimes {
 public:
  /// The references must outlive the object.
  BestTimes(const Request& request, Services& services, const DeviceSpread& spread)
      : m_request(request), m_services(services), m_spread(spread) {}

  /// In ns; 0: there is none yet, or nobody drops it. A baseline is never dropped, and nobody for one.
  double of(const Compiled& trial, std::size_t device);
  void learn(const Compiled& trial, std::size_t device);

 private:
  struct Best {
    double corrected_ns = 0;  ///< as the first device would take it; 0: none yet
    double recorded_ns = 0;   ///< whichever device took it
    double before_ns = 0;     ///< what was known before the sweep
    std::string before_gpu;   ///< that measured it
  };
  Best before(const model::TrialRecord& record) const;

  const Request& m_request;
  Services& m_services;
  const DeviceSpread& m_spread;
  std::map<std::size_t, Best> m_best;  ///< by group
};

}  // namespace tuner::sweep
