#include "db/merge_rows.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "db/ids.hpp"
#include "db/row_reader.hpp"
#include "db/rows.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/error.hpp"

namespace db {
namespace {

using tuner::model::Configuration;
using tuner::model::Digest;
using tuner::model::Error;

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

void give(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void give(sqlite3_context* context, const Digest& digest) {
  sqlite3_result_blob(context, digest.bytes.data(), static_cast<int>(digest.bytes.size()), SQLITE_TRANSIENT);
}

template <class Map>
const auto& found_in(const Map& map, const Digest& theirs, const char* what) {
  const auto found = map.find(theirs);
  if (found == map.end()) throw Error(fmt::format("it names {} {}, which is not there", what, theirs.hex()));
  return found->second;
}

/// Counts new trials as the trigger trials_tally_insert does, for all at once.
class NewTallies {
 public:
  NewTallies() {
    for (const char* name : {"tuning_case", "kernel", "status", "superseded", "role", "measured_at"}) {
      const auto& names = trial_row_names();
      m_columns.push_back(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
    }
  }
  void count(Statement::Use& row) {
    const Digest tuning_case = row.to(m_columns[0]).digest();
    const Digest kernel = row.to(m_columns[1]).digest();
    std::string status = row.to(m_columns[2]).text();
    const bool superseded = row.to(m_columns[3]).flag();
    Tally& tally =
        m_tallies[{tuning_case, kernel, std::move(status), superseded, row.to(m_columns[4]).text()}];
    ++tally.trials;
    tally.latest = std::max(tally.latest, row.to(m_columns[5]).text());
  }
  void put(const Connection& db) const {
    Statement insert(db,
                     "INSERT INTO tallies (tuning_case, kernel, status, superseded, role, trials, latest) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                     "trials = trials + excluded.trials, latest = max(latest, excluded.latest)");
    for (const auto& [kind, tally] : m_tallies) {
      auto row = insert.use();
      std::apply([&](const auto&... part) { (row.bind(part), ...); }, kind);
      row.bind(tally.trials).bind(tally.latest).run();
    }
  }

 private:
  using Kind = std::tuple<Digest, Digest, std::string, bool, std::string>;
  struct Tally {
    std::int64_t trials = 0;
    std::string latest;
  };
  std::vector<int> m_columns;
  std::map<Kind, Tally> m_tallies;
};

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
  for (const Columns::Column& column : trial_columns().list()) {
    if (column.name == name && column.may_be_null && std::string_view(column.type) == "INTEGER")
      return fmt::format("iif(t.{0} < 0, NULL, t.{0})", name);
  }
  return "t." + name;
}

std::string select_their_trials(const std::string& rest) {
  std::string expressions;
  for (const std::string& name : trial_row_names())
    expressions += (expressions.empty() ? "" : ", ") + trial_expression(name);
  return fmt::format(
      "SELECT {} FROM trials AS t NOT INDEXED CROSS JOIN configurations AS f ON f.id = t.configuration "
      "LEFT JOIN measurements AS m ON m.id = t.measurement AND m.trial = t.id {}",
      expressions, rest);
}

}  // namespace

MergeRows::MergeRows(const Connection& target, const Connection& source, RowWriter& writer)
    : m_target(target), m_source(source), m_writer(writer) {
  define_functions();
}

void MergeRows::define(const char* name, int arguments, Function function) {
  const auto call = [](sqlite3_context* context, int, sqlite3_value** values) {
    try {
      (*static_cast<Function*>(sqlite3_user_data(context)))(context, values);
    } catch (const std::exception& error) {
      sqlite3_result_error(context, error.what(), -1);
    }
  };
  const auto destroy = [](void* held) { delete static_cast<Function*>(held); };
  sqlite3_create_function_v2(m_source.handle(), name, arguments,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
                             new Function(std::move(function)), call, nullptr, nullptr, destroy);
}

void MergeRows::define_rewriting(const char* name,
                                 const std::function<std::string(const std::string&)>& rewritten) {
  // A few texts are those of most rows.
  constexpr std::size_t most_known = 10'000;
  define(name, 1,
         [rewritten, known = std::unordered_map<std::string, std::string>()](sqlite3_context* context,
                                                                             sqlite3_value** values) mutable {
           if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
           std::string text = text_of(values[0]);
           auto found = known.find(text);
           if (found == known.end()) {
             if (known.size() >= most_known) known.clear();
             std::string anew = rewritten(text);
             found = known.emplace(std::move(text), std::move(anew)).first;
           }
           give(context, found->second);
         });
}

void MergeRows::define_functions() {
  define("our_case", 1, [this](sqlite3_context* context, sqlite3_value** values) {
    give(context, found_in(m_cases, digest_of(values[0]), "the case"));
  });
  define("our_kernel", 1, [this](sqlite3_context* context, sqlite3_value** values) {
    give(context, found_in(m_kernels, digest_of(values[0]), "the kernel").id);
  });
  define("our_configuration", 2, [this](sqlite3_context* context, sqlite3_value** values) {
    const Kernel& kernel = found_in(m_kernels, digest_of(values[0]), "the kernel");
    const std::string json = text_of(values[1]);
    const auto configuration = value_of<Configuration>(parse_json(json), "configuration");
    for (const std::string& name : kernel.parameters)
      if (configuration.find(name) == nullptr)
        throw Error(fmt::format("configuration {} has no {}", json, name));
    if (configuration.assignments().size() != kernel.parameters.size())
      throw Error(fmt::format("configuration {} has more than its kernel's parameters", json));
    give(context, configuration_id(configuration.canonical_json()));
  });
  define("our_measurement", 2, [this](sqlite3_context* context, sqlite3_value** values) {
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
    const Digest theirs = digest_of(values[0]);
    if (sqlite3_value_type(values[1]) == SQLITE_NULL)
      throw Error(fmt::format("it names the measurement {}, which it does not have", theirs.hex()));
    const auto other = m_measurements.find(theirs);
    give(context, other == m_measurements.end() ? theirs : other->second);
  });
  define("measurement_id", 8, [this](sqlite3_context* context, sqlite3_value** values) {
    StoredMeasurement stored;
    stored.run = digest_of(values[2]);
    stored.measured_at = text_of(values[3]);
    if (!tuner::model::read_word(text_of(values[4]), stored.status))
      throw Error(fmt::format("'{}' is no trial status", text_of(values[4])));
    stored.measurement.launches_per_sample = sqlite3_value_int(values[5]);
    stored.measurement.median_ns = sqlite3_value_double(values[6]);
    stored.measurement.samples_ns = decode_samples(bytes_of(values[7]));
    if (!(stored.measurement.median_ns > 0) && stored.status == tuner::model::TrialStatus::ok)
      throw Error("a measurement has no time");
    const Digest theirs = digest_of(values[0]);
    const Digest id = stored.key(digest_of(values[1]));
    if (id != theirs) m_measurements[theirs] = id;
    give(context, id);
  });
  define_rewriting("as_status", [](const std::string& word) {
    if (!tuner::model::parse_word<tuner::model::TrialStatus>(word))
      throw Error(fmt::format("'{}' is no trial status", word));
    return word;
  });
  define_rewriting("as_macros", [](const std::string& json) {
    return json_line(json_of(value_of<Configuration>(parse_json(json), "macros")));
  });
  define_rewriting("as_metrics", [](const std::string& json) {
    return json_line(json_of(value_of<tuner::model::Metrics>(parse_json(json), "metrics")));
  });
  define_rewriting("as_occupancy_limited_by", [](const std::string& json) {
    return json_line(json_of(value_of<std::vector<std::string>>(parse_json(json), "limited_by")));
  });
}

void MergeRows::map_cases_and_kernels() {
  {
    Statement select(m_source, fmt::format("SELECT n.id, {} FROM cases AS n JOIN environments AS c ON c.id = "
                                           "n.environment JOIN problems AS p ON p.id = n.problem",
                                           case_columns()));
    auto row = select.use();
    while (row.step()) {
      const Digest theirs = row.digest();
      tuner::model::TrialRecord of_case;
      read_case(row, of_case);
      m_cases[theirs] = m_writer.put_case(of_case.problem, of_case.environment);
    }
  }
  Statement select(m_source, "SELECT id, family, name, parameters FROM kernels");
  Statement insert(
      m_target,
      "INSERT INTO kernels (id, family, name, parameters) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
  auto row = select.use();
  while (row.step()) {
    const Digest theirs = row.digest();
    const std::string family = row.text();
    const std::string name = row.text();
    Kernel& kernel = m_kernels[theirs];
    kernel.parameters = value_of<std::vector<std::string>>(parse_json(row.text()), "parameters");
    const std::string parameters = json_line(json_of(kernel.parameters));
    kernel.id = kernel_id(family, name, parameters);
    insert.use().bind(kernel.id).bind(family).bind(name).bind(parameters).run();
  }
}

void MergeRows::pump(const std::string& select, const std::string& insert) {
  Statement from(m_source, select);
  Statement into(m_target, insert);
  const int columns = sqlite3_column_count(from.handle());
  auto row = from.use();
  while (row.step()) into.use().take(row, 0, columns).run();
}

void MergeRows::copy() {
  map_cases_and_kernels();
  copy_configurations();
  pump("SELECT id, compile_ms, log, 0 FROM binaries", sql("insert_binary"));
  const Columns& resources = columns_of<tuner::model::KernelResources>();
  pump("SELECT binary, " + resources.names() + " FROM binary_kernels",
       insert_into<tuner::model::KernelResources>("binary_kernels", "binary") + " ON CONFLICT DO NOTHING");
  // When and by which run the current measurement of a trial was taken, the trial says.
  const auto said = [](const char* name) {
    return fmt::format("iif(t.measurement IS m.id AND t.status IN ('ok', 'dropped'), t.{0}, m.{0})", name);
  };
  pump(fmt::format("SELECT measurement_id(m.id, m.trial, {1}, {0}, {5}, m.launches_per_sample, "
                   "m.median_ns, m.samples_ns), m.trial, {0}, {1}, {2}, {5}, as_metrics({3}), {4} "
                   "FROM measurements AS m NOT INDEXED CROSS JOIN trials AS t ON t.id = m.trial",
                   said("measured_at"), said("run"), said("sequence"), said("metrics"),
                   columns_of<tuner::model::Measurement>().names("m."), said("status")),
       insert_measurement());
  copy_trials();
}

void MergeRows::copy_configurations() {
  Statement select(m_source, "SELECT json FROM configurations");
  Statement insert(m_target, "INSERT INTO configurations (id, json) VALUES (?, ?) ON CONFLICT DO NOTHING");
  auto row = select.use();
  while (row.step()) {
    const std::string json =
        value_of<Configuration>(parse_json(row.text()), "configuration").canonical_json();
    insert.use().bind(configuration_id(json)).bind(json).run();
  }
}

void MergeRows::copy_trials() {
  std::vector<Digest> known;
  NewTallies tallies;
  {
    const UntriggeredRows untriggered(m_target);
    Statement select(m_source, select_their_trials("ORDER BY t.rowid"));
    Statement insert(m_target, insert_trial());
    const int columns = static_cast<int>(trial_row_names().size());
    auto row = select.use();
    while (row.step()) {
      insert.use().take(row, 0, columns).run();
      if (m_target.changes() > 0) {
        tallies.count(row);
      } else {
        known.push_back(row.to(0).digest());
      }
    }
  }
  tallies.put(m_target);
  if (!known.empty()) add_known(known);
}

void MergeRows::add_known(const std::vector<Digest>& trials) {
  Statement select(m_source, select_their_trials("WHERE t.id = ?"));
  Statement update(m_target, update_trial());
  Statement fill(m_target, fill_trial());
  Statement keep_failure(m_target, keep_trial_failure());
  const int columns = static_cast<int>(trial_row_names().size());
  for (const Digest& trial : trials) {
    auto row = select.use();
    if (!row.bind(trial).step()) continue;
    update.use().take(row, 0, columns).bind(false).run();
    if (m_target.changes() > 0) continue;
    // The result that is here is the newer one, and may say nothing of these.
    fill.use().take(row, 0, columns).run();
    keep_failure.use().take(row, 0, columns).run();
  }
}

}  // namespace db
