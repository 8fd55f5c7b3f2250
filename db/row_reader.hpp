#pragma once
#include <string>
#include <vector>

#include "db/connection.hpp"
#include "db/statement.hpp"
#include "db/stored_records.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

/// The SELECT of trials that read_trial() reads, up to its FROM and JOINs; a WHERE clause may follow.
/// `leading` columns come before, and `from` is what has the trials as t.
std::string select_trials(const std::string& leading = "", const std::string& from = "trials AS t");
/// The columns that read_stored_measurement() reads, of a table called m.
std::string measurement_columns();

// Values from rows, each reading the columns that the SELECT of the same name in db/sql/ lists, or one above.
// A value that is none of ours (a foreign row, damage) throws model::Error that names the trial where there
// is one.

tuner::model::TrialRecord read_trial(Statement::Use& row, bool with_samples);
StoredMeasurement read_stored_measurement(Statement::Use& row);
tuner::model::RunRecord read_run(Statement::Use& row);
tuner::model::DeviceInfo read_device(Statement::Use& row);
tuner::model::Problem read_problem(Statement::Use& row);
tuner::model::Environment read_environment(Statement::Use& row);
tuner::model::ProbeVerdict read_verdict(Statement::Use& row);
tuner::model::TrialStatus read_status(Statement::Use& row);
tuner::model::Verification read_verification(Statement::Use& row);
tuner::model::Role read_role(Statement::Use& row);

/// By trial, then run.
std::vector<PastFailure> past_failures(const Connection& db);

/// By probes, then time.
std::vector<Probing> probings(const Connection& db);

}  // namespace db
