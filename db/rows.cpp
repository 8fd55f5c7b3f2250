#include "db/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "db/stored_records.hpp"
#include "tuner/model/error.hpp"

namespace db {

void Columns::add(const tuner::model::Figure& figure, Type type) {
  Column& column = m_columns.emplace_back();
  column.name = m_prefix + figure.name;
  column.may_be_null = m_may_be_null || figure.may_be_missing();
  column.comment = figure.meaning;
  if (*figure.unit != 0) column.comment += fmt::format(" ({})", figure.unit);
  if (*figure.missing != 0) column.comment += fmt::format("; NULL: {}", figure.missing);
  const auto checked = [&](const char* sql_type, const char* check) {
    column.type = sql_type;
    column.check = fmt::format(fmt::runtime(check), column.name);
  };
  switch (type) {
    case Type::integer:
      return checked("INTEGER", "");
    case Type::flag:
      return checked("INTEGER", "{} IN (0, 1)");
    case Type::real:
      column.may_be_null = true;
      return checked("REAL", "");  // not a number
    case Type::text:
      return checked("TEXT", "length({}) <= 1048576");
    case Type::digest:
      return checked("BLOB", "length({}) = 16");
    case Type::samples:
      return checked("BLOB", "length({}) <= 16777216");
  }
}

std::string Columns::definitions(Null null) const {
  std::string out;
  for (const Column& column : m_columns) {
    out += fmt::format(
        "{}{} {}{}{}{}{}", out.empty() ? "" : "\n  ", column.name, column.type,
        column.may_be_null || null == Null::allowed ? "" : " NOT NULL",
        column.check.empty() ? "" : fmt::format(" CHECK ({})", column.check),
        &column == &m_columns.back() ? "" : ",",
        column.comment.empty() || &column == &m_columns.back() ? "" : fmt::format("  -- {}", column.comment));
  }
  return out;
}

namespace {

/// What a trial is of: rows of other tables.
constexpr std::array trial_identity = {"id", "tuning_case", "kernel", "configuration"};
/// What follows from its binary and its measurement.
constexpr std::array trial_results = {"entry", "median_ns", "low_ns", "high_ns", "measurement"};
constexpr std::array trial_standing = {"superseded", "judged_by"};
/// What stays known.
constexpr std::array kept_columns = {"origin", "macros", "definition", "probe"};

/// What only a spec says (model::SpecSays): a later spec says it anew of the same result, so that no rank
/// tells two copies of that apart. The greatest stays, whichever comes first.
constexpr std::array restated_columns = {"is_default", "metrics", "workload_operations", "workload_bytes"};

template <class Names>
bool is_among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A result need not come with an energy: of all that are known the latest stays, whole.
std::vector<std::string> energy_columns() {
  std::vector<std::string> names;
  for (const Columns::Column& column : columns_of<tuner::model::Energy>().list())
    names.push_back("energy_" + column.name);
  return names;
}

std::string energy_rank(const std::string& of) {
  return fmt::format("(coalesce({0}.energy_sequence, 0), coalesce({0}.energy_mean_j, 0))", of);
}

/// What a new result replaces.
std::vector<std::string> result_names() {
  std::vector<std::string> names;
  for (const Columns::Column& column : columns_of<tuner::model::TrialRecord>().list())
    names.push_back(column.name);
  names.insert(names.end(), trial_results.begin(), trial_results.end());
  return names;
}

template <class Names, class Text>
std::string joined(const Names& names, const Text& text) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + text(std::string(name));
  return out;
}

std::string parameter(const std::string& name, const char* run = known_run) {
  return name == "run" ? run : "?";
}

std::string row_names() {
  return fmt::format("{}", fmt::join(trial_row_names(), ", "));
}

std::string row_parameters() {
  return joined(trial_row_names(), [](const std::string& name) { return parameter(name); });
}

/// Clocks have a say among results from before version 9, whose sequences mean nothing across runs.
std::string time_of(const std::string& of) {
  return fmt::format("max({0}.sequence, 0), iif({0}.sequence > 0, '', {0}.measured_at)", of);
}

/// Of results of one trial the greatest is the current one. Of two that knew nothing of each other any is as
/// good, as long as it is the same one everywhere.
std::string rank(const std::string& of) {
  return fmt::format(
      "({1}, coalesce({0}.run, x''), "
      "{0}.sequence, coalesce({0}.measurement, x''), "
      "iif({0}.measurement IS NULL, {0}.status || {0}.detail, ''), coalesce({0}.definition, x''))",
      of, time_of(of));
}

}  // namespace

const std::vector<std::string>& trial_row_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list(trial_identity.begin(), trial_identity.end());
    for (std::string& name : result_names()) list.push_back(std::move(name));
    list.insert(list.end(), trial_standing.begin(), trial_standing.end());
    return list;
  }();
  return names;
}

std::string insert_statement(const std::string& table, const std::string& leading, const Columns& columns,
                             const std::string& otherwise, const char* run) {
  std::vector<std::string> names;
  std::istringstream in(leading);
  for (std::string name; std::getline(in >> std::ws, name, ',');) names.push_back(name);
  for (const Columns::Column& column : columns.list()) names.push_back(column.name);
  return fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO {}", table, fmt::join(names, ", "),
                     joined(names, [&](const std::string& name) { return parameter(name, run); }), otherwise);
}

std::string insert_trial() {
  return fmt::format("INSERT INTO trials ({}) VALUES ({}) ON CONFLICT DO NOTHING", row_names(),
                     row_parameters());
}

std::string update_trial() {
  const std::string replaces = fmt::format("?{}", trial_row_names().size() + 1);
  const auto value = [&](const std::string& name) {
    if (is_among(restated_columns, name))
      return fmt::format(
          "iif({1} OR {2} > {3} OR coalesce(excluded.{0}, 0) >= coalesce(trials.{0}, 0), excluded.{0}, "
          "trials.{0})",
          name, replaces, rank("excluded"), rank("trials"));
    if (name.starts_with("energy_"))
      return fmt::format("iif({1} >= {2}, excluded.{0}, trials.{0})", name, energy_rank("excluded"),
                         energy_rank("trials"));
    return fmt::format(
        fmt::runtime(is_among(kept_columns, name) ? "coalesce(excluded.{0}, trials.{0})" : "excluded.{0}"),
        name);
  };
  return fmt::format(
      "INSERT INTO trials ({}) VALUES ({}) ON CONFLICT (id) DO UPDATE SET ({}) = ({}) WHERE {} OR {} >= {}",
      row_names(), row_parameters(), fmt::join(result_names(), ", "), joined(result_names(), value), replaces,
      rank("excluded"), rank("trials"));
}

std::string fill_trial() {
  const auto value = [](const std::string& name) {
    return fmt::format("{0} = coalesce(trials.{0}, given.{0})", name);
  };
  const std::string has_energy = energy_rank("given") + " > " + energy_rank("trials");
  const auto energy = [&](const std::string& name) {
    return fmt::format("{0} = iif({1}, given.{0}, trials.{0})", name, has_energy);
  };
  std::string lacks = has_energy;
  for (const char* name : kept_columns)
    lacks += fmt::format(" OR (trials.{} IS NULL AND given.{} IS NOT NULL)", name, name);
  return fmt::format(
      "WITH given ({}) AS (SELECT {}) UPDATE trials SET {}, {} FROM given WHERE trials.id = "
      "given.id AND ({})",
      row_names(), row_parameters(), joined(kept_columns, value), joined(energy_columns(), energy), lacks);
}

std::string keep_later_failure() {
  std::vector<std::string> names;
  for (const Columns::Column& column : columns_of<PastFailure>().list())
    if (column.name != "run" && column.name != "trial") names.push_back(column.name);
  const auto rank = [](const std::string& of) {
    return fmt::format("({1}, {0}.sequence, {0}.status, {0}.detail)", of, time_of(of));
  };
  return fmt::format("ON CONFLICT DO UPDATE SET ({}) = (excluded.{}) WHERE {} > {}", fmt::join(names, ", "),
                     fmt::join(names, ", excluded."), rank("excluded"), rank("earlier_failures"));
}

std::string insert_failure() {
  const Columns& columns = columns_of<PastFailure>();
  return fmt::format(
      "WITH given ({0}) AS (SELECT {1}) INSERT INTO earlier_failures ({0}) SELECT {0} FROM given "
      "WHERE EXISTS (SELECT 1 FROM trials WHERE id = given.trial) AND run IS NOT NULL {2}",
      columns.names(), columns.joined([](const std::string& name) { return parameter(name); }),
      keep_later_failure());
}

std::string insert_measurement() {
  return insert_into<StoredMeasurement>(
      "measurements", "id, trial", "UPDATE SET metrics = excluded.metrics WHERE excluded.metrics > metrics");
}

std::string keep_trial_failure() {
  const Columns& columns = columns_of<PastFailure>();
  return fmt::format(
      "WITH given ({}) AS (SELECT {}) INSERT INTO earlier_failures ({}) SELECT {} FROM given "
      "WHERE measurement IS NULL AND run IS NOT NULL {}",
      row_names(), row_parameters(), columns.names(),
      columns.joined([](const std::string& name) { return name == "trial" ? "id" : name; }),
      keep_later_failure());
}

using namespace tuner::model;  // NOLINT(google-build-using-namespace): every type below is the model's

std::string select_trials(const std::string& leading, const std::string& from) {
  return fmt::format(
      "SELECT {}t.id, k.name, f.json, k.parameters, {}, {}, {}, coalesce(l.compile_ms, 0), "
      "coalesce(l.log, ''), {} FROM {}{} "
      "JOIN kernels AS k ON k.id = t.kernel "
      "JOIN configurations AS f ON f.id = t.configuration LEFT JOIN binaries AS l ON l.id = t.binary "
      "LEFT JOIN binary_kernels AS b ON b.binary = t.binary AND b.entry = t.entry "
      "LEFT JOIN measurements AS m ON m.id = t.measurement",
      leading, case_columns(), columns_of<TrialRecord>().names("t."),
      columns_of<KernelResources>().names("b."), columns_of<Measurement>().names("m."), from, join_case("t"));
}

std::string case_columns() {
  return columns_of<Problem>().names("p.") + ", " + columns_of<Environment>().names("c.");
}

std::string join_case(const std::string& of) {
  return " JOIN cases AS n ON n.id = " + of +
         ".tuning_case JOIN environments AS c ON c.id = n.environment JOIN problems AS p ON p.id = n.problem";
}

namespace {

std::string device_expression(const std::string& name) {
  if (name == "id") return "coalesce(r.device_address, '')";
  return name == "free_memory_bytes" ? "NULL" : "d." + name;
}

}  // namespace

std::string device_columns() {
  return columns_of<DeviceInfo>().joined(device_expression);
}

std::string run_columns() {
  return columns_of<RunRecord>().joined([](const std::string& name) {
    constexpr std::string_view of_device = "device_";
    return name.starts_with(of_device) ? device_expression(name.substr(of_device.size())) : "r." + name;
  });
}

TrialRecord read_trial(Statement::Use& row, bool with_samples) {
  TrialRecord trial;
  trial.key = row.digest();
  try {
    RowReader reader(row, with_samples);
    trial.kernel = row.text();
    trial.configuration = read_configuration(row);
    read_case(row, trial);
    describe_own(reader, trial);
    reader(Figure{"resources", ""}, trial.resources);
    trial.compile_ms = row.real();
    trial.compile_log = row.text();
    reader(Figure{"measurement", ""}, trial.outcome.measurement);
  } catch (const Error& error) {
    throw error.in_context(fmt::format("trial {}", trial.key.hex()));
  }
  return trial;
}

Configuration read_configuration(Statement::Use& row) {
  const std::string json = row.text();
  return stored_configuration(json, row.text());
}

Problem read_problem(Statement::Use& row) {
  Problem problem;
  try {
    RowReader reader(row);
    describe_own(reader, problem);
  } catch (const Error& error) {
    throw Error(
        fmt::format("a problem of the family {}: {}", problem.family, error.what()),
        fmt::format("remove it with `tuner forget --kernel {}`, or with `tuner forget --run ID` the run that "
                    "brought it; `tuner list runs` has the IDs",
                    problem.family));
  }
  return problem;
}

std::optional<double> read_real(Statement::Use& row) {
  if (!row.null()) return row.real();
  row.skip();
  return std::nullopt;
}

std::optional<OutputBits> read_bits(Statement::Use& row) {
  std::optional<OutputBits> bits;
  RowReader reader(row);
  reader(Figure{"output_bits", ""}, bits);
  return bits;
}

std::vector<PastFailure> past_failures(const Connection& db) {
  return all_from<PastFailure>(db, "earlier_failures ORDER BY trial, run");
}

std::vector<Probing> probings(const Connection& db) {
  return all_from<Probing>(db, "probings ORDER BY probe, measured_at, run, trial");
}

}  // namespace db
