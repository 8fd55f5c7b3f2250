// tests/crossings.md against the pairs that its features make, and the tests that there are.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
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

struct Section {
  std::string feature;
  std::vector<std::pair<std::string, std::string>> rows;  ///< the other feature, what shows it
};

std::vector<Section> sections() {
  std::vector<Section> found;
  std::istringstream in(whole_text(tests_folder / "crossings.md"));
  const std::regex row(R"(\| ([^|]+) \| ([^|]+) \|)");
  for (std::string line; std::getline(in, line);) {
    std::smatch cells;
    if (line.starts_with("## ")) found.push_back({line.substr(3), {}});
    if (!found.empty() && std::regex_match(line, cells, row) && cells[1] != "with")
      found.back().rows.emplace_back(cells[1], cells[2]);
  }
  return found;
}

}  // namespace

TEST_CASE("each pair of features has a test that there is, or a reason why the two do not meet") {
  const std::string reason = "they do not meet: ";
  const std::set<std::string> names = test_names();
  const std::vector<Section> all = sections();
  REQUIRE(all.size() >= 16);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(all[i].feature);
    REQUIRE(all[i].rows.size() == all.size() - 1 - i);
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const auto& [with, shows] = all[i].rows[j - i - 1];
      CHECK(with == all[j].feature);
      CAPTURE(with);
      CAPTURE(shows);
      if (shows.starts_with(reason)) {
        CHECK(shows.size() > reason.size() + 30);
      } else {
        REQUIRE(shows.size() > 2);
        CHECK(names.contains(shows.substr(1, shows.size() - 2)));
      }
    }
  }
}
