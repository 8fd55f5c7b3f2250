#pragma once
#include <string>
#include <vector>

#include "db/rows.hpp"
#include "db/stored_records.hpp"

namespace db {

/// The SELECT of trials that read_trial() reads, up to its FROM and JOINs; a WHERE clause may follow.
/// `leading` columns come before, and `from` is what has the trials as t.
std::string select_trials(const std::string& leading = "", const std::string& from = "trials AS t");
/// The columns that read_stored_measurement() reads, of a table called m.
std::string measurement_columns();
/// Those of read_case(): of problems p and environments c.
std::string case_columns();
/// Those of read_run(): of runs r and devices d.
std::string run_columns();
/// Those of read_device() but for its address.
std::string device_columns();

// Values from rows. A value that is none of ours (a foreign row, damage) throws model::Error that names the
// trial where there is one.

tuner::model::TrialRecord read_trial(Statement::Use& row, bool with_samples);
StoredMeasurement read_stored_measurement(Statement::Use& row);
tuner::model::RunRecord read_run(Statement::Use& row);
tuner::model::DeviceInfo read_device(Statement::Use& row);
tuner::model::ProbeVerdict read_verdict(Statement::Use& row);
/// An enumerator, by its word.
template <class E>
E read_enum(Statement::Use& row) {
  E value{};
  RowReader reader(row);
  reader("", value);
  return value;
}
/// The problem and the environment.
template <class Record>
void read_case(Statement::Use& row, Record& record) {
  record.problem = read_row<tuner::model::Problem>(row);
  record.environment = read_row<tuner::model::Environment>(row);
}

/// By trial, then run.
std::vector<PastFailure> past_failures(const Connection& db);
/// By probes, then time.
std::vector<Probing> probings(const Connection& db);

}  // namespace db
