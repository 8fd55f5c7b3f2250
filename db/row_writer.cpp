#include "db/row_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "db/rows.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/record_fields.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::Error;
using tuner::model::FinalRecord;
using tuner::model::Measurement;
using tuner::model::Outlook;
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

/// Executes a statement of insert_into() with the leading values and those of the record.
template <class Record, class... Leading>
void put_row(Statement& statement, const Record& record, const Leading&... leading) {
  auto row = statement.use(leading...);
  db::bind(row, record).run();
}

}  // namespace

RowWriter::RowWriter(const Connection& db, Life life)
    : m_db(db),
      m_life(life),
      m_device(
          db,
          "INSERT INTO devices (id, kind, name, uuid, architecture, compute_major, compute_minor, driver, "
          "memory_bytes, limits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_environment(db, insert_into<tuner::model::Environment>("environments", "id")),
      m_problem(db, insert_into<tuner::model::Problem>("problems", "id, size")),
      m_case(db, "INSERT INTO cases (id, environment, problem) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"),
      m_kernel(
          db,
          "INSERT INTO kernels (id, family, name, parameters) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      m_configuration(db, "INSERT INTO configurations (id, json) VALUES (?, ?) ON CONFLICT DO NOTHING"),
      m_run(db, insert_run),
      m_binary(db, sql("insert_binary")),
      m_binary_kernel(db, insert_into<tuner::model::KernelResources>("binary_kernels", "binary")),
      m_new_trial(db, insert_trial()),
      m_trial(db, update_trial()),
      m_measurement(db, insert_measurement()),
      m_final(db, insert_into<FinalRecord>("finals", "id, tuning_case")),
      m_final_entry(db, insert_into<FinalRecord::Entry>("final_entries", "final, place")),
      m_coverage(
          db, insert_into<FinalRecord::Coverage>("final_coverage", "final",
                                                 "UPDATE SET last = max(last, excluded.last)", run_in_key)),
      m_entry_coverage(db, sql("insert_entry_coverage")),
      m_same_finals(db, sql("select_same_finals")),
      m_case_of(db, "SELECT tuning_case FROM trials WHERE id = ?"),
      m_ceiling(db, sql("insert_ceiling")),
      m_counter(db, sql("insert_counter")),
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
      m_search(db, insert_into<SearchRecord>("searches", "id, tuning_case")),
      m_search_kernel(db, insert_into<SearchRecord::Part>("search_kernels", "search")) {}

Digest RowWriter::put_case(const tuner::model::Problem& problem,
                           const tuner::model::Environment& environment) {
  const Digest tuning_case = case_id(problem, environment);
  put_row(m_environment, environment, environment.key());
  put_row(m_problem, problem, problem_id(problem), problem.size_text());
  m_case.run(tuning_case, environment.key(), problem_id(problem));
  return tuning_case;
}

Digest RowWriter::put_kernel(const std::string& family, const std::string& name,
                             const std::string& parameters) {
  const Digest id = kernel_id(family, name, parameters);
  m_kernel.run(id, family, name, parameters);
  return id;
}

Digest RowWriter::put_configuration(const tuner::model::Configuration& configuration) {
  const std::string json = configuration.canonical_json();
  const Digest id = configuration_id(json);
  m_configuration.run(id, json);
  return id;
}

RowWriter::Identity RowWriter::put_identity(const TrialRecord& trial) {
  const std::string parameters = parameters_json(trial.configuration);
  const bool is_as_last = m_last && m_last->problem == trial.problem &&
                          m_last->environment == trial.environment && m_last->kernel == trial.kernel &&
                          m_last->parameters == parameters;
  if (!is_as_last) {
    m_last =
        Last{trial.problem, trial.environment, put_case(trial.problem, trial.environment),
             trial.kernel,  parameters,        put_kernel(trial.problem.family, trial.kernel, parameters)};
  }
  const Identity identity{m_last->tuning_case, m_last->kernel_id, put_configuration(trial.configuration)};
  if (m_life == Life::several) m_last.reset();
  return identity;
}

void RowWriter::put(const tuner::model::RunRecord& run) {
  const tuner::model::DeviceInfo& device = run.device;
  const std::string limits = json_line(json_of(device.limits));
  const Digest id = device_id(device, limits);
  m_device.run(id, device.kind, device.name, device.uuid, device.architecture, device.compute_major,
               device.compute_minor, device.driver, device.memory_bytes, limits);
  m_run.run(run.id, run.command_line, run.started_at, run.ended_at, run.state, run.host, run.version,
            run.seed, id, device.id, run.toolkit, run.measured, run.strategy);
}

void RowWriter::put_binary(const TrialRecord& trial, Known known) {
  if (trial.binary_key.empty()) return;
  m_binary.run(trial.binary_key, trial.compile_ms, trial.compile_log, known == Known::replace);
  if (trial.resources) put_row(m_binary_kernel, *trial.resources, trial.binary_key);
}

void RowWriter::put(const Digest& trial, const StoredMeasurement& stored) {
  put_row(m_measurement, stored, stored.key(trial), trial);
}

template <class... More>
void RowWriter::run_of_trial(Statement& statement, const TrialRecord& trial, const Identity& identity,
                             const More&... more) {
  auto row = statement.use(trial.key, identity.tuning_case, identity.kernel, identity.configuration);
  TrialRecord probed = trial;
  probed.outcome = as_probed(trial);
  db::bind(row, probed);
  row.bind(trial.resources ? std::optional(trial.resources->entry) : std::nullopt);
  if (const auto& measurement = trial.outcome.measurement) {
    row.bind(measurement->median_ns).bind(measurement->low_ns).bind(measurement->high_ns);
    row.bind(current_measurement(trial).key(trial.key));
  } else {
    row.bind(std::nullopt).bind(std::nullopt).bind(std::nullopt).bind(std::nullopt);
  }
  row.bind(false).bind(std::nullopt);  // how it stands is said afterwards
  (row.bind(more), ...);
  row.run();
}

void RowWriter::put(const TrialRecord& trial, Known known) {
  const Identity identity = put_identity(trial);
  put_binary(trial, known);
  if (trial.outcome.measurement) put(trial.key, current_measurement(trial));
  // Most rows of another database are new here, and to prepare for those that are not takes longer than to
  // insert.
  if (known == Known::replace_if_older) {
    run_of_trial(m_new_trial, trial, identity);
    if (changed() > 0) return;
  }
  run_of_trial(m_trial, trial, identity, known == Known::replace);
}

tuner::model::TrialOutcome RowWriter::as_probed(const TrialRecord& trial) {
  tuner::model::TrialOutcome outcome = trial.outcome;
  if (trial.probe_key.empty() || !outcome.measurement) return outcome;
  auto row = m_failed_probe.use(trial.probe_key);
  if (!row.step()) return outcome;
  outcome.status = read_enum<TrialStatus>(row);
  outcome.detail = row.text();
  return outcome;
}

namespace {

/// As it was before its probes' verdict, which is known and is told of both.
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
    for (Statement* statement : {&m_fill, &m_trial_failure}) run_of_trial(*statement, trial, identity);
  }
  for (const StoredMeasurement& measurement : earlier) put(trial.key, measurement);
}

void RowWriter::put(const PastFailure& failure) {
  put_row(m_earlier_failure, failure);
}

void RowWriter::settle_failures() {
  m_settle_failures.run();
}

void RowWriter::put(const tuner::model::ProbeVerdict& verdict) {
  m_clear.run(verdict.probe);
  note({verdict, false}, true);
  condemn(verdict.probe);
}

void RowWriter::note(const Probing& probing) {
  note(probing, false);
}

void RowWriter::note(const Probing& probing, bool just_now) {
  auto row = m_probing.use();
  db::bind(row, probing).bind(just_now).run();
  m_verdict.run(probing.verdict.probe);
}

void RowWriter::condemn(const Digest& probe) {
  auto failed = m_failed_probe.use(probe);
  if (!failed.step()) return m_acquit.run(probe);
  const std::string status = failed.text();
  m_fail_probed.run(probe, status, failed.text());
}

void RowWriter::settle(const Digest& probe) {
  m_verdict.run(probe);
  condemn(probe);
}

void RowWriter::put(const tuner::model::Ceiling& ceiling) {
  put_row(m_ceiling, ceiling);
}

void RowWriter::put(const StoredCounter& counter) {
  put_row(m_counter, counter);
}

namespace {

/// Rows may come from strangers: only what a final can have said is kept.
void require_sound(const FinalRecord& final) {
  const auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("the final of {} at {}: {}", final.problem.text(), final.measured_at, why));
  };
  if (final.entries.empty() || final.entries.size() > most_final_entries) {
    refuse(fmt::format("{} finalists, 1 to {} were expected", final.entries.size(), most_final_entries));
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

Digest final_id(const FinalRecord& final, const Digest& tuning_case) {
  tuner::model::DigestBuilder digest;
  digest.add("final 1").add(tuning_case).add(final.run).add(final.measured_at).add(final.chosen);
  for (const FinalRecord::Entry& entry : final.entries) {
    digest.add(entry.trial).add(std::bit_cast<std::int64_t>(entry.ratio));
  }
  return digest.finish();
}

}  // namespace

void RowWriter::put(const FinalRecord& final) {
  require_sound(final);
  const Digest tuning_case = put_case(final.problem, final.environment);
  for (const FinalRecord::Entry& entry : final.entries) {
    if (m_case_of.first(&Statement::Use::digest, entry.trial) != tuning_case) {
      throw Error(fmt::format("the final of {}: its finalist {} is no trial of that problem and class",
                              final.problem.text(), entry.trial.hex()));
    }
  }
  const Digest id = keep_most_whole(final, tuning_case);
  for (const FinalRecord::Coverage& covered : final.coverage) put_row(m_coverage, covered, id);
  if (final.coverage.empty()) m_entry_coverage.run(id);
}

Digest RowWriter::keep_most_whole(const FinalRecord& final, const Digest& tuning_case) {
  using Copy = std::pair<std::int64_t, Digest>;  // finalists and id
  const auto read_copy = [](Statement::Use& row) { return Copy{row.integer(), row.digest()}; };
  const std::vector<Copy> known =
      m_same_finals.all(read_copy, tuning_case, final.chosen, final.measured_at, final.run);
  const Copy here{final.entries.size(), final_id(final, tuning_case)};
  const Copy kept = known.empty() ? here : std::max(here, *std::ranges::max_element(known));
  for (const Copy& copy : known) {
    if (copy == kept) continue;
    for (const char* statement :
         {"DELETE FROM final_entries WHERE final = ?", "DELETE FROM final_coverage WHERE final = ?",
          "DELETE FROM finals WHERE id = ?"}) {
      Statement(m_db, statement).run(copy.second);
    }
  }
  if (kept == here) {
    put_row(m_final, final, here.second, tuning_case);
    for (std::size_t place = 0; place < final.entries.size(); ++place)
      put_row(m_final_entry, final.entries[place], here.second, place);
  }
  return kept.second;
}

namespace {

/// Rows may come from strangers: only what a search can have said is kept.
void require_sound(const SearchRecord& search) {
  const auto refuse = [&](const std::string& why) {
    throw Error(
        fmt::format("the search of {} that ended at {}: {}", search.problem.text(), search.ended_at, why));
  };
  if (search.parts.empty() || search.parts.size() > most_search_parts)
    refuse(fmt::format("{} kernels, 1 to {} were expected", search.parts.size(), most_search_parts));
  if (search.tried < 0 || search.failed < 0 || search.failed > search.tried)
    refuse(fmt::format("{} of {} tried have failed", search.failed, search.tried));
  for (const SearchRecord::Part& part : search.parts) {
    if (part.candidates < 0) refuse(fmt::format("{} candidates", part.candidates));
  }
  if (!search.outlook) return;
  const Outlook& outlook = *search.outlook;
  for (const double share : {outlook.gain, outlook.low, outlook.high}) {
    if (!std::isfinite(share) || share < 0) refuse(fmt::format("{} is no expected gain", share));
  }
  for (const double share : {outlook.behind, outlook.behind_at_worst, outlook.faster}) {
    if (!(share >= 0 && share <= 1)) refuse(fmt::format("{} is no share", share));
  }
  if (outlook.stretch < 0) refuse(fmt::format("a stretch of {} results", outlook.stretch));
}

Digest search_id(const SearchRecord& search, const Digest& tuning_case) {
  tuner::model::DigestBuilder digest;
  digest.add("search 1").add(tuning_case).add(search.run).add(search.ended_at).add(search.strategy);
  for (const SearchRecord::Part& part : search.parts) digest.add(part.kernel).add(part.spec);
  return digest.add(search.tried).finish();
}

}  // namespace

void RowWriter::put(const SearchRecord& search) {
  require_sound(search);
  const Digest tuning_case = put_case(search.problem, search.environment);
  const Digest id = search_id(search, tuning_case);
  put_row(m_search, search, id, tuning_case);
  for (const SearchRecord::Part& part : search.parts) put_row(m_search_kernel, part, id);
}

}  // namespace db
