// What ARCHITECTURE.md says of who may include whom, held against the include lines.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path root = TUNER_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in.good());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, mark);) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

/// `measure` is written for `tuner/measure`.
std::string path_of(const std::string& room) {
  return fs::is_directory(root / "tuner" / room) ? "tuner/" + room : room;
}

/// The table: each room with those whose headers it may include. `everything` stands for itself.
std::map<std::string, std::set<std::string>> read_table() {
  const std::string text = text_of(root / "ARCHITECTURE.md");
  const std::size_t heading = text.find("Includes go one way");
  REQUIRE(heading != std::string::npos);
  const std::size_t begin = text.find("```\n", heading) + 4;
  std::map<std::string, std::set<std::string>> table;
  for (const std::string& line : split(text.substr(begin, text.find("```", begin) - begin), '\n')) {
    CAPTURE(line);
    const std::size_t arrow = line.find("->");
    REQUIRE(arrow != std::string::npos);
    for (const std::string& room : split(line.substr(0, arrow), ',')) {
      CHECK_MESSAGE(fs::is_directory(root / path_of(room)), room << " is no folder");
      for (const std::string& used : split(line.substr(arrow + 2), ','))
        table[path_of(room)].insert(path_of(used));
    }
  }
  return table;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".hpp" || path.extension() == ".h";
}

/// The room that a file is in: the nearest folder above it that the table has.
std::string room_of(fs::path file, const std::map<std::string, std::set<std::string>>& table) {
  while (file.has_parent_path()) {
    file = file.parent_path();
    if (table.contains(file.string())) return file.string();
  }
  return "";
}

struct Include {
  std::string file;
  std::string header;
};

std::vector<Include> includes() {
  std::vector<Include> found;
  for (const char* top : {"tuner", "config", "db", "kernels", "reports"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      std::ifstream in(entry.path());
      const std::string start = "#include \"";
      for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(start)) continue;
        std::string header = line.substr(start.size(), line.find('"', start.size()) - start.size());
        if (header.starts_with("../"))
          header = fs::relative((entry.path().parent_path() / header).lexically_normal(), root).string();
        if (header.find('/') != std::string::npos)  // else a file of the same folder, or a generated one
          found.push_back({fs::relative(entry.path(), root).string(), header});
      }
    }
  }
  return found;
}

}  // namespace

TEST_SUITE("layers") {
  TEST_CASE("rooms include what ARCHITECTURE.md allows them, and all of that") {
    const auto table = read_table();
    REQUIRE(table.size() > 15);
    std::map<std::string, std::set<std::string>> used;
    const std::vector<Include> all = includes();
    REQUIRE(all.size() > 500);
    for (const Include& include : all) {
      const std::string from = room_of(include.file, table);
      const std::string to = room_of(include.header, table);
      CHECK_MESSAGE(!from.empty(), include.file << " is in no room of the table");
      CHECK_MESSAGE(!to.empty(),
                    include.file << " includes " << include.header << ", in no room of the table");
      if (from.empty() || to.empty() || from == to) continue;
      used[from].insert(to);
      const auto& allowed = table.at(from);
      CHECK_MESSAGE((allowed.contains(to) || allowed.contains("everything")),
                    include.file << " includes " << include.header);
    }
    for (const auto& [room, allowed] : table) {
      for (const std::string& other : allowed) {
        const bool stands_for_itself = other == "everything" || other == "nothing";
        CHECK_MESSAGE((stands_for_itself || used[room].contains(other)),
                      room << " includes nothing of " << other << ": the table says it may");
      }
    }
  }

  TEST_CASE("nothing but the table of devices compares the name of a kind of device") {
    const std::regex compared(R"re((==|!=) "(cuda|cpu|replay)"|"(cuda|cpu|replay):?" (==|!=))re");
    for (const char* top : {"tuner", "config", "db", "reports"}) {
      for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
        if (!entry.is_regular_file() || !is_source(entry.path())) continue;
        const std::string text = text_of(entry.path());
        CHECK_MESSAGE(!std::regex_search(text, compared), entry.path().string());
      }
    }
  }
}
