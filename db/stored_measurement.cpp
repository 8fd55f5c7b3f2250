#include "db/stored_measurement.hpp"

#include <bit>
#include <cstdint>

namespace db {

tuner::model::Digest StoredMeasurement::key(const tuner::model::Digest& trial) const {
  tuner::model::DigestBuilder digest;
  digest.add("measurement 1").add(trial).add(run).add(measured_at).add(tuner::model::to_string(status));
  digest.add(measurement.launches_per_sample).add(std::bit_cast<std::int64_t>(measurement.median_ns));
  for (const double sample : measurement.samples_ns) digest.add(std::bit_cast<std::int64_t>(sample));
  return digest.finish();
}

}  // namespace db
