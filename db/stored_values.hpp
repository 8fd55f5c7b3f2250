#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/statement.hpp"
#include "tuner/model/case.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/metrics.hpp"

namespace db {

/// More samples than any measurement takes; a count beyond it in a stored row is damage or malice.
constexpr std::size_t most_samples = 1'000'000;

/// Samples as stored: a byte 1 (the version of this encoding), their number as 4 bytes, then a zstd frame of
/// the doubles with their bytes regrouped, first bytes first, last bytes last: exponents repeat, mantissas do
/// not. All little-endian; decode(encode(x)) is x bit for bit.
std::vector<std::byte> encode_samples(const std::vector<double>& samples);
/// Throws model::Error on anything encode_samples() does not make.
std::vector<double> decode_samples(std::span<const std::byte> encoded);

// The columns that hold JSON. Reading throws model::Error on what writing never makes.

/// The parameters' names in written order, which the configuration's canonical JSON has lost.
std::string parameters_json(const tuner::model::Configuration& configuration);
tuner::model::Configuration stored_configuration(std::string_view canonical_json,
                                                 std::string_view parameters);
/// Empty where there are none.
std::string macros_json(const tuner::model::Configuration& macros);
tuner::model::Configuration stored_macros(std::string_view json);
std::vector<tuner::model::Dimension> stored_sizes(std::string_view json);
std::string metrics_json(const tuner::model::Metrics& metrics);
tuner::model::Metrics stored_metrics(std::string_view json);
std::string names_json(const std::vector<std::string>& names);
std::vector<std::string> stored_names(std::string_view json);
std::string limits_json(const tuner::model::DeviceLimits& limits);
tuner::model::DeviceLimits stored_limits(std::string_view json);

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
