// docs/database.md against the schema, and docs/results/recipes.md against recorded sweeps.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tests/db/fixture.hpp"

using db_test::ask;
using db_test::TempFolder;

TEST_SUITE("db") {
  namespace {

  namespace fs = std::filesystem;
  using Lines = std::vector<std::string>;

  const fs::path document = TUNER_SOURCE_DIR "/docs/database.md";
  const fs::path recipe_page = TUNER_SOURCE_DIR "/docs/results/recipes.md";
  const fs::path recordings = TUNER_SOURCE_DIR "/docs/results";

  Lines lines_of(const fs::path& page) {
    Lines lines;
    std::ifstream in(page);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    REQUIRE(lines.size() > 100);
    return lines;
  }

  std::set<std::string> names_of(const fs::path& database, const std::string& query) {
    std::set<std::string> names;
    std::istringstream in(ask(database, "SELECT group_concat(name, ' ') FROM (" + query + ")"));
    for (std::string name; in >> name;) names.insert(name);
    return names;
  }

  /// What stands in backquotes at the beginning of `line` behind `before`; empty where nothing does.
  std::string quoted(const std::string& line, const std::string& before) {
    if (!line.starts_with(before + '`')) return {};
    const std::size_t start = before.size() + 1;
    return line.substr(start, line.find('`', start) - start);
  }

  /// The cells of a line of a table.
  Lines cells(const std::string& line) {
    Lines found;
    std::size_t start = line.find('|') + 1;
    for (std::size_t end; (end = line.find('|', start)) != std::string::npos; start = end + 1) {
      const std::string cell = line.substr(start, end - start);
      const std::size_t first = std::min(cell.find_first_not_of(' '), cell.size());
      found.push_back(cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
    }
    return found;
  }

  /// The names in backquotes in `text`.
  Lines names_in(const std::string& text) {
    Lines found;
    std::size_t start = text.find('`');
    for (std::size_t end; start != std::string::npos; start = text.find('`', end + 1)) {
      end = text.find('`', start + 1);
      found.push_back(text.substr(start + 1, end - start - 1));
    }
    return found;
  }

  /// As a column's name ends.
  std::string unit_of(const std::string& column) {
    if (column.ends_with("_ms")) return "ms";
    if (column.ends_with("_ns")) return "ns";
    return column.ends_with("_at") ? "UTC" : "";
  }

  using Columns = std::map<std::string, Lines>;  ///< by name the cells of a column's row

  /// The views by name, as their sections describe them. "As in `trial`:" takes over rows of that view.
  std::map<std::string, Columns> described() {
    std::map<std::string, Columns> found;
    std::string heading;
    bool as_in_trial = false;
    for (const std::string& line : lines_of(document)) {
      if (line.starts_with('#')) heading = quoted(line, "### ");
      if (heading.empty()) continue;
      if (!quoted(line, "| ").empty())
        for (const std::string& column : names_in(cells(line)[0]))
          CHECK(found[heading].emplace(column, cells(line)).second);
      const bool begins = line.starts_with("As in `trial`:");
      as_in_trial = begins || (as_in_trial && !line.empty());
      if (!as_in_trial) continue;
      for (const std::string& column : names_in(begins ? line.substr(line.find(':')) : line))
        CHECK_MESSAGE(found[heading].emplace(column, found["trial"].at(column)).second, column);
    }
    return found;
  }

  /// The views that stand before those for people.
  std::set<std::string> internal_views() {
    std::set<std::string> found;
    const std::string create = "CREATE VIEW ";
    for (const std::string& line : lines_of(TUNER_SOURCE_DIR "/db/schema/views.sql")) {
      if (line.starts_with("-- For people")) return found;
      if (line.starts_with(create))
        found.insert(line.substr(create.size(), line.find(' ', create.size()) - create.size()));
    }
    FAIL("no view is for people");
    return found;
  }

  std::set<std::string> keys(const std::map<std::string, Lines>& rows) {
    std::set<std::string> names;
    for (const auto& [name, row] : rows) names.insert(name);
    return names;
  }

  void check_same(const std::set<std::string>& documented, const std::set<std::string>& there) {
    for (const std::string& name : there)
      CHECK_MESSAGE(documented.contains(name), name, " is not documented");
    for (const std::string& name : documented) CHECK_MESSAGE(there.contains(name), name, " is not there");
  }

  /// The three recordings that the document names, imported.
  void import_recordings(const TempFolder& folder, const fs::path& database) {
    const fs::path unpacked = folder / "examples.jsonl";
    const std::string gunzip =
        fmt::format("gunzip -c '{}' > '{}'",
                    (recordings / "h200-2026-11-22-examples/examples.jsonl.gz").string(), unpacked.string());
    REQUIRE(std::system(gunzip.c_str()) == 0);
    const db::ResultStore store(database);
    for (const fs::path& file : {recordings / "h200-2026-11-22-libraries/overlap.jsonl",
                                 recordings / "h200-2026-11-21-notes/notes.jsonl", unpacked})
      db::import_file(store.connection(), file);
  }

  /// What a shell has that was started as the document says.
  class Reader {
   public:
    explicit Reader(const fs::path& database) : m_handle(nullptr, sqlite3_close) {
      sqlite3* handle = nullptr;
      const int code = sqlite3_open_v2(fmt::format("file:{}?mode=ro", database.string()).c_str(), &handle,
                                       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
      m_handle.reset(handle);
      REQUIRE(code == SQLITE_OK);
    }

    /// A header and the rows of the answer, as texts.
    std::vector<Lines> answer(const std::string& sql) const {
      sqlite3_stmt* raw = nullptr;
      const int code = sqlite3_prepare_v2(m_handle.get(), sql.c_str(), -1, &raw, nullptr);
      const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw, sqlite3_finalize);
      INFO(sql << ": " << sqlite3_errmsg(m_handle.get()));
      REQUIRE(code == SQLITE_OK);
      const int columns = sqlite3_column_count(raw);
      std::vector<Lines> rows(1);
      for (int i = 0; i < columns; ++i) rows[0].emplace_back(sqlite3_column_name(raw, i));
      int result = SQLITE_ROW;
      while ((result = sqlite3_step(raw)) == SQLITE_ROW) {
        Lines& row = rows.emplace_back();
        for (int i = 0; i < columns; ++i) {
          const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, i));
          row.emplace_back(text == nullptr ? "" : text);
        }
      }
      REQUIRE(result == SQLITE_DONE);
      return rows;
    }

   private:
    std::unique_ptr<sqlite3, decltype(&sqlite3_close)> m_handle;
  };

  /// As `sqlite3 -header -column` prints it, but for blanks at the ends of lines.
  Lines printed(const std::vector<Lines>& rows) {
    std::vector<std::size_t> widths(rows[0].size());
    for (const Lines& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    Lines dashes;
    for (const std::size_t width : widths) dashes.emplace_back(width, '-');
    Lines out;
    const auto print = [&](const Lines& row) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i)
        line += fmt::format("{}{:{}}", i == 0 ? "" : "  ", row[i], widths[i]);
      out.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
    };
    print(rows[0]);
    print(dashes);
    for (std::size_t i = 1; i < rows.size(); ++i) print(rows[i]);
    return out;
  }

  /// The document with what each of its queries answers behind it, in a block of its own.
  Lines answered(const Lines& lines, const Reader& reader, int& recipes) {
    Lines out;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out.push_back(lines[i]);
      if (lines[i] != "```sql") continue;
      std::string sql;
      for (++i; lines.at(i) != "```"; ++i) {
        out.push_back(lines[i]);
        sql += lines[i] + '\n';
      }
      const std::vector<Lines> rows = reader.answer(sql);
      CAPTURE(sql);
      CHECK(rows.size() > 1);
      ++recipes;
      out.insert(out.end(), {"```", "", "```text"});
      for (std::string& line : printed(rows)) out.push_back(std::move(line));
      out.emplace_back("```");
      if (i + 2 < lines.size() && lines[i + 2] == "```text") {
        for (i += 3; lines.at(i) != "```";) ++i;
      }
    }
    return out;
  }

  }  // namespace

  TEST_CASE("docs/database.md describes every view for people with its columns, and none that is not there") {
    const TempFolder folder;
    const fs::path path = folder / "tuner.db";
    { const db::ResultStore store(path); }
    const auto views = described();
    std::set<std::string> documented = internal_views();
    for (const auto& [view, columns] : views) {
      documented.insert(view);
      CAPTURE(view);
      check_same(keys(columns), names_of(path, "SELECT name FROM pragma_table_info('" + view + "')"));
      for (const auto& [column, row] : columns) {
        CAPTURE(column);
        REQUIRE(row.size() == 3);
        const bool is_time = row[1] == "ms" || row[1] == "ns" || row[1] == "UTC";
        CHECK((is_time ? row[1] : "") == unit_of(column));
      }
    }
    check_same(documented, names_of(path, "SELECT name FROM sqlite_schema WHERE type = 'view'"));
  }

  TEST_CASE("every recipe of docs/results/recipes.md gives what is printed behind it") {
    const TempFolder folder(db_test::memory_folder());
    const fs::path path = folder / "recorded.db";
    import_recordings(folder, path);
    const Lines found = lines_of(recipe_page);
    int recipes = 0;
    const Lines expected = answered(found, Reader(path), recipes);
    CHECK(recipes >= 12);
    const char* update = std::getenv("TUNER_UPDATE_GOLDEN");
    if (update != nullptr && std::string(update) == "1") {
      std::ofstream out(recipe_page);
      for (const std::string& line : expected) out << line << '\n';
      return;
    }
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
      CAPTURE(i);
      REQUIRE_MESSAGE(found[i] == expected[i], "TUNER_UPDATE_GOLDEN=1 writes what is answered now");
    }
    CHECK(found.size() == expected.size());
  }
}
