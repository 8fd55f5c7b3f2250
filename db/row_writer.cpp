#include "db/row_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "db/ids.hpp"
#include "db/samples.hpp"
#include "db/sql.hpp"
#include "db/stored_json.hpp"
#include "tuner/model/error.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::FinalRecord;
using tuner::model::Measurement;
using tuner::model::TrialRecord;

RowWriter::RowWriter(const Connection& db)
    : m_device(db, sql("insert_device")),
      m_class(db, sql("insert_class")),
      m_problem(db, sql("insert_problem")),
      m_contest(db, sql("insert_contest")),
      m_kernel(db, sql("insert_kernel")),
      m_configuration(db, sql("insert_configuration")),
      m_run(db, sql("insert_run")),
      m_binary(db, sql("insert_binary")),
      m_binary_kernel(db, sql("insert_binary_kernel")),
      m_trial(db, sql("insert_trial")),
      m_measurement(db, sql("insert_measurement")),
      m_final(db, sql("insert_final")),
      m_final_entry(db, sql("insert_final_entry")),
      m_contest_of(db, "SELECT contest FROM trials WHERE id = ?"),
      m_ceiling(db, sql("insert_ceiling")) {}

Digest RowWriter::put_contest(const tuner::model::Problem& problem,
                              const tuner::model::ComparisonClass& comparison_class) {
  const Digest class_key = comparison_class.key();
  const Digest problem_key = problem_id(problem);
  const Digest contest = contest_id(problem, comparison_class);
  m_class.use()
      .bind(class_key)
      .bind(comparison_class.device)
      .bind(comparison_class.driver)
      .bind(comparison_class.toolkit)
      .bind(cuda_name(comparison_class.type))
      .bind(comparison_class.l2)
      .bind(comparison_class.method)
      .bind(comparison_class.inputs)
      .run();
  m_problem.use()
      .bind(problem_key)
      .bind(problem.family)
      .bind(problem.sizes_json())
      .bind(problem.size_text())
      .bind(cuda_name(problem.type))
      .bind(problem.row_padding)
      .run();
  m_contest.use().bind(contest).bind(class_key).bind(problem_key).run();
  return contest;
}

RowWriter::Identity RowWriter::put_identity(const TrialRecord& trial) {
  const std::string parameters = parameters_json(trial.configuration);
  const Identity identity{put_contest(trial.problem, trial.comparison_class),
                          kernel_id(trial.problem.family, trial.kernel, parameters),
                          configuration_id(trial.configuration)};
  m_kernel.use().bind(identity.kernel).bind(trial.problem.family).bind(trial.kernel).bind(parameters).run();
  m_configuration.use().bind(identity.configuration).bind(trial.configuration.canonical_json()).run();
  return identity;
}

Digest RowWriter::put_device(const tuner::model::DeviceInfo& device) {
  const std::string limits = limits_json(device.limits);
  const Digest id = device_id(device, limits);
  m_device.use()
      .bind(id)
      .bind(device.kind)
      .bind(device.name)
      .bind(device.uuid)
      .bind(device.architecture)
      .bind(device.compute_major)
      .bind(device.compute_minor)
      .bind(device.driver)
      .bind(device.memory_bytes)
      .bind(limits)
      .run();
  return id;
}

void RowWriter::put(const tuner::model::RunRecord& run) {
  const Digest device = put_device(run.device);
  m_run.use()
      .bind(run.id)
      .bind(run.command_line)
      .bind(run.started_at)
      .bind(run.ended_at)
      .bind(run.state)
      .bind(run.host)
      .bind(run.version)
      .bind(std::bit_cast<std::int64_t>(run.seed))
      .bind(device)
      .bind(run.device.id)
      .bind(run.toolkit)
      .bind(run.measured)
      .run();
}

void RowWriter::put_binary(const TrialRecord& trial) {
  if (trial.binary_key.empty()) return;
  m_binary.use().bind(trial.binary_key).bind(trial.compile_ms).bind(trial.compile_log).run();
  if (!trial.resources) return;
  const tuner::model::KernelResources& resources = *trial.resources;
  m_binary_kernel.use()
      .bind(trial.binary_key)
      .bind(resources.entry)
      .bind(resources.symbol)
      .bind(resources.registers)
      .bind(resources.spill_store_bytes)
      .bind(resources.spill_load_bytes)
      .bind(resources.stack_bytes)
      .bind(resources.static_shared_bytes)
      .bind(resources.constant_bytes)
      .bind(resources.max_threads_per_block)
      .run();
}

void RowWriter::put(const Digest& trial, const StoredMeasurement& stored) {
  const Measurement& measurement = stored.measurement;
  auto row = m_measurement.use();
  row.bind(stored.key(trial)).bind(trial).bind(stored.measured_at).bind(to_string(stored.status));
  row.bind(encode_samples(measurement.samples_ns)).bind(measurement.launches_per_sample);
  row.bind(measurement.median_ns).bind(measurement.low_ns).bind(measurement.high_ns).bind(measurement.min_ns);
  row.bind(measurement.sm_clock_mhz).bind(measurement.throttled_samples);
  row.bind(measurement.temperature_c).bind(measurement.power_w);
  row.bind(measurement.includes_launch_latency).bind(stored.run);
  row.run();
}

namespace {

void bind_shape(Statement::Use& row, const TrialRecord& trial) {
  row.bind(trial.grid.x).bind(trial.grid.y).bind(trial.grid.z);
  row.bind(trial.block.x).bind(trial.block.y).bind(trial.block.z).bind(trial.dynamic_shared_bytes);
  if (const auto& occupancy = trial.occupancy) {
    row.bind(occupancy->fraction).bind(occupancy->blocks_per_multiprocessor);
    row.bind(occupancy->active_warps_per_multiprocessor).bind(names_json(occupancy->limited_by));
  } else {
    row.bind(std::nullopt).bind(std::nullopt).bind(std::nullopt).bind(std::nullopt);
  }
  const int driver_blocks = trial.outcome.driver_blocks_per_multiprocessor;
  row.bind(driver_blocks < 0 ? std::nullopt : std::optional(driver_blocks));
}

/// NULL where a spec does not say.
std::optional<double> known_part(double workload) {
  return workload > 0 ? std::optional(workload) : std::nullopt;
}

void bind_outcome(Statement::Use& row, const tuner::model::TrialOutcome& outcome) {
  const tuner::model::Verification& verification = outcome.verification;
  row.bind(to_string(outcome.status))
      .bind(outcome.detail)
      .bind(outcome.device_lost)
      .bind(verification.checked);
  row.bind(verification.error_ratio).bind(verification.error_ulp_scale).bind(verification.wrong_elements);
  row.bind(verification.first_wrong < 0 ? std::nullopt : std::optional(verification.first_wrong));
  row.bind(verification.buffer);
  if (const auto& measurement = outcome.measurement) {
    row.bind(measurement->median_ns).bind(measurement->low_ns).bind(measurement->high_ns);
  } else {
    row.bind(std::nullopt).bind(std::nullopt).bind(std::nullopt);
  }
}

}  // namespace

void RowWriter::put(const TrialRecord& trial, Known known) {
  const Identity identity = put_identity(trial);
  put_binary(trial);
  std::optional<Digest> measurement;
  if (trial.outcome.measurement) {
    const StoredMeasurement stored{*trial.outcome.measurement, trial.outcome.status, trial.measured_at,
                                   trial.run};
    measurement = stored.key(trial.key);
    put(trial.key, stored);
  }
  auto row = m_trial.use();
  row.bind(trial.key)
      .bind(identity.contest)
      .bind(identity.kernel)
      .bind(identity.configuration)
      .bind(trial.is_default)
      .bind(trial.source_key.empty() ? std::nullopt : std::optional(trial.source_key));
  row.bind(trial.binary_key.empty() ? std::nullopt : std::optional(trial.binary_key));
  row.bind(trial.resources ? std::optional(trial.resources->entry) : std::nullopt);
  bind_shape(row, trial);
  bind_outcome(row, trial.outcome);
  row.bind(metrics_json(trial.metrics));
  row.bind(known_part(trial.workload.operations)).bind(known_part(trial.workload.bytes));
  row.bind(trial.measured_at).bind(measurement).bind(trial.run);
  row.bind(known == Known::replace);
  row.run();
}

void RowWriter::add(const TrialRecord& trial, const std::vector<StoredMeasurement>& earlier) {
  put(trial, Known::replace_if_older);
  for (const StoredMeasurement& measurement : earlier) put(trial.key, measurement);
}

namespace {

/// Rows may come from strangers: only what a final can have said is kept.
void require_sound(const FinalRecord& final) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("the final of {} at {}: {}", final.problem.text(), final.measured_at, why));
  };
  if (final.entries.empty() || final.entries.size() > most_final_entries) {
    refuse(fmt::format("{} contestants, 1 to {} were expected", final.entries.size(), most_final_entries));
  }
  bool chosen_is_tied = false;
  for (const FinalRecord::Entry& entry : final.entries) {
    for (const double ratio : {entry.ratio, entry.ratio_low, entry.ratio_high}) {
      if (!std::isfinite(ratio) || ratio <= 0) refuse(fmt::format("{} is no ratio of times", ratio));
    }
    chosen_is_tied = chosen_is_tied || (entry.trial == final.chosen && entry.tied);
  }
  if (!chosen_is_tied) refuse("the trial chosen is none of those tied with the fastest");
}

Digest final_id(const FinalRecord& final, const Digest& contest) {
  tuner::model::DigestBuilder digest;
  digest.add("final 1").add(contest).add(final.run).add(final.measured_at).add(final.chosen);
  for (const FinalRecord::Entry& entry : final.entries) {
    digest.add(entry.trial).add(std::bit_cast<std::int64_t>(entry.ratio));
  }
  return digest.finish();
}

}  // namespace

void RowWriter::put(const FinalRecord& final) {
  require_sound(final);
  const Digest contest = put_contest(final.problem, final.comparison_class);
  for (const FinalRecord::Entry& entry : final.entries) {
    auto row = m_contest_of.use();
    row.bind(entry.trial);
    if (!row.step() || row.digest() != contest) {
      throw Error(fmt::format("the final of {}: its contestant {} is no trial of that problem and class",
                              final.problem.text(), entry.trial.hex()));
    }
  }
  const Digest id = final_id(final, contest);
  m_final.use()
      .bind(id)
      .bind(contest)
      .bind(final.chosen)
      .bind(final.rounds)
      .bind(final.throttled_rounds)
      .bind(final.measured_at)
      .bind(final.run)
      .run();
  for (std::size_t place = 0; place < final.entries.size(); ++place) {
    const FinalRecord::Entry& entry = final.entries[place];
    auto row = m_final_entry.use();
    row.bind(id).bind(place).bind(entry.trial);
    row.bind(entry.ratio).bind(entry.ratio_low).bind(entry.ratio_high).bind(entry.tied);
    row.run();
  }
}

void RowWriter::put(const tuner::model::Ceiling& ceiling) {
  m_ceiling.use()
      .bind(ceiling.device)
      .bind(ceiling.kind)
      .bind(cuda_name(ceiling.type))
      .bind(ceiling.value)
      .bind(ceiling.unit)
      .bind(ceiling.measured_at)
      .bind(ceiling.trial)
      .run();
}

}  // namespace db
