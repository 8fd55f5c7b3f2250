#pragma once
#include <string>
#include <string_view>

namespace db {

/// The text of db/sql/NAME.sql, put into the binary at build time.
std::string sql(std::string_view name);

}  // namespace db
