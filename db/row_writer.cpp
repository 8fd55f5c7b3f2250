#include "db/row_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "db/ids.hpp"
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
  return insert_into<tuner::model::Outlook>(
             "searches", "id, tuning_case, run, strategy, ending, tried, failed, ended_at") +
         " ON CONFLICT DO NOTHING";
}

constexpr const char* or_nothing = " ON CONFLICT DO NOTHING";

}  // namespace

RowWriter::RowWriter(const Connection& db, Life life)
    : m_db(db),
      m_life(life),
      m_device(
          db,
          "INSERT INTO devices (id, kind, name, uuid, architecture, compute_major, compute_minor, driver, "
          "memory_bytes, limits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_environment(db, insert_into<tuner::model::Environment>("environments", "id") + or_nothing),
      m_problem(db, insert_into<tuner::model::Problem>("problems", "id, size") + or_nothing),
      m_case(db, "INSERT INTO cases (id, environment, problem) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"),
      m_kernel(
          db,
          "INSERT INTO kernels (id, family, name, parameters) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_configuration(db, "INSERT INTO configurations (id, json) VALUES (?, ?) ON CONFLICT DO NOTHING"),
      m_run(db, insert_run),
      m_binary(db, sql("insert_binary")),
      m_binary_kernel(db,
                      insert_into<tuner::model::KernelResources>("binary_kernels", "binary") + or_nothing),
      m_new_trial(db, insert_trial()),
      m_trial(db, update_trial()),
      m_measurement(db, insert_measurement()),
      m_final(db,
              "INSERT INTO finals (id, tuning_case, chosen, rounds, throttled_rounds, measured_at, sequence, "
              "run) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM runs WHERE id = ?)) ON CONFLICT DO NOTHING"),
      m_final_entry(db,
                    "INSERT INTO final_entries (final, place, trial, ratio, ratio_low, ratio_high, tied) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_coverage(db,
                 "INSERT INTO final_coverage (final, run, kernel, first, last) VALUES (?, ?, ?, ?, ?) "
                 "ON CONFLICT DO UPDATE SET last = max(last, excluded.last)"),
      m_entry_coverage(db, sql("insert_entry_coverage")),
      m_case_of(db, "SELECT tuning_case FROM trials WHERE id = ?"),
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
      m_earlier_failure(db, insert_failure()),
      m_settle_failures(db, sql("settle_failures")),
      m_fill(db, fill_trial()),
      m_trial_failure(db, keep_trial_failure()),
      m_search(db, insert_search()),
      m_search_kernel(db,
                      "INSERT INTO search_kernels (search, kernel, spec, candidates) VALUES (?, ?, ?, ?) "
                      "ON CONFLICT DO NOTHING") {}

Digest RowWriter::put_case(const tuner::model::Problem& problem,
                           const tuner::model::Environment& environment) {
  const Digest environment_key = environment.key();
  const Digest problem_key = problem_id(problem);
  const Digest tuning_case = case_id(problem, environment);
  auto row = m_environment.use();
  db::bind(row.bind(environment_key), environment).run();
  auto problem_row = m_problem.use();
  db::bind(problem_row.bind(problem_key).bind(problem.size_text()), problem).run();
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
  const std::string limits = json_line(json_of(device.limits));
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
  db::bind(row.bind(trial.binary_key), *trial.resources).run();
}

void RowWriter::put(const Digest& trial, const StoredMeasurement& stored) {
  auto row = m_measurement.use();
  db::bind(row.bind(stored.key(trial)).bind(trial), stored).run();
}

void RowWriter::bind_trial(Statement::Use& row, const TrialRecord& trial, const Identity& identity) {
  row.bind(trial.key).bind(identity.tuning_case).bind(identity.kernel).bind(identity.configuration);
  TrialRecord probed = trial;
  probed.outcome = as_probed(trial);
  RowBinder binder(row);
  describe_row(binder, probed);
  row.bind(trial.resources ? std::optional(trial.resources->entry) : std::nullopt);
  if (const auto& measurement = trial.outcome.measurement) {
    row.bind(measurement->median_ns).bind(measurement->low_ns).bind(measurement->high_ns);
    row.bind(current_measurement(trial).key(trial.key));
  } else {
    row.bind(std::nullopt).bind(std::nullopt).bind(std::nullopt).bind(std::nullopt);
  }
  row.bind(false).bind(std::nullopt);  // how it stands is said afterwards
}

void RowWriter::put(const TrialRecord& trial, Known known) {
  const Identity identity = put_identity(trial);
  put_binary(trial, known);
  if (trial.outcome.measurement) put(trial.key, current_measurement(trial));
  // Most rows of another database are new here, and to prepare for those that are not takes longer than to
  // insert.
  if (known == Known::replace_if_older) {
    auto row = m_new_trial.use();
    bind_trial(row, trial, identity);
    row.run();
    if (changed() > 0) return;
  }
  auto row = m_trial.use();
  bind_trial(row, trial, identity);
  row.bind(known == Known::replace).run();
}

tuner::model::TrialOutcome RowWriter::as_probed(const TrialRecord& trial) {
  tuner::model::TrialOutcome outcome = trial.outcome;
  if (trial.probe_key.empty() || !outcome.measurement) return outcome;
  auto row = m_failed_probe.use();
  row.bind(trial.probe_key);
  if (!row.step()) return outcome;
  outcome.status = read_enum<TrialStatus>(row);
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
  // Also where the result that is here already is the newer one, and says nothing of it.
  if (changed() == 0) {
    const Identity identity = put_identity(trial);
    for (Statement* statement : {&m_fill, &m_trial_failure}) {
      auto row = statement->use();
      bind_trial(row, trial, identity);
      row.run();
    }
  }
  for (const StoredMeasurement& measurement : earlier) put(trial.key, measurement);
}

void RowWriter::put(const PastFailure& failure) {
  auto row = m_earlier_failure.use();
  db::bind(row, failure).run();
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
  auto row = m_ceiling.use();
  db::bind(row, ceiling).run();
}

}  // namespace db
