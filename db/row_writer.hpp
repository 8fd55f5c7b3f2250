#pragma once
#include <vector>

#include "db/statement.hpp"
#include "db/stored_measurement.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// Puts values into their tables; what a row refers to is put first. The caller holds the transaction.
class RowWriter {
 public:
  explicit RowWriter(const Connection& db);

  enum class Known { replace, replace_if_older };

  /// The trial with its current result, at `trial.measured_at`, and its measurement.
  void put(const tuner::model::TrialRecord& trial, Known known);
  /// A trial of another time or place, with its other measurements.
  void add(const tuner::model::TrialRecord& trial, const std::vector<StoredMeasurement>& earlier);
  /// One that is known is not doubled.
  void put(const tuner::model::Digest& trial, const StoredMeasurement& measurement);
  void put(const tuner::model::RunRecord& run);

  /// What names a trial, in rows of their own.
  struct Identity {
    tuner::model::Digest contest;
    tuner::model::Digest kernel;
    tuner::model::Digest configuration;
  };
  Identity put_identity(const tuner::model::TrialRecord& trial);

 private:
  tuner::model::Digest put_contest(const tuner::model::Problem& problem,
                                   const tuner::model::ComparisonClass& comparison_class);
  tuner::model::Digest put_device(const tuner::model::DeviceInfo& device);
  void put_binary(const tuner::model::TrialRecord& trial);

  Statement m_device, m_class, m_problem, m_contest, m_kernel, m_configuration, m_run, m_binary,
      m_binary_kernel, m_trial, m_measurement;
};

}  // namespace db
