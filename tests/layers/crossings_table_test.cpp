// tests/crossings.md against the pairs that its features make, and the tests that there are.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

const std::filesystem::path tests_folder = std::filesystem::path(TUNER_SOURCE_DIR) / "tests";

std::string whole_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Names of test cases and of their subcases.
std::set<std::string> test_names() {
  const std::regex named(R"re((?:TEST_CASE|SUBCASE)\(\s*"((?:[^"\\]|\\.)+)")re");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests_folder)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = whole_text(entry.path());
    for (auto found = std::sregex_iterator(text.begin(), text.end(), named); found != std::sregex_iterator();
         ++found)
      names.insert((*found)[1]);
  }
  return names;
}

std::vector<std::string> split(std::string text, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.erase(0, at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

}  // namespace

TEST_CASE("each pair of features has a test that exists, or a reason why the two do not meet") {
  const std::set<std::string> names = test_names();
  const std::string text = whole_text(tests_folder / "crossings.md");
  std::smatch listed;
  REQUIRE(std::regex_search(text, listed, std::regex(R"(do not: ([^.]+)\.)")));
  const std::vector<std::string> features = split(listed[1], ", ");
  REQUIRE(features.size() >= 16);
  std::map<std::string, int> rows;  ///< by pair
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::smatch cells;
    if (!std::regex_match(line, cells, std::regex(R"(\| ([^|]+) \| ([^|]+) \|)")) || cells[1] == "pair")
      continue;
    CAPTURE(line);
    for (const std::string& pair : split(cells[1], ", ")) ++rows[pair];
    const std::string shows = cells[2];
    if (shows.starts_with('"'))
      CHECK(names.contains(shows.substr(1, shows.size() - 2)));
    else
      CHECK(shows.starts_with("do not meet: "));
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::size_t j = i + 1; j < features.size(); ++j) {
      const std::string pair = features[i] + " × " + features[j];
      CAPTURE(pair);
      CHECK(rows[pair] == 1);
    }
  }
}
