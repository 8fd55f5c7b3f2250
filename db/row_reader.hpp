#pragma once
#include "db/statement.hpp"
#include "db/stored_measurement.hpp"
#include "tuner/model/device_info.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"

namespace db {

// Values from rows, each reading the columns that the SELECT of the same name in db/sql/ lists. A value that
// is none of ours (a foreign row, damage) throws model::Error that names the trial where there is one.

tuner::model::TrialRecord read_trial(Statement::Use& row, bool with_samples);
StoredMeasurement read_stored_measurement(Statement::Use& row);
tuner::model::RunRecord read_run(Statement::Use& row);
tuner::model::DeviceInfo read_device(Statement::Use& row);
tuner::model::Problem read_problem(Statement::Use& row);
tuner::model::ComparisonClass read_class(Statement::Use& row);

}  // namespace db
