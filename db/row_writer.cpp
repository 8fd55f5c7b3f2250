#include "db/row_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "db/ids.hpp"
#include "db/insertions.hpp"
#include "db/row_reader.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/record_fields.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::FinalRecord;
using tuner::model::Measurement;
using tuner::model::SearchRecord;
using tuner::model::TrialRecord;
using tuner::model::TrialStatus;

namespace {

constexpr const char* insert_run =
    "INSERT INTO runs (id, command_line, started_at, ended_at, state, host, version, seed, device, "
    "device_address, toolkit, measured, strategy) "
    "VALUES (?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    // Of a run that was copied while it was under way and came again later, the later one.
    "ON CONFLICT (id) DO UPDATE SET (ended_at, state, measured) = (excluded.ended_at, excluded.state, "
    "excluded.measured) "
    "WHERE (coalesce(excluded.ended_at, ''), excluded.measured, excluded.state) "
    "> (coalesce(runs.ended_at, ''), runs.measured, runs.state)";

std::string insert_search() {
  const ColumnNames outlook = columns_of<tuner::model::Outlook>();
  return fmt::format(
      "INSERT INTO searches (id, contest, strategy, ending, tried, failed, ended_at, {}, run) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, {}, (SELECT id FROM runs WHERE id = ?)) ON CONFLICT DO NOTHING",
      outlook.text(), outlook.parameters());
}

}  // namespace

RowWriter::RowWriter(const Connection& db, Life life)
    : m_db(db),
      m_life(life),
      m_device(
          db,
          "INSERT INTO devices (id, kind, name, uuid, architecture, compute_major, compute_minor, driver, "
          "memory_bytes, limits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_environment(db,
                    "INSERT INTO classes (id, device, driver, toolkit, type, l2, method, inputs) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_problem(db,
                "INSERT INTO problems (id, family, sizes, size, type, row_padding) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING"),
      m_case(db, "INSERT INTO contests (id, class, problem) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"),
      m_kernel(
          db,
          "INSERT INTO kernels (id, family, name, parameters) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_configuration(db, insert_configuration()),
      m_run(db, insert_run),
      m_binary(db, sql("insert_binary")),
      m_binary_kernel(db, insert_binary_kernel()),
      m_new_trial(db, insert_new_trial()),
      m_trial(db, sql("insert_trial")),
      m_measurement(db, insert_measurement()),
      m_final(
          db,
          "INSERT INTO finals (id, contest, chosen, rounds, throttled_rounds, measured_at, sequence, run) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?)) ON CONFLICT DO NOTHING"),
      m_final_entry(db,
                    "INSERT INTO final_entries (final, place, trial, ratio, ratio_low, ratio_high, tied) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_coverage(db,
                 "INSERT INTO final_coverage (final, run, kernel, first, last) VALUES (?, ?, ?, ?, ?) "
                 "ON CONFLICT DO UPDATE SET last = max(last, excluded.last)"),
      m_entry_coverage(db, sql("insert_entry_coverage")),
      m_case_of(db, "SELECT contest FROM trials WHERE id = ?"),
      m_ceiling(db, sql("insert_ceiling")),
      m_clear(db, "UPDATE probings SET cleared = 1 WHERE probe = ? AND cleared = 0"),
      m_probing(db, sql("insert_probing")),
      m_verdict(db, sql("insert_verdict")),
      m_fail_probed(db,
                    "UPDATE trials SET status = ?2, detail = ?3 WHERE probe = ?1 "
                    // One that an earlier verdict failed fails as the one that stands says.
                    "AND (status IN ('ok', 'dropped') OR measurement IS NOT NULL) "
                    "AND (status, detail) <> (?2, ?3)"),
      m_failed_probe(db, "SELECT status, detail FROM verdicts WHERE id = ? AND status <> 'ok'"),
      m_acquit(db,
               "UPDATE trials SET status = m.status, detail = '' FROM measurements AS m "
               "WHERE trials.probe = ?1 AND m.id = trials.measurement AND trials.status NOT IN ('ok', "
               "'dropped')"),
      m_earlier_failure(db, sql("insert_earlier_failure")),
      m_settle_failures(db, sql("settle_failures")),
      m_fill(db,
             "UPDATE trials SET idea = iif(idea = '', ?2, idea), probe = coalesce(probe, ?3), "
             "definition = coalesce(definition, ?4) "
             "WHERE id = ?1 AND ((idea = '' AND ?2 <> '') OR (probe IS NULL AND ?3 IS NOT NULL) "
             "OR (definition IS NULL AND ?4 IS NOT NULL))"),
      m_search(db, insert_search()),
      m_search_kernel(db,
                      "INSERT INTO search_kernels (search, kernel, spec, candidates) VALUES (?, ?, ?, ?) "
                      "ON CONFLICT DO NOTHING") {}

Digest RowWriter::put_case(const tuner::model::Problem& problem,
                           const tuner::model::Environment& environment) {
  const Digest environment_key = environment.key();
  const Digest problem_key = problem_id(problem);
  const Digest tuning_case = case_id(problem, environment);
  m_environment.use()
      .bind(environment_key)
      .bind(environment.device)
      .bind(environment.driver)
      .bind(environment.toolkit)
      .bind(cuda_name(environment.type))
      .bind(environment.l2)
      .bind(environment.method)
      .bind(environment.inputs)
      .run();
  m_problem.use()
      .bind(problem_key)
      .bind(problem.family)
      .bind(problem.sizes_json())
      .bind(problem.size_text())
      .bind(cuda_name(problem.type))
      .bind(problem.row_padding)
      .run();
  m_case.use().bind(tuning_case).bind(environment_key).bind(problem_key).run();
  return tuning_case;
}

RowWriter::Identity RowWriter::put_identity(const TrialRecord& trial) {
  const std::string parameters = parameters_json(trial.configuration);
  const bool is_as_last = m_last && m_last->problem == trial.problem &&
                          m_last->environment == trial.environment && m_last->kernel == trial.kernel &&
                          m_last->parameters == parameters;
  if (!is_as_last) {
    m_last =
        Last{trial.problem, trial.environment, put_case(trial.problem, trial.environment),
             trial.kernel,  parameters,        kernel_id(trial.problem.family, trial.kernel, parameters)};
    m_kernel.use()
        .bind(m_last->kernel_id)
        .bind(trial.problem.family)
        .bind(trial.kernel)
        .bind(parameters)
        .run();
  }
  const Identity identity{m_last->tuning_case, m_last->kernel_id, configuration_id(trial.configuration)};
  if (m_life == Life::several) m_last.reset();
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
      .bind(run.strategy)
      .run();
}

void RowWriter::put_binary(const TrialRecord& trial, Known known) {
  if (trial.binary_key.empty()) return;
  m_binary.use()
      .bind(trial.binary_key)
      .bind(trial.compile_ms)
      .bind(trial.compile_log)
      .bind(known == Known::replace)
      .run();
  if (!trial.resources) return;
  auto row = m_binary_kernel.use();
  row.bind(trial.binary_key);
  RowBinder binder(row);
  describe(binder, *trial.resources);
  row.run();
}

void RowWriter::put(const Digest& trial, const StoredMeasurement& stored) {
  auto row = m_measurement.use();
  row.bind(stored.key(trial)).bind(trial).bind(stored.measured_at).bind(stored.sequence);
  row.bind(to_string(stored.status)).bind(metrics_json(stored.metrics));
  RowBinder binder(row);
  describe(binder, stored.measurement);
  row.bind(stored.run).run();
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

std::optional<Digest> known_digest(const Digest& digest) {
  return digest.empty() ? std::nullopt : std::optional(digest);
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
  row.bind(verification.buffer).bind(verification.rule);
  if (const auto& measurement = outcome.measurement) {
    row.bind(measurement->median_ns).bind(measurement->low_ns).bind(measurement->high_ns);
  } else {
    row.bind(std::nullopt).bind(std::nullopt).bind(std::nullopt);
  }
}

}  // namespace

void RowWriter::put(const TrialRecord& trial, Known known) {
  const Identity identity = put_identity(trial);
  put_binary(trial, known);
  std::optional<Digest> measurement;
  if (trial.outcome.measurement) {
    const StoredMeasurement stored = current_measurement(trial);
    measurement = stored.key(trial.key);
    put(trial.key, stored);
  }
  const auto put_row = [&](Statement& statement, bool with_known) {
    auto row = statement.use();
    row.bind(trial.key).bind(identity.tuning_case).bind(identity.kernel).bind(identity.configuration);
    row.bind(to_string(trial.role)).bind(trial.is_default).bind(known_digest(trial.definition));
    row.bind(known_digest(trial.binary_key)).bind(known_digest(trial.probe_key));
    row.bind(trial.resources ? std::optional(trial.resources->entry) : std::nullopt);
    bind_shape(row, trial);
    bind_outcome(row, as_probed(trial));
    row.bind(metrics_json(trial.metrics));
    row.bind(known_part(trial.workload.operations)).bind(known_part(trial.workload.bytes));
    row.bind(trial.origin)
        .bind(macros_json(trial.macros))
        .bind(trial.gpu)
        .bind(trial.measured_at)
        .bind(trial.sequence)
        .bind(measurement)
        .bind(trial.run);
    if (with_known) row.bind(known == Known::replace);
    row.run();
  };
  // Most rows of another database are new here, and to prepare for those that are not takes longer than to
  // insert.
  if (known == Known::replace_if_older) {
    put_row(m_new_trial, false);
    if (changed() > 0) return;
  }
  put_row(m_trial, true);
}

tuner::model::TrialOutcome RowWriter::as_probed(const TrialRecord& trial) {
  tuner::model::TrialOutcome outcome = trial.outcome;
  if (trial.probe_key.empty() || !outcome.measurement) return outcome;
  auto row = m_failed_probe.use();
  row.bind(trial.probe_key);
  if (!row.step()) return outcome;
  outcome.status = read_status(row);
  outcome.detail = row.text();
  return outcome;
}

namespace {

/// As it was before its probes' verdict, which comes with it and is told of both.
TrialRecord acquitted(TrialRecord trial, const std::vector<StoredMeasurement>& measurements) {
  const auto current = std::find_if(measurements.begin(), measurements.end(),
                                    [&](const StoredMeasurement& one) { return is_of(one, trial); });
  if (current != measurements.end()) return as_measured(std::move(trial), *current);
  trial.outcome.status = TrialStatus::ok;
  trial.outcome.detail.clear();
  return trial;
}

}  // namespace

void RowWriter::add(const TrialRecord& trial, const std::vector<StoredMeasurement>& earlier) {
  if (is_condemned(trial))
    put(acquitted(trial, earlier), Known::replace_if_older);
  else
    put(trial, Known::replace_if_older);
  const bool is_current = changed() > 0;
  // Also where the result that is here already is the newer one, and says nothing of it.
  if (!is_current) {
    m_fill.use()
        .bind(trial.key)
        .bind(trial.origin)
        .bind(known_digest(trial.probe_key))
        .bind(known_digest(trial.definition))
        .run();
    if (!trial.outcome.measurement && !trial.run.empty()) put(failure_of(trial));
  }
  for (const StoredMeasurement& measurement : earlier) put(trial.key, measurement);
}

void RowWriter::put(const PastFailure& failure) {
  const tuner::model::Verification& verification = failure.verification;
  m_earlier_failure.use()
      .bind(failure.trial)
      .bind(failure.run)
      .bind(to_string(failure.status))
      .bind(failure.detail)
      .bind(failure.measured_at)
      .bind(failure.sequence)
      .bind(verification.checked)
      .bind(verification.error_ratio)
      .bind(verification.error_ulp_scale)
      .bind(verification.wrong_elements)
      .bind(verification.first_wrong < 0 ? std::nullopt : std::optional(verification.first_wrong))
      .bind(verification.buffer)
      .bind(verification.rule)
      .run();
}

void RowWriter::settle_failures() {
  m_settle_failures.use().run();
}

void RowWriter::put(const tuner::model::ProbeVerdict& verdict) {
  m_clear.use().bind(verdict.probe).run();
  note({verdict, false}, true);
  condemn(verdict.probe);
}

void RowWriter::note(const Probing& probing) {
  note(probing, false);
}

void RowWriter::note(const Probing& probing, bool just_now) {
  const tuner::model::ProbeVerdict& verdict = probing.verdict;
  auto row = m_probing.use();
  row.bind(verdict.probe);
  // An unknown run is x'' there: a column of a primary key cannot be NULL.
  if (verdict.run.empty()) {
    row.bind(std::span<const std::byte>());
  } else {
    row.bind(verdict.run);
  }
  row.bind(verdict.trial)
      .bind(verdict.measured_at)
      .bind(to_string(verdict.status))
      .bind(verdict.detail)
      .bind(verdict.deaths)
      .bind(probing.cleared)
      .bind(just_now)
      .run();
  m_verdict.use().bind(verdict.probe).run();
}

void RowWriter::condemn(const Digest& probe) {
  auto failed = m_failed_probe.use();
  failed.bind(probe);
  if (!failed.step()) {
    m_acquit.use().bind(probe).run();
    return;
  }
  const std::string status = failed.text();
  m_fail_probed.use().bind(probe).bind(status).bind(failed.text()).run();
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
