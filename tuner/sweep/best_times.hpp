#pragma once
#include <cstddef>
#include <map>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_spread.hpp"

namespace tuner::sweep {

/// What a trial may be dropped for: the best time of its problem so far, as its own device would take it.
class BestTimes {
 public:
  /// The references must outlive the object.
  BestTimes(const Request& request, Services& services, const DeviceSpread& spread)
      : m_request(request), m_services(services), m_spread(spread) {}

  /// In ns; 0: there is none yet, or nobody drops it. A baseline is never dropped, and nobody for one.
  double of(const Compiled& trial, std::size_t device);
  void learn(const Compiled& trial, std::size_t device);

 private:
  const Request& m_request;
  Services& m_services;
  const DeviceSpread& m_spread;
  std::map<std::size_t, double> m_best_ns;  ///< by group, as the first device would take it; 0: none yet
};

}  // namespace tuner::sweep
