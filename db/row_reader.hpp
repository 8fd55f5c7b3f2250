#pragma once
#include <string>
#include <vector>

#include "db/rows.hpp"
#include "db/stored_records.hpp"

namespace db {

/// The SELECT of trials that read_trial() reads, up to its FROM and JOINs; a WHERE clause may follow.
/// `leading` columns come before, and `from` is what has the trials as t.
std::string select_trials(const std::string& leading = "", const std::string& from = "trials AS t");
/// Those of read_case(): of problems p and environments c.
std::string case_columns();
/// Joins n (cases), c (environments) and p (problems) to the table called `of`, which has a `tuning_case`.
std::string join_case(const std::string& of);
/// The SELECT of rows that read_of_case() reads behind their ids, up to its JOINs, of a table that is called
/// `as`.
template <class Record>
std::string select_of_case(const std::string& table, const std::string& as) {
  return "SELECT " + as + ".id, " + case_columns() + ", " + columns_of<Record>().names(as + ".") + " FROM " +
         table + " AS " + as + join_case(as);
}
/// A run's, of runs r and devices d, and a device's, with its address in runs r, as read_row() takes them.
std::string run_columns();
std::string device_columns();
/// The standing verdicts, as read_row() takes them; a WHERE clause may follow.
constexpr const char* select_verdicts =
    "SELECT id, status, detail, deaths, trial, run, measured_at FROM verdicts";

// Values from rows. A value that is none of ours (a foreign row, damage) throws model::Error that names the
// trial where there is one.

tuner::model::TrialRecord read_trial(Statement::Use& row, bool with_samples);
/// A configuration from its canonical JSON and its kernel's parameters.
tuner::model::Configuration read_configuration(Statement::Use& row);
/// An enumerator, by its word.
template <class E>
E read_enum(Statement::Use& row) {
  E value{};
  RowReader reader(row);
  reader("", value);
  return value;
}
/// The problem and the environment.
template <class Record>
void read_case(Statement::Use& row, Record& record) {
  record.problem = read_row<tuner::model::Problem>(row);
  record.environment = read_row<tuner::model::Environment>(row);
}
/// Both, and the record's own row.
template <class Record>
Record read_of_case(Statement::Use& row) {
  Record record;
  read_case(row, record);
  RowReader reader(row);
  describe_own(reader, record);
  return record;
}
/// A number where there is one.
std::optional<double> read_real(Statement::Use& row);
/// The two columns of TrialOutcome::output_bits.
std::optional<tuner::model::OutputBits> read_bits(Statement::Use& row);

/// By trial, then run.
std::vector<PastFailure> past_failures(const Connection& db);
/// By probes, then time.
std::vector<Probing> probings(const Connection& db);

}  // namespace db
