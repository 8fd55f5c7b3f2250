#include "db/insertions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "db/statement.hpp"
#include "db/stored_values.hpp"
#include "tuner/model/record_fields.hpp"
#include "tuner/model/trial.hpp"

namespace db {

std::string insert_configuration() {
  return "INSERT INTO configurations (id, json) VALUES (?, ?) ON CONFLICT DO NOTHING";
}

std::string insert_binary_kernel() {
  const ColumnNames columns = columns_of<tuner::model::KernelResources>();
  return fmt::format("INSERT INTO binary_kernels (binary, {}) VALUES (?, {}) ON CONFLICT DO NOTHING",
                     columns.text(), columns.parameters());
}

std::string insert_measurement() {
  const ColumnNames columns = columns_of<tuner::model::Measurement>();
  return fmt::format(
      "INSERT INTO measurements (id, trial, measured_at, sequence, status, metrics, {}, run) "
      "VALUES (?, ?, ?, ?, ?, ?, {}, (SELECT id FROM runs WHERE id = ?)) ON CONFLICT (id) DO NOTHING",
      columns.text(), columns.parameters());
}

std::string insert_new_trial() {
  const std::string insert = sql("insert_trial");
  return insert.substr(0, insert.find("ON CONFLICT")) + "ON CONFLICT DO NOTHING";
}

std::string insert_copied_trial() {
  const std::string text = insert_new_trial();
  const std::size_t begin = text.find("INSERT");
  const std::string columns = text.substr(begin, text.find("VALUES") - begin);
  std::string parameters = "?";
  for (auto commas = std::count(columns.begin(), columns.end(), ','); commas > 0; --commas)
    parameters += ", ?";
  return fmt::format("{}VALUES ({}) ON CONFLICT DO NOTHING", columns, parameters);
}

std::string insert_copied_measurement() {
  std::string insert = insert_measurement();
  constexpr std::string_view looked_up = "(SELECT id FROM runs WHERE id = ?)";
  return insert.replace(insert.find(looked_up), looked_up.size(), "?");
}

}  // namespace db
