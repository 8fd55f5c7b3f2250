#include "db/row_reader.hpp"

#include <fmt/format.h>

#include "tuner/model/error.hpp"

namespace db {

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
  return Statement(
             db, "SELECT " + columns_of<PastFailure>().names() + " FROM earlier_failures ORDER BY trial, run")
      .all(read_row<PastFailure>);
}

std::vector<Probing> probings(const Connection& db) {
  return Statement(db, "SELECT " + columns_of<Probing>().names() +
                           " FROM probings ORDER BY probe, measured_at, run, trial")
      .all(read_row<Probing>);
}

}  // namespace db
