#include "db/sql.hpp"

#include <fmt/format.h>

#include <span>
#include <stdexcept>

#include "tuner/model/embedded_file.hpp"

namespace db::sql_files {
std::span<const tuner::model::EmbeddedFile> embedded_files();  // generated from db/sql/
}

namespace db {

std::string sql(std::string_view name) {
  for (const auto& file : sql_files::embedded_files()) {
    if (file.path.substr(0, file.path.rfind('.')) == name) return std::string(file.text);
  }
  throw std::logic_error(fmt::format("db/sql has no {}.sql", name));
}

}  // namespace db
