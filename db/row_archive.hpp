#pragma once
#include <string>
#include <vector>

#include "db/samples.hpp"
#include "db/statement.hpp"

namespace db {

/// The columns of a described value (model/fields.hpp) in the order of its fields. A column has its field's
/// name; a list of numbers is one encoded blob (samples.hpp).
class ColumnNames {
 public:
  template <class T>
  void operator()(const char* name, const T&) {
    m_names.emplace_back(name);
  }
  /// `m.median_ns, m.low_ns`, each led by `prefix`.
  std::string text(const std::string& prefix = "") const {
    std::string out;
    for (const std::string& name : m_names) out += (out.empty() ? "" : ", ") + prefix + name;
    return out;
  }
  int count() const { return static_cast<int>(m_names.size()); }
  /// `?, ?`, one for each.
  std::string parameters() const {
    std::string out;
    for (std::size_t i = 0; i < m_names.size(); ++i) out += out.empty() ? "?" : ", ?";
    return out;
  }

 private:
  std::vector<std::string> m_names;
};

template <class T>
ColumnNames columns_of() {
  ColumnNames names;
  const T value{};
  describe(names, value);
  return names;
}

/// Binds the fields of a value to the parameters that come next.
class RowBinder {
 public:
  explicit RowBinder(Statement::Use& row) : m_row(row) {}
  template <class T>
  void operator()(const char*, const T& value) {
    m_row.bind(value);
  }
  void operator()(const char*, const std::vector<double>& numbers) { m_row.bind(encode_samples(numbers)); }

 private:
  Statement::Use& m_row;
};

/// Reads the fields of a value from the columns that come next; lists of numbers only where they are wanted.
class RowArchiveReader {
 public:
  RowArchiveReader(Statement::Use& row, bool with_samples) : m_row(row), m_with_samples(with_samples) {}
  void operator()(const char*, double& number) { number = m_row.real(); }
  void operator()(const char*, int& number) { number = m_row.small(); }
  void operator()(const char*, std::int64_t& number) { number = m_row.integer(); }
  void operator()(const char*, bool& flag) { flag = m_row.flag(); }
  void operator()(const char*, std::string& text) { text = m_row.text(); }
  void operator()(const char*, std::vector<double>& numbers) {
    if (m_with_samples) {
      numbers = decode_samples(m_row.blob());
    } else {
      m_row.skip();
    }
  }

 private:
  Statement::Use& m_row;
  bool m_with_samples;
};

}  // namespace db
