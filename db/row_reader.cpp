#include "db/row_reader.hpp"

#include <fmt/format.h>

#include <bit>

#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/record_fields.hpp"

namespace db {
namespace {

using namespace tuner::model;  // NOLINT(google-build-using-namespace): every type below is the model's

ElementType read_type(Statement::Use& row) {
  const std::string text = row.text();
  if (const auto type = parse_element_type(text)) return *type;
  throw Error(fmt::format("'{}' is no element type", text));
}

Dim3 read_extent(Statement::Use& row) {
  Dim3 extent;
  extent.x = row.integer();
  extent.y = row.integer();
  extent.z = row.integer();
  return extent;
}

std::optional<Occupancy> read_occupancy(Statement::Use& row) {
  constexpr int columns = 4;
  if (row.null()) {
    row.skip(columns);
    return std::nullopt;
  }
  Occupancy occupancy;
  occupancy.limited_by = stored_names(row.text());
  occupancy.blocks_per_multiprocessor = row.small();
  occupancy.active_warps_per_multiprocessor = row.small();
  occupancy.fraction = row.real();
  return occupancy;
}

template <class T>
T read_described(Statement::Use& row, bool with_samples) {
  T value{};
  RowArchiveReader reader(row, with_samples);
  describe(reader, value);
  return value;
}

void read_result(Statement::Use& row, bool with_samples, TrialRecord& trial) {
  TrialOutcome& outcome = trial.outcome;
  outcome.status = read_status(row);
  outcome.detail = row.text();
  outcome.device_lost = row.flag();
  outcome.driver_blocks_per_multiprocessor = row.small();
  outcome.verification = read_verification(row);
  trial.metrics = stored_metrics(row.text());
  trial.workload.operations = row.real();
  trial.workload.bytes = row.real();
  trial.gpu = row.text();
  trial.measured_at = row.text();
  trial.run = row.digest();
  trial.sequence = row.integer();
  if (!row.null()) outcome.measurement = read_described<Measurement>(row, with_samples);
}

}  // namespace

Verification read_verification(Statement::Use& row) {
  Verification verification;
  verification.checked = row.flag();
  verification.error_ratio = row.real();
  verification.error_ulp_scale = row.real();
  verification.wrong_elements = row.integer();
  verification.first_wrong = row.integer();
  verification.buffer = row.text();
  verification.rule = row.text();
  return verification;
}

std::string select_trials(const std::string& leading, const std::string& from) {
  std::string text = sql("select_trials");
  const auto put = [&](const std::string& mark, const std::string& columns) {
    text.replace(text.find(mark), mark.size(), columns);
  };
  put("{leading}", leading);
  put("{from}", from);
  put("{resources}", columns_of<KernelResources>().text("b."));
  put("{measurement}", columns_of<Measurement>().text("m."));
  return text;
}

std::string measurement_columns() {
  return "m.measured_at, m.run, m.sequence, m.status, m.metrics, " + columns_of<Measurement>().text("m.");
}

TrialStatus read_status(Statement::Use& row) {
  const std::string text = row.text();
  if (const auto status = parse_trial_status(text)) return *status;
  throw Error(fmt::format("'{}' is no trial status", text));
}

Role read_role(Statement::Use& row) {
  const std::string text = row.text();
  if (const auto role = parse_role(text)) return *role;
  throw Error(fmt::format("'{}' is no role of a kernel", text));
}

Problem read_problem(Statement::Use& row) {
  Problem problem;
  problem.family = row.text();
  problem.sizes = stored_sizes(row.text());
  problem.type = read_type(row);
  problem.row_padding = row.integer();
  return problem;
}

Environment read_environment(Statement::Use& row) {
  Environment value;
  value.device = row.text();
  value.driver = row.text();
  value.toolkit = row.text();
  value.type = read_type(row);
  value.l2 = row.text();
  value.method = row.text();
  value.inputs = row.text();
  return value;
}

TrialRecord read_trial(Statement::Use& row, bool with_samples) {
  TrialRecord trial;
  trial.key = row.digest();
  try {
    trial.kernel = row.text();
    const std::string configuration = row.text();
    trial.configuration = stored_configuration(configuration, row.text());
    trial.problem = read_problem(row);
    trial.environment = read_environment(row);
    trial.role = read_role(row);
    trial.is_default = row.flag();
    trial.origin = row.text();
    trial.macros = stored_macros(row.text());
    trial.definition = row.digest();
    trial.binary_key = row.digest();
    trial.probe_key = row.digest();
    trial.grid = read_extent(row);
    trial.block = read_extent(row);
    trial.dynamic_shared_bytes = row.integer();
    if (row.null()) {
      row.skip(columns_of<KernelResources>().count());
    } else {
      trial.resources = read_described<KernelResources>(row, false);
    }
    trial.occupancy = read_occupancy(row);
    trial.compile_ms = row.real();
    trial.compile_log = row.text();
    read_result(row, with_samples, trial);
  } catch (const Error& error) {
    throw error.in_context(fmt::format("trial {}", trial.key.hex()));
  }
  return trial;
}

StoredMeasurement read_stored_measurement(Statement::Use& row) {
  StoredMeasurement stored;
  stored.measured_at = row.text();
  stored.run = row.digest();
  stored.sequence = row.integer();
  stored.status = read_status(row);
  stored.metrics = stored_metrics(row.text());
  stored.measurement = read_described<Measurement>(row, true);
  return stored;
}

ProbeVerdict read_verdict(Statement::Use& row) {
  ProbeVerdict verdict;
  verdict.probe = row.digest();
  verdict.status = read_status(row);
  verdict.detail = row.text();
  verdict.deaths = row.small();
  verdict.trial = row.digest();
  verdict.run = row.digest();
  verdict.measured_at = row.text();
  return verdict;
}

DeviceInfo read_device(Statement::Use& row) {
  DeviceInfo device;
  device.id = row.text();
  device.kind = row.text();
  device.name = row.text();
  device.uuid = row.text();
  device.architecture = row.text();
  device.compute_major = row.small();
  device.compute_minor = row.small();
  device.driver = row.text();
  device.memory_bytes = row.integer();
  device.limits = stored_limits(row.text());
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
  run.seed = std::bit_cast<std::uint64_t>(row.integer());
  run.toolkit = row.text();
  run.measured = row.integer();
  run.strategy = row.text();
  run.device = read_device(row);
  return run;
}

std::vector<PastFailure> past_failures(const Connection& db) {
  Statement select(db,
                   "SELECT trial, run, status, detail, measured_at, sequence, verified, error_ratio, "
                   "error_ulp_scale, wrong_elements, coalesce(first_wrong, -1), wrong_buffer, rule "
                   "FROM earlier_failures ORDER BY trial, run");
  std::vector<PastFailure> list;
  auto row = select.use();
  while (row.step()) {
    PastFailure& failure = list.emplace_back();
    failure.trial = row.digest();
    failure.run = row.digest();
    failure.status = read_status(row);
    failure.detail = row.text();
    failure.measured_at = row.text();
    failure.sequence = row.integer();
    failure.verification = read_verification(row);
  }
  return list;
}

std::vector<Probing> probings(const Connection& db) {
  Statement select(db,
                   "SELECT probe, status, detail, deaths, trial, nullif(run, x''), measured_at, cleared "
                   "FROM probings ORDER BY probe, measured_at, run, trial");
  std::vector<Probing> list;
  auto row = select.use();
  while (row.step()) {
    Probing& probing = list.emplace_back();
    probing.verdict = read_verdict(row);
    probing.cleared = row.flag();
  }
  return list;
}

}  // namespace db
