#include "db/row_reader.hpp"

#include <fmt/format.h>

#include <bit>

#include "tuner/model/error.hpp"

namespace db {

using namespace tuner::model;  // NOLINT(google-build-using-namespace): every type below is the model's

std::string select_trials(const std::string& leading, const std::string& from) {
  return fmt::format(
      "SELECT {}t.id, k.name, f.json, k.parameters, {}, {}, {}, coalesce(l.compile_ms, 0), "
      "coalesce(l.log, ''), {} FROM {} "
      "JOIN cases AS n ON n.id = t.tuning_case JOIN environments AS c ON c.id = n.environment "
      "JOIN problems AS p ON p.id = n.problem JOIN kernels AS k ON k.id = t.kernel "
      "JOIN configurations AS f ON f.id = t.configuration LEFT JOIN binaries AS l ON l.id = t.binary "
      "LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry "
      "LEFT JOIN measurements AS m ON m.id = t.measurement",
      leading, case_columns(), trial_columns().names("t."), columns_of<KernelResources>().names("b."),
      columns_of<Measurement>().names("m."), from);
}

std::string measurement_columns() {
  return "m.measured_at, m.run, m.sequence, m.status, m.metrics, " + columns_of<Measurement>().names("m.");
}

std::string case_columns() {
  return columns_of<Problem>().names("p.") + ", " + columns_of<Environment>().names("c.");
}

std::string device_columns() {
  return "d.kind, d.name, d.uuid, d.architecture, d.compute_major, d.compute_minor, d.driver, "
         "d.memory_bytes, d.limits";
}

std::string run_columns() {
  return "r.id, r.command_line, r.started_at, coalesce(r.ended_at, ''), r.state, r.host, r.version, "
         "r.strategy, r.seed, r.toolkit, r.measured, r.device_address, " +
         device_columns();
}

TrialRecord read_trial(Statement::Use& row, bool with_samples) {
  TrialRecord trial;
  trial.key = row.digest();
  try {
    RowReader reader(row, with_samples);
    trial.kernel = row.text();
    const std::string configuration = row.text();
    trial.configuration = stored_configuration(configuration, row.text());
    read_case(row, trial);
    describe_row(reader, trial);
    reader(Figure{"resources", ""}, trial.resources);
    trial.compile_ms = row.real();
    trial.compile_log = row.text();
    reader(Figure{"measurement", ""}, trial.outcome.measurement);
  } catch (const Error& error) {
    throw error.in_context(fmt::format("trial {}", trial.key.hex()));
  }
  return trial;
}

StoredMeasurement read_stored_measurement(Statement::Use& row) {
  return read_row<StoredMeasurement>(row);
}

ProbeVerdict read_verdict(Statement::Use& row) {
  return read_row<ProbeVerdict>(row);
}

DeviceInfo read_device(Statement::Use& row) {
  DeviceInfo device;
  RowReader reader(row);
  device.id = row.text();
  device.kind = row.text();
  device.name = row.text();
  device.uuid = row.text();
  device.architecture = row.text();
  device.compute_major = row.small();
  device.compute_minor = row.small();
  device.driver = row.text();
  device.memory_bytes = row.integer();
  reader("limits", device.limits);
  return device;
}

RunRecord read_run(Statement::Use& row) {
  RunRecord run;
  run.id = row.digest();
  run.command_line = row.text();
  run.started_at = row.text();
  run.ended_at = row.text();
  run.state = row.text();
  run.host = row.text();
  run.version = row.text();
  run.strategy = row.text();
  run.seed = std::bit_cast<std::uint64_t>(row.integer());
  run.toolkit = row.text();
  run.measured = row.integer();
  run.device = read_device(row);
  return run;
}

std::vector<PastFailure> past_failures(const Connection& db) {
  Statement select(db, fmt::format("SELECT {} FROM earlier_failures ORDER BY trial, run",
                                   columns_of<PastFailure>().names()));
  std::vector<PastFailure> list;
  auto row = select.use();
  while (row.step()) list.push_back(read_row<PastFailure>(row));
  return list;
}

std::vector<Probing> probings(const Connection& db) {
  Statement select(db,
                   "SELECT probe, status, detail, deaths, trial, nullif(run, x''), measured_at, cleared "
                   "FROM probings ORDER BY probe, measured_at, run, trial");
  std::vector<Probing> list;
  auto row = select.use();
  while (row.step()) list.push_back(read_row<Probing>(row));
  return list;
}

}  // namespace db
