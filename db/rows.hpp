#pragma once
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "db/json.hpp"
#include "db/statement.hpp"
#include "db/stored_records.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/record_fields.hpp"

namespace db {

// How a described value (model/record_fields.hpp) lies in columns. A field is a column of its name. A field
// that is described itself has a column for each of its own, led by its name: `grid_x`, unless it is
// most of the row, as a search's outlook is. Digests, lists of samples (stored_values.hpp) and times are as
// one expects; enumerators are their words; configurations, metrics, sizes and lists of words are JSON. A
// value that is unknown is NULL. Lists of anything else are rows of other tables.

/// Whether a value is one column.
template <class T>
constexpr bool is_column() {
  using namespace tuner::model;  // NOLINT(google-build-using-namespace): all types are the model's
  return std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> ||
         std::is_same_v<T, Digest> || std::is_same_v<T, Configuration> || std::is_same_v<T, Metrics> ||
         std::is_same_v<T, DeviceLimits> || std::is_same_v<T, std::vector<std::string>> ||
         std::is_same_v<T, std::vector<double>> || std::is_same_v<T, std::vector<Dimension>>;
}

template <class T>
constexpr bool is_rows_elsewhere = false;
template <class T>
constexpr bool is_rows_elsewhere<std::vector<T>> = !is_column<std::vector<T>>();

template <class T>
constexpr bool is_most_of_row =
    std::is_same_v<T, tuner::model::Measurement> || std::is_same_v<T, std::optional<tuner::model::Outlook>>;

/// Describes what a record's own row holds: all of it where nothing else is said.
template <class Archive, class T>
void describe_own(Archive& a, T& v) {
  if constexpr (requires { describe_row(a, v); }) {
    describe_row(a, v);
  } else {
    describe(a, v);
  }
}

/// The archive that lists columns.
class Columns {
 public:
  struct Column {
    std::string name;
    const char* type = "";
    bool may_be_null = false;
    std::string check;  ///< empty: none
    std::string comment;
  };

  template <class T>
  void operator()(const char* name, const T& value) {
    (*this)(tuner::model::Figure{name, ""}, value);
  }
  template <class T>
  void operator()(const tuner::model::Figure& figure, const T& value) {
    if constexpr (is_column<T>()) {
      add(figure, type_of(value));
    } else if constexpr (!is_rows_elsewhere<T>) {
      const std::string prefix = m_prefix;
      const bool may_be_null = m_may_be_null;
      m_may_be_null = m_may_be_null || figure.may_be_missing();
      if constexpr (!is_most_of_row<T>) m_prefix += std::string(figure.name) + '_';
      if constexpr (requires { value.has_value(); }) {
        const typename T::value_type part{};
        describe(*this, part);
      } else {
        describe(*this, value);
      }
      m_prefix = prefix;
      m_may_be_null = may_be_null;
    }
  }

  const std::vector<Column>& list() const { return m_columns; }
  int count() const { return static_cast<int>(m_columns.size()); }
  /// `m.median_ns, m.low_ns`, each led by `prefix`.
  std::string names(const std::string& prefix = "") const {
    return joined([&](const std::string& name) { return prefix + name; });
  }
  /// What `text` makes of each name, as a list.
  template <class Text>
  std::string joined(const Text& text) const {
    std::string out;
    for (const Column& column : m_columns) out += (out.empty() ? "" : ", ") + text(column.name);
    return out;
  }
  enum class Null { as_described, allowed };
  /// As CREATE TABLE has them, each with its unit and meaning behind it, without the last one's comma.
  std::string definitions(Null null = Null::as_described) const;

 private:
  enum class Type { integer, flag, real, text, digest, samples };
  template <class T>
  static Type type_of(const T&) {
    if constexpr (std::is_same_v<T, bool>) return Type::flag;
    if constexpr (std::is_integral_v<T>) return Type::integer;
    if constexpr (std::is_floating_point_v<T>) return Type::real;
    if constexpr (std::is_same_v<T, tuner::model::Digest>) return Type::digest;
    if constexpr (std::is_same_v<T, std::vector<double>>) return Type::samples;
    return Type::text;
  }
  void add(const tuner::model::Figure& figure, Type type);

  std::vector<Column> m_columns;
  std::string m_prefix;
  bool m_may_be_null = false;
};

template <class T>
const Columns& columns_of() {
  static const Columns columns = [] {
    Columns list;
    const T value{};
    describe_own(list, value);
    return list;
  }();
  return columns;
}

/// A parameter for a run: NULL for one that is not here.
constexpr const char* known_run = "(SELECT id FROM runs WHERE id = ?)";
/// The same in a primary key, where no column is NULL.
constexpr const char* run_in_key = "coalesce(?, x'')";

/// `INSERT INTO table (leading, names) VALUES (?, …) ON CONFLICT DO otherwise`, with `run` for a run.
std::string insert_statement(const std::string& table, const std::string& leading, const Columns& columns,
                             const std::string& otherwise, const char* run);
template <class T>
std::string insert_into(const std::string& table, const std::string& leading,
                        const std::string& otherwise = "NOTHING", const char* run = known_run) {
  return insert_statement(table, leading, columns_of<T>(), otherwise, run);
}

/// The archive that binds a value to the parameters that come next.
class RowBinder {
 public:
  explicit RowBinder(Statement::Use& row) : m_row(row) {}
  template <class T>
  void operator()(const char* name, const T& value) {
    (*this)(tuner::model::Figure{name, ""}, value);
  }
  template <class T>
  void operator()(const tuner::model::Figure& figure, const T& value) {
    if constexpr (is_column<T>()) {
      if (figure.may_be_missing() && tuner::model::is_unknown(value)) {
        m_row.bind(std::nullopt);
      } else {
        put(value);
      }
    } else if constexpr (requires { value.has_value(); }) {
      if (value) {
        describe(*this, *value);
      } else {
        for (int i = 0; i < columns_of<typename T::value_type>().count(); ++i) m_row.bind(std::nullopt);
      }
    } else if constexpr (!is_rows_elsewhere<T>) {
      describe(*this, value);
    }
  }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      m_row.bind(word_of(value));
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      m_row.bind(encode_samples(value));
    } else if constexpr (std::is_same_v<T, tuner::model::Digest>) {
      m_row.bind(value.empty() ? std::nullopt : std::optional(value));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      m_row.bind(value);
    } else {
      m_row.bind(json_line(json_of(value)));
    }
  }

  Statement::Use& m_row;
};

template <class T>
Statement::Use& bind(Statement::Use& row, const T& value) {
  RowBinder binder(row);
  describe_own(binder, value);
  return row;
}

/// The archive that reads a value from the columns that come next; samples only where they are wanted.
class RowReader {
 public:
  explicit RowReader(Statement::Use& row, bool with_samples = true)
      : m_row(row), m_with_samples(with_samples) {}
  template <class T>
  void operator()(const char* name, T& value) {
    (*this)(tuner::model::Figure{name, ""}, value);
  }
  template <class T>
  void operator()(const tuner::model::Figure& figure, T& value) {
    if constexpr (is_column<T>()) {
      // SQLite has no NaN: it is NULL.
      const bool is_nan = std::is_floating_point_v<T> && !figure.may_be_missing();
      if (m_row.null() && !is_nan) return m_row.skip();
      take(value);
    } else if constexpr (requires { value.has_value(); }) {
      if (m_row.null()) {
        m_row.skip(columns_of<typename T::value_type>().count());
      } else {
        describe(*this, value.emplace());
      }
    } else if constexpr (!is_rows_elsewhere<T>) {
      describe(*this, value);
    }
  }

 private:
  template <class T>
  void take(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = m_row.flag();
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(m_row.integer());
    } else if constexpr (std::is_floating_point_v<T>) {
      value = m_row.real();
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = m_row.text();
    } else if constexpr (std::is_same_v<T, tuner::model::Digest>) {
      value = m_row.digest();
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      if (m_with_samples) {
        value = decode_samples(m_row.blob());
      } else {
        m_row.skip();
      }
    } else if constexpr (std::is_enum_v<T>) {
      const std::string word = m_row.text();
      if (!tuner::model::read_word(word, value)) refuse({}, word, tuner::model::words_of(value));
    } else {
      read(parse_json(m_row.text()), {}, value);
    }
  }

  Statement::Use& m_row;
  bool m_with_samples;
};

template <class T>
T read_row(Statement::Use& row) {
  T value{};
  RowReader reader(row);
  describe_own(reader, value);
  return value;
}

/// `SELECT … FROM rest`, which read_row() reads.
template <class T>
std::string select_from(const std::string& rest) {
  return "SELECT " + columns_of<T>().names() + " FROM " + rest;
}
/// What that gives.
template <class T, class... Values>
std::vector<T> all_from(const Connection& db, const std::string& rest, const Values&... values) {
  return Statement(db, select_from<T>(rest)).all(read_row<T>, values...);
}

// The statements that put a trial's own row: what it is of, its columns, and what follows from both and
// from how trials stand. All take the parameters of insert_trial(); a trial that is known keeps its row
// there.

std::string insert_trial();
/// Brings it up to date where one more parameter says so (the others were forgotten), or where the new result
/// is the later one, by TrialRecord::sequence. Of equally late ones
/// what they say decides, so that rows may come in any order. (Not the status of one that was measured: its
/// verdict may be here or still to come.) What is known of its spec, its probes, its origin and its energy
/// stays known. `superseded` and `judged_by` are said afterwards.
std::string update_trial();
/// Of a result that is older than the one that is here: what the row here does not say.
std::string fill_trial();
/// Keeps a failure that is older than the result that is here.
std::string keep_trial_failure();
/// Takes the fields of PastFailure; one of a trial or a run that is not here is left out.
std::string insert_failure();
/// Behind an insertion into `earlier_failures`: of several of a trial in one run the last stays.
std::string keep_later_failure();
/// Of a trial, by id: `id, trial`, then the fields of StoredMeasurement. One that is known is not doubled.
std::string insert_measurement();
/// The names of the parameters of insert_trial().
const std::vector<std::string>& trial_row_names();

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
/// Its error says how to be rid of the problem.
tuner::model::Problem read_problem(Statement::Use& row);
/// The problem and the environment.
template <class Record>
void read_case(Statement::Use& row, Record& record) {
  record.problem = read_problem(row);
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
