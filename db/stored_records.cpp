#include "db/stored_records.hpp"

#include <bit>
#include <cstdint>

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
  if (!trial.outcome.measurement) trial.outcome = {};  // what was found of a failure
  trial.outcome.status = measurement.status;
  trial.outcome.detail.clear();
  trial.outcome.measurement = measurement.measurement;
  trial.measured_at = measurement.measured_at;
  trial.run = measurement.run;
  trial.sequence = measurement.sequence;
  trial.metrics = measurement.metrics;
  return trial;
}

TrialRecord as_failed(TrialRecord trial, const PastFailure& failure) {
  trial.outcome = {};
  trial.outcome.status = failure.status;
  trial.outcome.detail = failure.detail;
  trial.outcome.verification = failure.verification;
  trial.measured_at = failure.measured_at;
  trial.run = failure.run;
  trial.sequence = failure.sequence;
  trial.metrics.clear();
  return trial;
}

}  // namespace db
