#include "db/stored_records.hpp"

#include <bit>
#include <cstdint>
#include <tuple>

namespace db {

using tuner::model::Digest;

Digest StoredDeclaration::id() const {
  if (generation == 0) return kernel.spec.empty() ? kernel.definition : kernel.spec;
  tuner::model::DigestBuilder digest;
  digest.add("declaration 1").add(kernel.family).add(kernel.kernel).add(to_string(kernel.role));
  digest.add(kernel.definition).add(kernel.spec).add(kernel.path).add(generation);
  for (const Digest& older : followed) digest.add(older);
  return digest.finish();
}

using tuner::model::TrialRecord;

tuner::model::Digest StoredMeasurement::key(const tuner::model::Digest& trial) const {
  tuner::model::DigestBuilder digest;
  digest.add("measurement 1").add(trial).add(run).add(measured_at).add(tuner::model::to_string(status));
  digest.add(measurement.launches_per_sample).add(std::bit_cast<std::int64_t>(measurement.median_ns));
  for (const double sample : measurement.samples_ns) digest.add(std::bit_cast<std::int64_t>(sample));
  return digest.finish();
}

bool StoredMeasurement::is_before(const StoredMeasurement& other) const {
  const auto rank = [](const StoredMeasurement& one) {
    const bool counts = one.sequence > 0;
    return std::tuple(counts ? one.sequence : 0, counts ? "" : one.measured_at, one.run, one.sequence);
  };
  return rank(*this) < rank(other);
}

StoredMeasurement current_measurement(const TrialRecord& trial) {
  return {trial.outcome.measurement.value(),
          trial.outcome.status,
          trial.measured_at,
          trial.run,
          trial.sequence,
          trial.metrics};
}

bool is_condemned(const TrialRecord& trial) {
  const auto status = trial.outcome.status;
  return trial.outcome.measurement && status != tuner::model::TrialStatus::ok &&
         status != tuner::model::TrialStatus::dropped;
}

bool is_of(const StoredMeasurement& measurement, const TrialRecord& trial) {
  if (measurement.run != trial.run || measurement.measured_at != trial.measured_at) return false;
  const auto& current = trial.outcome.measurement;
  if (!current) return true;
  // Samples are not always read.
  return current->median_ns == measurement.measurement.median_ns &&
         (current->samples_ns.empty() || current->samples_ns == measurement.measurement.samples_ns);
}

TrialRecord as_measured(TrialRecord trial, const StoredMeasurement& measurement) {
  trial.outcome.status = measurement.status;
  trial.outcome.detail.clear();
  trial.outcome.measurement = measurement.measurement;
  trial.measured_at = measurement.measured_at;
  trial.run = measurement.run;
  trial.sequence = measurement.sequence;
  trial.metrics = measurement.metrics;
  return trial;
}

}  // namespace db
