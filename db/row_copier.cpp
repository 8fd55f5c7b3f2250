#include "db/row_copier.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "db/ids.hpp"
#include "db/insertions.hpp"
#include "db/queries.hpp"
#include "db/row_reader.hpp"
#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/record_fields.hpp"

namespace db {

using tuner::model::Digest;

void NewTallies::count(const Digest& tuning_case, const Digest& kernel, const std::string& status,
                       bool superseded, const std::string& role, const std::string& measured_at) {
  Tally& tally = m_tallies[{tuning_case, kernel, status, superseded, role}];
  ++tally.trials;
  tally.latest = std::max(tally.latest, measured_at);
}

void NewTallies::put(const Connection& db) const {
  Statement insert(
      db,
      "INSERT INTO tallies (contest, kernel, status, superseded, role, trials, latest) "
      "VALUES (?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT DO UPDATE SET trials = trials + excluded.trials, latest = max(latest, excluded.latest)");
  for (const auto& [kind, tally] : m_tallies) {
    const auto& [tuning_case, kernel, status, superseded, role] = kind;
    insert.use()
        .bind(tuning_case)
        .bind(kernel)
        .bind(status)
        .bind(superseded)
        .bind(role)
        .bind(tally.trials)
        .bind(tally.latest)
        .run();
  }
}

using tuner::model::Digest;

RowWalk::RowWalk(const Connection& db, const std::string& table, const std::string& columns)
    : m_place(db, fmt::format("SELECT rowid FROM {} WHERE id = ?", table)),
      m_rows(db, fmt::format("SELECT m.id, {} FROM {} AS m WHERE m.rowid >= ? ORDER BY m.rowid", columns,
                             table)) {}

Statement::Use* RowWalk::find(const Digest& id) {
  const bool is_here = m_row != nullptr && (m_id == id || (next() && m_id == id));
  if (!is_here) {
    m_row.reset();
    auto place = m_place.use();
    place.bind(id);
    if (!place.step()) return nullptr;
    m_row.reset(new Statement::Use(m_rows.use()));
    m_row->bind(place.integer());
    if (!next() || m_id != id) return nullptr;
  }
  return &m_row->to(1);
}

bool RowWalk::next() {
  if (!m_row->step()) {
    m_row.reset();
    return false;
  }
  m_id = m_row->digest();
  return true;
}

using tuner::model::Digest;

namespace {

/// Columns of select_plain_trials.sql; from the trial's id to its run as insert_copied_trial() takes them.
/// How a trial stood there is mostly how it stands here; KernelSpecs::settle() says it of all.
namespace column {
constexpr int plain = 0;
constexpr int trial = 1;
constexpr int tuning_case = 2;
constexpr int kernel = 3;
constexpr int configuration = 4;
constexpr int role = 5;
constexpr int superseded = 8;
constexpr int binary = 10;
constexpr int probe = 11;
constexpr int entry = 12;
constexpr int limited_by = 23;
constexpr int status = 25;
constexpr int median = 35;
constexpr int low = 36;
constexpr int high = 37;
constexpr int metrics = 38;
constexpr int macros = 42;
constexpr int measured_at = 44;
constexpr int sequence = 45;
constexpr int measurement = 46;
constexpr int run = 47;
constexpr int json = 48;
constexpr int resources = 49;
}  // namespace column

int end_of_resources() {
  static const int end = column::resources + columns_of<tuner::model::KernelResources>().count();
  return end;
}

/// Columns of the walk over measurements: the id, the trial, then those of measurement_columns() and once
/// more what a trial repeats of it.
namespace measurement_column {
constexpr int id = 0;
constexpr int trial = 1;
constexpr int measured_at = 2;
constexpr int run = 3;
constexpr int sequence = 4;
constexpr int status = 5;
constexpr int metrics = 6;
constexpr int figures = 7;
}  // namespace measurement_column

int end_of_figures() {
  static const int end = measurement_column::figures + columns_of<tuner::model::Measurement>().count();
  return end;
}

/// Columns of the walk over binaries.
namespace binary_column {
constexpr int compile_ms = 1;
constexpr int log = 2;
}  // namespace binary_column

/// How many texts are remembered at most.
constexpr std::size_t most_canonical = 10'000;

std::string select_plain_trials() {
  std::string text = sql("select_plain_trials");
  const std::string mark = "{resources}";
  return text.replace(text.find(mark), mark.size(), columns_of<tuner::model::KernelResources>().text("b."));
}

}  // namespace

RowCopier::RowCopier(const Connection& target, const Connection& source, RowWriter& writer)
    : m_target(target),
      m_source(source),
      m_writer(writer),
      m_some_probes_failed(target.integer("SELECT EXISTS (SELECT 1 FROM verdicts WHERE status <> 'ok')") !=
                           0),
      m_some_measured_twice(
          source.integer("SELECT EXISTS (SELECT 1 FROM measurements GROUP BY trial HAVING count(*) > 1)") !=
          0),
      m_select(source, select_plain_trials()),
      m_binaries(source, "binaries", "m.compile_ms, m.log"),
      m_measurements(source, "measurements",
                     "m.trial, " + measurement_columns() + ", m.median_ns, m.low_ns, m.high_ns"),
      m_trial(target, insert_copied_trial()),
      m_configuration(target, insert_configuration()),
      m_binary(target, sql("insert_binary")),
      m_binary_kernel(target, insert_binary_kernel()),
      m_measurement(target, insert_copied_measurement()),
      m_failed_probe(target, "SELECT 1 FROM verdicts WHERE id = ? AND status <> 'ok'"),
      m_run(target, "SELECT 1 FROM runs WHERE id = ?") {}

std::vector<Digest> RowCopier::copy() {
  std::vector<Digest> left;
  {
    const UntriggeredRows untriggered(m_target);
    left = copy_plain();
  }
  m_tallies.put(m_target);
  m_tallies = {};
  return left;
}

std::vector<Digest> RowCopier::copy_plain() {
  m_unchecked.emplace(m_target);
  std::vector<Digest> left;
  auto row = m_select.use();
  row.bind(m_some_measured_twice);
  while (row.step()) {
    Statement::Use* binary =
        row.to(column::binary).null() ? nullptr : m_binaries.find(row.to(column::binary).digest());
    Statement::Use* measurement = row.to(column::measurement).null()
                                      ? nullptr
                                      : m_measurements.find(row.to(column::measurement).digest());
    if (is_plain(row, binary, measurement) && !has_failed_probes(row) && put(row)) {
      put_what_it_names(row, binary, measurement);
    } else {
      left.push_back(row.to(column::trial).digest());
    }
  }
  m_unchecked.reset();
  return left;
}

bool RowCopier::is_plain(Statement::Use& row, const Statement::Use* binary, Statement::Use* measurement) {
  if (!row.to(column::plain).flag()) return false;
  if (row.to(column::binary).null() != (binary == nullptr)) return false;
  try {
    const Place& place = place_of(row.to(column::trial).digest(), row);
    return place.has_its_ids && says_its_id(row, place) && has_its_measurement(row, measurement);
  } catch (const tuner::model::Error&) {
    return false;  // Whoever makes a value of it says what is wrong with it.
  }
}

const RowCopier::Place& RowCopier::place_of(const Digest& trial, Statement::Use& row) {
  const Digest tuning_case = row.to(column::tuning_case).digest();
  const Digest kernel = row.to(column::kernel).digest();
  const auto [known, is_new] = m_places.try_emplace({tuning_case, kernel});
  if (is_new) {
    const auto first = find_trial(m_source, trial);
    if (!first) return known->second;
    // What is written from values has to pass the schema's checks.
    m_unchecked.reset();
    const RowWriter::Identity identity = m_writer.put_identity(*first);
    m_unchecked.emplace(m_target);
    known->second = {identity.tuning_case == tuning_case && identity.kernel == kernel,
                     stored_names(parameters_json(first->configuration))};
  }
  return known->second;
}

bool RowCopier::says_its_id(Statement::Use& row, const Place& place) {
  const std::string json = row.to(column::json).text();
  const tuner::model::Configuration configuration = stored_macros(json);
  if (configuration.canonical_json() != json) return false;
  if (configuration.assignments().size() != place.parameters.size()) return false;
  for (const std::string& name : place.parameters) {
    if (configuration.find(name) == nullptr) return false;
  }
  if (configuration_id(json) != row.to(column::configuration).digest()) return false;
  // A few texts are those of most rows.
  const auto is_written_so = [&](const std::string& text, const auto& rewritten) {
    if (m_canonical.contains(text)) return true;
    if (rewritten(text) != text) return false;
    if (m_canonical.size() < most_canonical) m_canonical.insert(text);
    return true;
  };
  const std::string macros = row.to(column::macros).text();
  const auto rewritten_macros = [](const std::string& text) { return macros_json(stored_macros(text)); };
  if (!is_written_so(macros, rewritten_macros)) return false;
  if (row.to(column::limited_by).null()) return true;
  const auto rewritten_names = [](const std::string& text) { return names_json(stored_names(text)); };
  return is_written_so(row.text(), rewritten_names);
}

bool RowCopier::has_its_measurement(Statement::Use& row, Statement::Use* measurement) const {
  const std::string metrics = row.to(column::metrics).text();
  if (row.to(column::measurement).null()) return metrics_json(stored_metrics(metrics)) == metrics;
  if (measurement == nullptr) return false;
  const std::pair<int, int> repeated[] = {
      {column::trial, measurement_column::trial},   {column::measured_at, measurement_column::measured_at},
      {column::run, measurement_column::run},       {column::sequence, measurement_column::sequence},
      {column::status, measurement_column::status}, {column::metrics, measurement_column::metrics},
      {column::median, end_of_figures()},           {column::low, end_of_figures() + 1},
      {column::high, end_of_figures() + 2}};
  for (const auto& [of_trial, of_measurement] : repeated) {
    if (!row.is_same(of_trial, *measurement, of_measurement)) return false;
  }
  const Digest id = row.to(column::measurement).digest();
  const Digest trial = row.to(column::trial).digest();
  const StoredMeasurement stored = read_stored_measurement(measurement->to(measurement_column::measured_at));
  return stored.key(trial) == id && metrics_json(stored.metrics) == metrics;
}

bool RowCopier::has_failed_probes(Statement::Use& row) {
  if (!m_some_probes_failed || row.to(column::measurement).null() || row.to(column::probe).null())
    return false;
  return m_failed_probe.use().bind(row.digest()).step();
}

bool RowCopier::knows_run(const Digest& run) {
  const auto [known, is_new] = m_runs.try_emplace(run);
  if (is_new) known->second = m_run.use().bind(run).step();
  return known->second;
}

/// Whether it was new.
bool RowCopier::put(Statement::Use& row) {
  auto trial = m_trial.use();
  trial.take(row, column::trial, column::run);
  const Digest run = row.to(column::run).digest();
  trial.bind(knows_run(run) ? std::optional(run) : std::nullopt).run();
  if (m_target.changes() == 0) return false;
  m_tallies.count(row.to(column::tuning_case).digest(), row.to(column::kernel).digest(),
                  row.to(column::status).text(), row.to(column::superseded).flag(),
                  row.to(column::role).text(), row.to(column::measured_at).text());
  return true;
}

void RowCopier::put_what_it_names(Statement::Use& row, const Statement::Use* binary,
                                  const Statement::Use* measurement) {
  m_configuration.use().take(row, column::configuration).take(row, column::json).run();
  if (binary != nullptr) {
    m_binary.use()
        .take(row, column::binary)
        .take(*binary, binary_column::compile_ms)
        .take(*binary, binary_column::log)
        .bind(false)
        .run();
    if (!row.to(column::entry).null()) {
      m_binary_kernel.use().take(row, column::binary).take(row, column::resources, end_of_resources()).run();
    }
  }
  if (measurement == nullptr) return;
  const Digest run = row.to(column::run).digest();
  m_measurement.use()
      .take(*measurement, measurement_column::id)
      .take(*measurement, measurement_column::trial)
      .take(*measurement, measurement_column::measured_at)
      .take(*measurement, measurement_column::sequence)
      .take(*measurement, measurement_column::status)
      .take(*measurement, measurement_column::metrics)
      .take(*measurement, measurement_column::figures, end_of_figures())
      .bind(knows_run(run) ? std::optional(run) : std::nullopt)
      .run();
}

}  // namespace db
