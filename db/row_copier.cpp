#include "db/row_copier.hpp"

#include "db/ids.hpp"
#include "db/insertions.hpp"
#include "db/queries.hpp"
#include "db/row_archive.hpp"
#include "db/row_reader.hpp"
#include "db/sql.hpp"
#include "db/stored_json.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/fields.hpp"

namespace db {

using tuner::model::Digest;

namespace {

/// Columns of select_plain_trials.sql.
namespace column {
constexpr int plain = 0;
constexpr int trial = 1;
constexpr int contest = 2;
constexpr int kernel = 3;
constexpr int configuration = 4;
constexpr int binary = 9;
constexpr int probe = 10;
constexpr int entry = 11;
constexpr int limited_by = 22;
constexpr int metrics = 37;
constexpr int macros = 41;
constexpr int measurement = 45;
constexpr int run = 46;
constexpr int json = 47;
constexpr int compile_ms = 48;
constexpr int log = 49;
constexpr int resources = 50;
}  // namespace column

/// In the order of measurement_columns().
struct MeasurementColumns {
  int measured_at = column::resources + columns_of<tuner::model::KernelResources>().count();
  int run = measured_at + 1;
  int sequence = measured_at + 2;
  int status = measured_at + 3;
  int metrics = measured_at + 4;
  int figures = measured_at + 5;
  int end = figures + columns_of<tuner::model::Measurement>().count();
};

const MeasurementColumns& measurement_places() {
  static const MeasurementColumns places;
  return places;
}

std::string select_plain_trials() {
  std::string text = sql("select_plain_trials");
  const auto put = [&](const std::string& mark, const std::string& columns) {
    text.replace(text.find(mark), mark.size(), columns);
  };
  put("{resources}", columns_of<tuner::model::KernelResources>().text("b."));
  put("{measurement}", measurement_columns());
  return text;
}

}  // namespace

RowCopier::RowCopier(const Connection& target, const Connection& source, RowWriter& writer)
    : m_target(target),
      m_source(source),
      m_writer(writer),
      m_some_probes_failed(target.integer("SELECT EXISTS (SELECT 1 FROM verdicts WHERE status <> 'ok')") !=
                           0),
      m_select(source, select_plain_trials()),
      m_trial(target, insert_new_trial()),
      m_configuration(target, insert_configuration()),
      m_binary(target, sql("insert_binary")),
      m_binary_kernel(target, insert_binary_kernel()),
      m_measurement(target, insert_measurement()),
      m_failed_probe(target, "SELECT 1 FROM verdicts WHERE id = ? AND status <> 'ok'") {}

std::vector<Digest> RowCopier::copy() {
  const std::int64_t last = m_target.integer("SELECT max(rowid) FROM trials");
  std::vector<Digest> left;
  {
    const UntriggeredRows untriggered(m_target);
    left = copy_plain();
  }
  Statement(m_target, sql("tally_new_trials")).use().bind(last).run();
  return left;
}

std::vector<Digest> RowCopier::copy_plain() {
  m_unchecked.emplace(m_target);
  std::vector<Digest> left;
  auto row = m_select.use();
  while (row.step()) {
    if (is_plain(row) && !has_failed_probes(row) && put(row)) {
      put_what_it_names(row);
    } else {
      left.push_back(row.to(column::trial).digest());
    }
  }
  m_unchecked.reset();
  return left;
}

bool RowCopier::is_plain(Statement::Use& row) {
  if (!row.to(column::plain).flag()) return false;
  try {
    const Place& place = place_of(row.to(column::trial).digest(), row);
    return place.has_its_ids && says_its_id(row, place) && has_its_measurement(row);
  } catch (const tuner::model::Error&) {
    return false;  // Whoever makes a value of it says what is wrong with it.
  }
}

const RowCopier::Place& RowCopier::place_of(const Digest& trial, Statement::Use& row) {
  const Digest contest = row.to(column::contest).digest();
  const Digest kernel = row.to(column::kernel).digest();
  const auto [known, is_new] = m_places.try_emplace({contest, kernel});
  if (is_new) {
    const auto first = find_trial(m_source, trial);
    if (!first) return known->second;
    // What is written from values has to pass the schema's checks.
    m_unchecked.reset();
    const RowWriter::Identity identity = m_writer.put_identity(*first);
    m_unchecked.emplace(m_target);
    known->second = {identity.contest == contest && identity.kernel == kernel,
                     parameters_json(first->configuration)};
  }
  return known->second;
}

bool RowCopier::says_its_id(Statement::Use& row, const Place& place) const {
  const std::string json = row.to(column::json).text();
  const tuner::model::Configuration configuration = stored_configuration(json, place.parameters);
  if (configuration.canonical_json() != json) return false;
  if (configuration_id(configuration) != row.to(column::configuration).digest()) return false;
  const std::string macros = row.to(column::macros).text();
  if (macros_json(stored_macros(macros)) != macros) return false;
  if (row.to(column::limited_by).null()) return true;
  const std::string names = row.text();
  return names_json(stored_names(names)) == names;
}

bool RowCopier::has_its_measurement(Statement::Use& row) const {
  const std::string metrics = row.to(column::metrics).text();
  if (row.to(column::measurement).null()) return metrics_json(stored_metrics(metrics)) == metrics;
  const Digest id = row.digest();
  const Digest trial = row.to(column::trial).digest();
  const StoredMeasurement stored = read_stored_measurement(row.to(measurement_places().measured_at));
  return stored.key(trial) == id && metrics_json(stored.metrics) == metrics;
}

bool RowCopier::has_failed_probes(Statement::Use& row) {
  if (!m_some_probes_failed || row.to(column::measurement).null() || row.to(column::probe).null())
    return false;
  return m_failed_probe.use().bind(row.digest()).step();
}

/// Whether it was new.
bool RowCopier::put(Statement::Use& row) {
  auto trial = m_trial.use();
  trial.take(row, column::trial, column::run + 1);
  trial.run();
  return m_target.changes() > 0;
}

void RowCopier::put_what_it_names(Statement::Use& row) {
  m_configuration.use().take(row, column::configuration).take(row, column::json).run();
  if (!row.to(column::binary).null()) {
    m_binary.use()
        .take(row, column::binary)
        .take(row, column::compile_ms)
        .take(row, column::log)
        .bind(false)
        .run();
    if (!row.to(column::entry).null()) {
      m_binary_kernel.use()
          .take(row, column::binary)
          .take(row, column::resources, measurement_places().measured_at)
          .run();
    }
  }
  if (row.to(column::measurement).null()) return;
  const MeasurementColumns& places = measurement_places();
  m_measurement.use()
      .take(row, column::measurement)
      .take(row, column::trial)
      .take(row, places.measured_at)
      .take(row, places.sequence)
      .take(row, places.status)
      .take(row, places.metrics)
      .take(row, places.figures, places.end)
      .take(row, places.run)
      .run();
}

}  // namespace db
