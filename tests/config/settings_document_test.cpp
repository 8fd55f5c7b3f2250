// docs/settings.md against the settings, and against the variables that the sources read.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "tests/config/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using Row = std::vector<std::string>;

const fs::path top = TUNER_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The cells of a line of a table; `\|` is no end of one.
Row table_row(const std::string& line) {
  Row cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
    } else if (line[i] != '|') {
      cell += line[i];
    } else {
      const std::size_t first = std::min(cell.find_first_not_of(' '), cell.size());
      cells.push_back(cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
      cell.clear();
    }
  }
  return cells;
}

std::string in_backquotes(const std::string& text) {
  return '`' + text + '`';
}

/// The rows of the document's tables that begin with a name, heading by heading.
std::map<std::string, std::vector<Row>> documented() {
  std::map<std::string, std::vector<Row>> rows;
  std::string heading;
  std::istringstream in(text_of(top / "docs/settings.md"));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) heading = line.substr(3);
    if (line.starts_with("| `")) rows[heading].push_back(table_row(line));
  }
  return rows;
}

/// What stands in capitals, as variables do, in sources that read any.
std::set<std::string> variables_in_sources() {
  std::set<std::string> found;
  const std::regex reads(R"(getenv\(|[^:\w]environment\([^)]|\benvironment_variable\()");
  const std::regex name("\"([A-Z][A-Z0-9_]{2,})\"");
  // Flags' values, and a device's name.
  const std::set<std::string> no_variables = {"BYTES",  "CPU",  "DIR",   "FILE",    "FLOAT",
                                              "FOLDER", "INT",  "NAME",  "PERCENT", "PROGRAM",
                                              "SPEC",   "TEXT", "TRIAL", "UINT"};
  for (const char* folder : {"config", "db", "reports", "tuner"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = text_of(entry.path());
      if (!std::regex_search(text, reads)) continue;
      for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
        if (!no_variables.contains((*at)[1])) found.insert((*at)[1]);
    }
  }
  return found;
}

}  // namespace

TEST_SUITE_BEGIN("config");

TEST_CASE("docs/settings.md has every setting, as it is, and says how flags and variables are called") {
  const TemporaryFolder empty;
  const config::Settings shipped = config::Settings::load(
      {}, {[&](const std::string& name) {
             return name == "HOME" ? std::optional(empty.path().string()) : std::nullopt;
           },
           empty.path()});
  const std::vector<Row> rows = documented()["Every setting"];
  const auto known = config::known_settings();
  REQUIRE(rows.size() == known.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const config::KnownSetting& setting = known[i];
    const std::string name(setting.name);
    CAPTURE(name);
    REQUIRE(rows[i].size() == 4);
    CHECK(rows[i][0] == in_backquotes(name));
    const config::Setting* value = shipped.find(name);
    CHECK(rows[i][1] ==
          (value != nullptr ? in_backquotes(value->value) : "unset: " + std::string(setting.unset)));
    CHECK(rows[i][2] == config::accepted_text(setting));
    CHECK_FALSE(rows[i][3].empty());
    CHECK((rows[i][3].find("MiB") != std::string::npos) == name.ends_with("_mb"));
    std::string flag = "--" + name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    CHECK(config::flag_name(name) == flag);
    std::string variable = "TUNER_" + name;
    std::transform(variable.begin(), variable.end(), variable.begin(), ::toupper);
    CHECK(config::variable_name(name) == variable);
  }
}

TEST_CASE("docs/settings.md has every other variable that the sources read, and none that they do not") {
  std::set<std::string> read = variables_in_sources();
  CHECK(read.size() > 15);
  // For the tuner's own processes; the document says so in a sentence.
  const std::string text = text_of(top / "docs/settings.md");
  for (const char* own : {"TUNER_RESTARTED_WITH_ASAN", "TUNER_WORKER_FOLDER"}) {
    CHECK(text.find(in_backquotes(own)) != std::string::npos);
    read.erase(own);
  }
  for (const char* of_children : {"LANGUAGE", "LC_ALL", "LESS", "LESSCHARSET"})
    read.erase(of_children);  // set for other programs
  // Read by the driver and the standard library.
  read.insert({"CUDA_VISIBLE_DEVICES", "TMPDIR"});
  std::set<std::string> named;
  const std::vector<Row> rows = documented()["Environment variables"];
  for (const Row& row : rows) {
    CHECK(row.size() == 2);
    const std::regex name("`([A-Z0-9_]+)`");
    for (std::sregex_iterator at(row[0].begin(), row[0].end(), name), end; at != end; ++at)
      named.insert((*at)[1]);
  }
  for (const std::string& name : read)
    CHECK_MESSAGE(named.contains(name), name, " is read and not documented");
  for (const std::string& name : named)
    CHECK_MESSAGE(read.contains(name), name, " is documented and not read");
}

TEST_CASE("the settings file of docs/settings.md is read as it says") {
  const std::string text = text_of(top / "docs/settings.md");
  const std::size_t start = text.find("```toml\n") + 8;
  const TemporaryFolder folder;
  folder.write("project/tuner.toml", text.substr(start, text.find("```", start) - start));
  const fs::path project = folder.path() / "project";
  const config::Settings settings = config::Settings::load(
      {}, {[&](const std::string& name) {
             return name == "HOME" ? std::optional(folder.path().string()) : std::nullopt;
           },
           project});
  CHECK(settings.database() == project / "results.db");
  CHECK(settings.paddings() == std::vector<std::int64_t>{0, 32});
  CHECK(settings.number("run_timeout_s") == 2.5);
  CHECK(settings.text("sizes") == "512..4096:128");
  CHECK(settings.find("sizes")->layer == config::Layer::project_file);
}

TEST_SUITE_END();
