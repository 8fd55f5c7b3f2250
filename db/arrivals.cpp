#include "db/arrivals.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "db/restatement.hpp"
#include "db/rows.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

using tuner::model::Configuration;
using tuner::model::Digest;
using tuner::model::Error;

/// Rows go all over the target's indexes, and what does not fit is written more than once.
constexpr std::int64_t cache_bytes = std::int64_t{256} << 20;

/// What SQLite calls a function with.
using Values = sqlite3_value**;

std::string text_of(sqlite3_value* value) {
  const auto* data = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return data == nullptr ? std::string() : std::string(data, sqlite3_value_bytes(value));
}

std::span<const std::byte> bytes_of(sqlite3_value* value) {
  return {static_cast<const std::byte*>(sqlite3_value_blob(value)),
          static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

/// Empty for NULL.
Digest digest_of(sqlite3_value* value) {
  Digest digest;
  const auto bytes = bytes_of(value);
  if (bytes.size() != digest.bytes.size()) return digest;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(digest.bytes.data()));
  return digest;
}

bool is_null(sqlite3_value* value) {
  return sqlite3_value_type(value) == SQLITE_NULL;
}

tuner::model::TrialStatus status_of(const std::string& word) {
  const auto status = tuner::model::parse_word<tuner::model::TrialStatus>(word);
  if (!status) throw Error(fmt::format("'{}' is no trial status", word));
  return *status;
}

void give(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void give(sqlite3_context* context, const Digest& digest) {
  sqlite3_result_blob(context, digest.bytes.data(), static_cast<int>(digest.bytes.size()), SQLITE_TRANSIENT);
}

template <class T>
void give(sqlite3_context* context, const std::optional<T>& value) {
  if (value) {
    give(context, *value);
  } else {
    sqlite3_result_null(context);
  }
}

template <class Map>
const auto& found_in(const Map& map, const Digest& theirs, const char* what) {
  const auto found = map.find(theirs);
  if (found == map.end()) throw Error(fmt::format("it names {} {}, which is not there", what, theirs.hex()));
  return found->second;
}

/// A parameter of insert_trial(), of the trials t with their configuration f and their measurement m. The
/// figures that a trial repeats of its measurement are the measurement's. One that failed by what its probes
/// said is as it was measured: the verdict comes with it and is told of both.
std::string trial_expression(const std::string& name) {
  constexpr const char* stands = "m.id IS NULL OR t.status IN ('ok', 'dropped')";
  if (name == "tuning_case") return "our_case(t.tuning_case)";
  if (name == "kernel") return "our_kernel(t.kernel)";
  if (name == "configuration") return "our_configuration(t.kernel, f.json)";
  if (name == "macros" || name == "occupancy_limited_by") return fmt::format("as_{0}(t.{0})", name);
  if (name == "measurement") return "our_measurement(t.measurement, m.id)";
  if (name == "detail") return fmt::format("iif({}, t.detail, '')", stands);
  if (name == "metrics") return fmt::format("as_metrics(iif({}, t.metrics, m.metrics))", stands);
  if (name == "status")
    return fmt::format("iif({}, as_status(t.status), iif(as_status(t.status) <> '', m.status, NULL))",
                       stands);
  if (name == "measured_at" || name == "run" || name == "sequence")
    return fmt::format("iif({0}, t.{1}, m.{1})", stands, name);
  if (name == "median_ns" || name == "low_ns" || name == "high_ns") return "m." + name;
  for (const Columns::Column& column : columns_of<tuner::model::TrialRecord>().list()) {
    if (column.name == name && column.may_be_null && std::string_view(column.type) == "INTEGER")
      return fmt::format("iif(t.{0} < 0, NULL, t.{0})", name);
  }
  return "t." + name;
}

/// In the order in which they lie, else by `rest`, which may need an index.
std::string select_their_trials(const std::string& rest, const char* indexes = "") {
  std::string expressions;
  for (const std::string& name : trial_row_names())
    expressions += (expressions.empty() ? "" : ", ") + trial_expression(name);
  return fmt::format(
      "SELECT {} FROM trials AS t {} CROSS JOIN configurations AS f ON f.id = t.configuration "
      "LEFT JOIN measurements AS m ON m.id = t.measurement AND m.trial = t.id {}",
      expressions, indexes, rest);
}

/// Triggers do nothing as long as it lives.
class UntriggeredRows {
 public:
  explicit UntriggeredRows(const Connection& db) : m_db(db) { enable(0); }
  UntriggeredRows(const UntriggeredRows&) = delete;
  UntriggeredRows& operator=(const UntriggeredRows&) = delete;
  ~UntriggeredRows() { enable(1); }

 private:
  void enable(int enabled) {
    sqlite3_db_config(m_db.handle(), SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled, nullptr);
  }
  const Connection& m_db;
};

/// The trials of one other database, or those whose current result is of one run of it.
class MergeRows {
 public:
  MergeRows(const Connection& target, const Connection& source, RowWriter& writer,
            const std::optional<Digest>& run)
      : m_target(target), m_source(source), m_writer(writer), m_run(run) {
    define_functions();
  }
  MergeRows(const MergeRows&) = delete;
  MergeRows& operator=(const MergeRows&) = delete;
  ~MergeRows() = default;
  void copy();

 private:
  /// A function of these values that SELECTs on the source may call. What it throws is the error of the
  /// SELECT.
  template <class Function>
  void define(const char* name, int arguments, Function function);
  void define_functions();
  /// As this program writes the JSON of a column.
  template <class Value>
  void define_rewriting(const char* name, const char* what);
  /// A condition that `id` is named by `column` of one of these trials, if they are those of a run: ?1.
  std::string named_by(const char* column, const char* id = "id") const;
  Statement::Use use(Statement& select) const { return m_run ? select.use(*m_run) : select.use(); }
  void map_cases_and_kernels();
  void pump(const std::string& select, const std::string& insert);
  void copy_trials();
  void add_known(const std::vector<Digest>& trials);

  const Connection& m_target;
  const Connection& m_source;
  RowWriter& m_writer;
  std::optional<Digest> m_run;
  std::map<Digest, Digest> m_cases;  ///< ours by theirs
  struct Kernel {
    Digest id;
    std::vector<std::string> parameters;
  };
  std::map<Digest, Kernel> m_kernels;
  std::map<Digest, Digest> m_measurements;  ///< of those whose content gives another id than theirs
};

template <class Function>
void MergeRows::define(const char* name, int arguments, Function function) {
  const auto call = [](sqlite3_context* context, int, Values values) {
    try {
      give(context, (*static_cast<Function*>(sqlite3_user_data(context)))(values));
    } catch (const std::exception& error) {
      sqlite3_result_error(context, error.what(), -1);
    }
  };
  const auto destroy = [](void* held) { delete static_cast<Function*>(held); };
  sqlite3_create_function_v2(m_source.handle(), name, arguments,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                             new Function(std::move(function)), call, nullptr, nullptr, destroy);
}

template <class Value>
void MergeRows::define_rewriting(const char* name, const char* what) {
  // A few texts are those of most rows.
  constexpr std::size_t most_known = 10'000;
  using Known = std::unordered_map<std::string, std::string>;
  define(name, 1, [what, known = Known()](Values values) mutable -> std::optional<std::string> {
    if (is_null(values[0])) return std::nullopt;
    std::string text = text_of(values[0]);
    auto found = known.find(text);
    if (found == known.end()) {
      if (known.size() >= most_known) known.clear();
      std::string anew = json_line(json_of(value_of<Value>(parse_json(text), what)));
      found = known.emplace(std::move(text), std::move(anew)).first;
    }
    return found->second;
  });
}

void MergeRows::define_functions() {
  define("our_case", 1,
         [this](Values values) { return found_in(m_cases, digest_of(values[0]), "the case"); });
  define("our_kernel", 1,
         [this](Values values) { return found_in(m_kernels, digest_of(values[0]), "the kernel").id; });
  define("our_configuration", 2, [this](Values values) {
    const Kernel& kernel = found_in(m_kernels, digest_of(values[0]), "the kernel");
    const std::string json = text_of(values[1]);
    const auto configuration = value_of<Configuration>(parse_json(json), "configuration");
    for (const std::string& name : kernel.parameters)
      if (configuration.find(name) == nullptr)
        throw Error(fmt::format("configuration {} has no {}", json, name));
    if (configuration.assignments().size() != kernel.parameters.size())
      throw Error(fmt::format("configuration {} has more than its kernel's parameters", json));
    return configuration_id(configuration.canonical_json());
  });
  define("our_measurement", 2, [this](Values values) -> std::optional<Digest> {
    if (is_null(values[0])) return std::nullopt;
    const Digest theirs = digest_of(values[0]);
    if (is_null(values[1]))
      throw Error(fmt::format("it names the measurement {}, which it does not have", theirs.hex()));
    const auto other = m_measurements.find(theirs);
    return other == m_measurements.end() ? theirs : other->second;
  });
  define("measurement_id", 8, [this](Values values) {
    StoredMeasurement stored;
    stored.run = digest_of(values[2]);
    stored.measured_at = text_of(values[3]);
    stored.status = status_of(text_of(values[4]));
    stored.measurement.launches_per_sample = sqlite3_value_int(values[5]);
    stored.measurement.median_ns = sqlite3_value_double(values[6]);
    stored.measurement.samples_ns = decode_samples(bytes_of(values[7]));
    if (!(stored.measurement.median_ns > 0) || std::isinf(stored.measurement.median_ns))
      throw Error(fmt::format("a measurement takes {} ns", stored.measurement.median_ns));
    const Digest theirs = digest_of(values[0]);
    const Digest id = stored.key(digest_of(values[1]));
    if (id != theirs) m_measurements[theirs] = id;
    return id;
  });
  define("as_status", 1, [](Values values) {
    std::string word = text_of(values[0]);
    status_of(word);
    return word;
  });
  define_rewriting<Configuration>("as_macros", "macros");
  define_rewriting<tuner::model::Metrics>("as_metrics", "metrics");
  define_rewriting<std::vector<std::string>>("as_occupancy_limited_by", "limited_by");
}

std::string MergeRows::named_by(const char* column, const char* id) const {
  return m_run ? fmt::format(" WHERE {} IN (SELECT {} FROM trials WHERE run = ?1)", id, column) : "";
}

void MergeRows::map_cases_and_kernels() {
  Statement cases(m_source, fmt::format("SELECT n.id, {} FROM cases AS n JOIN environments AS c ON c.id = "
                                        "n.environment JOIN problems AS p ON p.id = n.problem",
                                        case_columns()) +
                                named_by("tuning_case", "n.id"));
  for (auto row = use(cases); row.step();) {
    const Digest theirs = row.digest();
    tuner::model::CaseName ours;
    read_case(row, ours);
    m_cases[theirs] = m_writer.put_case(ours.problem, ours.environment);
  }
  Statement kernels(m_source, "SELECT id, family, name, parameters FROM kernels" + named_by("kernel"));
  for (auto row = use(kernels); row.step();) {
    Kernel& kernel = m_kernels[row.digest()];
    const std::string family = row.text();
    const std::string name = row.text();
    kernel.parameters = value_of<std::vector<std::string>>(parse_json(row.text()), "parameters");
    kernel.id = m_writer.put_kernel(family, name, json_line(json_of(kernel.parameters)));
  }
}

void MergeRows::pump(const std::string& select, const std::string& insert) {
  Statement from(m_source, select);
  Statement into(m_target, insert);
  for (auto row = use(from); row.step();) into.use().take(row).run();
}

void MergeRows::copy() {
  map_cases_and_kernels();
  Statement configurations(m_source, "SELECT json FROM configurations" + named_by("configuration"));
  for (auto row = use(configurations); row.step();)
    m_writer.put_configuration(value_of<Configuration>(parse_json(row.text()), "configuration"));
  pump("SELECT id, compile_ms, log, 0 FROM binaries" + named_by("binary"), sql("insert_binary"));
  using Resources = tuner::model::KernelResources;
  pump("SELECT binary, " + columns_of<Resources>().names() + " FROM binary_kernels" +
           named_by("binary", "binary"),
       insert_into<Resources>("binary_kernels", "binary"));
  // When and by which run the current measurement of a trial was taken, the trial says.
  const auto said = [](const char* name) {
    return fmt::format("iif(t.measurement IS m.id AND t.status IN ('ok', 'dropped'), t.{0}, m.{0})", name);
  };
  pump(fmt::format("SELECT measurement_id(m.id, m.trial, {1}, {0}, {5}, m.launches_per_sample, "
                   "m.median_ns, m.samples_ns), m.trial, {0}, {1}, {2}, {5}, as_metrics({3}), {4} FROM {6}",
                   said("measured_at"), said("run"), said("sequence"), said("metrics"),
                   columns_of<tuner::model::Measurement>().names("m."), said("status"),
                   m_run ? "trials AS t JOIN measurements AS m ON m.trial = t.id AND (m.run = ?1 OR m.id = "
                           "t.measurement) WHERE t.run = ?1"
                         : "measurements AS m NOT INDEXED CROSS JOIN trials AS t ON t.id = m.trial"),
       insert_measurement());
  copy_trials();
}

void MergeRows::copy_trials() {
  std::vector<Digest> known;
  const std::int64_t last = m_target.integer("SELECT max(rowid) FROM trials");
  {
    const UntriggeredRows untriggered(m_target);
    Statement select(m_source, m_run ? select_their_trials("WHERE t.run = ?1")
                                     : select_their_trials("ORDER BY t.rowid", "NOT INDEXED"));
    Statement insert(m_target, insert_trial());
    for (auto row = use(select); row.step();) {
      insert.use().take(row).run();
      if (m_target.changes() == 0) known.push_back(row.digest());
    }
  }
  Statement(m_target, sql("tally_new_trials")).run(last);
  if (!known.empty()) add_known(known);
}

void MergeRows::add_known(const std::vector<Digest>& trials) {
  Statement select(m_source, select_their_trials("WHERE t.id = ?"));
  Statement update(m_target, update_trial());
  Statement fill(m_target, fill_trial());
  Statement keep_failure(m_target, keep_trial_failure());
  for (const Digest& trial : trials) {
    auto row = select.use(trial);
    if (!row.step()) continue;
    update.use().take(row).bind(false).run();
    if (m_target.changes() > 0) continue;
    // The result that is here is the newer one, and may say nothing of these.
    fill.use().take(row).run();
    keep_failure.use().take(row).run();
  }
}

}  // namespace

Arrivals::Arrivals(const Connection& target)
    : m_target(target),
      m_rows(target, RowWriter::Life::one_transaction),
      m_specs(target),
      m_failed_probing(target, "SELECT 1 FROM probings WHERE probe = ? AND status <> 'ok'") {
  target.set_cache(cache_bytes);
}

void Arrivals::put(const StoredTrial& stored) {
  const Digest& probe = stored.trial.probe_key;
  if (!is_condemned(stored.trial) || m_failed_probing.use(probe).step())
    return m_rows.add(stored.trial, stored.earlier);
  StoredTrial failed = stored;
  std::erase_if(failed.earlier, [&](const StoredMeasurement& one) { return is_of(one, stored.trial); });
  failed.trial.outcome.measurement.reset();
  failed.trial.outcome.energy.reset();
  failed.trial.metrics.clear();
  m_rows.add(failed.trial, failed.earlier);
  m_unfounded[probe].push_back(stored);
}

void Arrivals::put(const Probing& probing) {
  m_rows.note(probing);
  m_probed.insert(probing.verdict.probe);
  if (probing.verdict.status == tuner::model::TrialStatus::ok) return;
  if (const auto founded = m_unfounded.extract(probing.verdict.probe))
    for (const StoredTrial& stored : founded.mapped()) m_rows.add(stored.trial, stored.earlier);
}

void Arrivals::put(const SpecJudgements& judgements) {
  for (const Digest& trial : judgements.describes) put(StoredJudgement{trial, judgements.spec, true});
  for (const Digest& trial : judgements.excludes) put(StoredJudgement{trial, judgements.spec, false});
}

void Arrivals::put_trials_of(const Connection& source, const std::optional<Digest>& run) {
  MergeRows(m_target, source, m_rows, run).copy();
}

void Arrivals::finish(const Judge& judge) {
  Statement failed(m_target, "SELECT id FROM verdicts WHERE status <> 'ok'");
  for (auto row = failed.use(); row.step();) m_probed.insert(row.digest());
  for (const Digest& probe : m_probed) m_rows.condemn(probe);
  m_rows.settle_failures();
  m_specs.settle(judge);
  if (!judge.says) return;
  Restatement restatement(m_target);
  for (const tuner::model::KernelDeclaration& kernel : m_specs.declared())
    if (const tuner::model::AskSpec ask = judge.says(kernel))
      for (const Restatement::Change& change : restatement.changes(kernel, ask)) restatement.put(change);
}

Added Arrivals::count() const {
  // Not count(*), which reads all: a new row gets the rowid after the last, and none is deleted meanwhile.
  return {m_target.integer("SELECT count(*) FROM runs"), m_target.integer("SELECT max(rowid) FROM trials"),
          m_target.integer("SELECT max(rowid) FROM measurements")};
}

Added Arrivals::added_since(const Added& before) const {
  const Added now = count();
  return {now.runs - before.runs, now.trials - before.trials, now.measurements - before.measurements};
}

}  // namespace db
