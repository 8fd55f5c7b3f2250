#include "db/statement.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "db/connection.hpp"
#include "db/rows.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"

namespace db::sql_files {
std::span<const tuner::model::EmbeddedFile> embedded_files();  // generated from db/sql/
}

namespace db {

std::string sql(std::string_view name) {
  const std::string mark = fmt::format("\n-- # {}\n", name);
  for (const auto& file : sql_files::embedded_files()) {
    const std::size_t begin = file.text.find(mark);
    if (begin == std::string_view::npos) continue;
    std::string_view statement = file.text.substr(begin + mark.size());
    std::string out(statement.substr(0, statement.find("\n-- # ")));
    const std::pair<std::string_view, std::string> columns[] = {
        {"{case}", case_columns()}, {"{outlook}", columns_of<tuner::model::Outlook>().names("s.")}};
    for (const auto& [place, names] : columns) {
      if (const std::size_t at = out.find(place); at != std::string::npos)
        out.replace(at, place.size(), names);
    }
    return out;
  }
  throw std::logic_error(fmt::format("db/sql has no statement {}", name));
}

static_assert(!std::is_copy_constructible_v<Statement> && std::is_nothrow_destructible_v<Statement>);

namespace {

std::string_view shortened(std::string_view sql) {
  return sql.substr(0, 60);
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* handle) const noexcept {
  sqlite3_finalize(handle);
}

Statement::Statement(const Connection& db, std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v3(db.handle(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  m_handle.reset(handle);
  if (code != SQLITE_OK) {
    throw sqlite_error(db.handle(), fmt::format("preparing '{}'", shortened(sql)), db.path().string());
  }
}

Statement::Use::~Use() {
  sqlite3_reset(m_statement);
  sqlite3_clear_bindings(m_statement);
}

void Statement::Use::check(int code) const {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  throw sqlite_error(sqlite3_db_handle(m_statement),
                     fmt::format("executing '{}'", shortened(sqlite3_sql(m_statement))));
}

Statement::Use& Statement::Use::bind_integer(std::int64_t value) {
  check(sqlite3_bind_int64(m_statement, ++m_parameter, value));
  return *this;
}

Statement::Use& Statement::Use::bind(double value) {
  check(sqlite3_bind_double(m_statement, ++m_parameter, value));
  return *this;
}

Statement::Use& Statement::Use::bind(std::string_view value) {
  // A null pointer would bind NULL, and an empty view may carry one.
  const char* data = value.empty() ? "" : value.data();
  check(sqlite3_bind_text64(m_statement, ++m_parameter, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement::Use& Statement::Use::bind(const tuner::model::Digest& value) {
  check(sqlite3_bind_blob64(m_statement, ++m_parameter, value.bytes.data(), value.bytes.size(),
                            SQLITE_TRANSIENT));
  return *this;
}

Statement::Use& Statement::Use::bind(std::span<const std::byte> value) {
  const void* data = value.empty() ? static_cast<const void*>("") : value.data();
  check(sqlite3_bind_blob64(m_statement, ++m_parameter, data, value.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement::Use& Statement::Use::bind(std::nullopt_t) {
  check(sqlite3_bind_null(m_statement, ++m_parameter));
  return *this;
}

Statement::Use& Statement::Use::take(const Use& row) {
  // Not sqlite3_bind_value(), which copies texts and blobs.
  const int columns = sqlite3_column_count(row.m_statement);
  for (int column = 0; column < columns; ++column) {
    const int type = sqlite3_column_type(row.m_statement, column);
    const int parameter = ++m_parameter;
    if (type == SQLITE_TEXT) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row.m_statement, column));
      check(sqlite3_bind_text(m_statement, parameter, text, sqlite3_column_bytes(row.m_statement, column),
                              SQLITE_STATIC));
    } else if (type == SQLITE_BLOB) {
      const void* blob = sqlite3_column_blob(row.m_statement, column);
      const int size = sqlite3_column_bytes(row.m_statement, column);
      // An empty blob has no address, and without one would be bound as NULL.
      check(blob == nullptr ? sqlite3_bind_zeroblob(m_statement, parameter, 0)
                            : sqlite3_bind_blob(m_statement, parameter, blob, size, SQLITE_STATIC));
    } else {
      check(sqlite3_bind_value(m_statement, parameter, sqlite3_column_value(row.m_statement, column)));
    }
  }
  return *this;
}

bool Statement::Use::step() {
  m_column = 0;
  const int code = sqlite3_step(m_statement);
  check(code);
  return code == SQLITE_ROW;
}

void Statement::Use::run() {
  while (step()) {
  }
}

std::int64_t Statement::Use::integer() {
  return sqlite3_column_int64(m_statement, m_column++);
}

double Statement::Use::real() {
  const bool absent = null();
  const double value = sqlite3_column_double(m_statement, m_column++);
  return absent ? std::numeric_limits<double>::quiet_NaN() : value;
}

std::string Statement::Use::text() {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, m_column));
  const int size = sqlite3_column_bytes(m_statement, m_column++);
  return data == nullptr ? "" : std::string(data, static_cast<std::size_t>(size));
}

std::span<const std::byte> Statement::Use::blob() {
  const void* data = sqlite3_column_blob(m_statement, m_column);
  const int size = sqlite3_column_bytes(m_statement, m_column++);
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

tuner::model::Digest Statement::Use::digest() {
  const std::span<const std::byte> bytes = blob();
  if (bytes.empty()) return {};
  return tuner::model::Digest::from_bytes(
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

bool Statement::Use::null() const {
  return sqlite3_column_type(m_statement, m_column) == SQLITE_NULL;
}

static_assert(std::is_nothrow_destructible_v<Transaction> && std::is_nothrow_destructible_v<Snapshot>);

namespace {

/// After some failures (a full disk) SQLite has rolled back by itself already; then there is nothing to end.
void roll_back(const Connection& db) noexcept {
  if (sqlite3_get_autocommit(db.handle()) == 0) {
    sqlite3_exec(db.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
}

}  // namespace

Transaction::Transaction(const Connection& db) : m_db(db) {
  db.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (m_open) roll_back(m_db);
}

void Transaction::commit() {
  m_db.require_in_place();
  m_db.execute("COMMIT");
  m_open = false;
  // Again: deleted in between, the commit went into a file that is gone with this process.
  m_db.require_in_place();
}

Snapshot::Snapshot(const Connection& db) : m_db(db), m_outermost(sqlite3_get_autocommit(db.handle()) != 0) {
  if (m_outermost) db.execute("BEGIN");
}

Snapshot::~Snapshot() {
  if (m_outermost) roll_back(m_db);
}

Setting::Setting(const Connection& db, const std::string& set, std::string undo)
    : m_db(db), m_undo(std::move(undo)) {
  db.execute(set);
}

Setting::~Setting() {
  sqlite3_exec(m_db.handle(), m_undo.c_str(), nullptr, nullptr, nullptr);
}

Watch::Watch(const Connection& db, std::function<void(std::int64_t rows)> say)
    : m_handle(db.handle()), m_say(std::move(say)), m_before(sqlite3_total_changes64(m_handle)) {
  constexpr int steps = 100'000;  // some milliseconds
  const auto call = [](void* watch) {
    const Watch& own = *static_cast<Watch*>(watch);
    own.m_say(sqlite3_total_changes64(own.m_handle) - own.m_before);
    return 0;  // goes on
  };
  sqlite3_progress_handler(m_handle, steps, call, this);
}

Watch::~Watch() {
  sqlite3_progress_handler(m_handle, 0, nullptr, nullptr);
}

Setting unenforced_keys(const Connection& db) {
  return {db, "PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys = ON"};
}

Setting sorting_in_files(const Connection& db) {
  return {db, "PRAGMA temp_store = FILE", "PRAGMA temp_store = MEMORY"};
}

}  // namespace db
