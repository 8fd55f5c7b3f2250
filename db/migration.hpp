#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "db/connection.hpp"

namespace db {

/// `application_id` in the header of every database of the tuner: "tune" in ASCII.
constexpr std::int64_t application_id = 0x74756e65;

/// A step of the schema; `version` is what `user_version` is afterwards.
struct Migration {
  int version = 0;
  std::string_view name;  ///< of its file: `0001_initial.sql`
  std::string_view sql;
};

/// Those in db/schema/, in order; versions count from 1 without gaps.
std::span<const Migration> shipped_migrations();

/// Throws where the open file is not the tuner's or of a newer schema than the last of `migrations`.
/// `how_named` is how its user named it, and can name another.
void require_ours(const Connection& db, std::span<const Migration> migrations,
                  std::string_view how_named = " with --db");

/// Applies what is missing, each migration in a transaction of its own. Before one that changes an existing
/// database a copy is put beside it, `tuner.db.before-0002`. Several processes may do this at once.
void migrate(const Connection& db, std::span<const Migration> migrations);

}  // namespace db
