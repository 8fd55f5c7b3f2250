#include "tests/support/golden.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace tests {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

/// The first places where the two differ, line by line.
std::string difference(const std::string& expected, const std::string& found) {
  const auto before = lines(expected);
  const auto after = lines(found);
  std::string out;
  int shown = 0;
  for (std::size_t i = 0; i < std::max(before.size(), after.size()) && shown < 8; ++i) {
    const std::string* old_line = i < before.size() ? &before[i] : nullptr;
    const std::string* new_line = i < after.size() ? &after[i] : nullptr;
    if (old_line && new_line && *old_line == *new_line) continue;
    out += "line " + std::to_string(i + 1) + "\n";
    if (old_line) out += "  - " + *old_line + '\n';
    if (new_line) out += "  + " + *new_line + '\n';
    ++shown;
  }
  return out.empty() ? "only line endings differ\n" : out;
}

}  // namespace

void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(TUNER_SOURCE_DIR) + "/tests/golden/" + name;
  const char* update = std::getenv("TUNER_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path, " is missing; TUNER_UPDATE_GOLDEN=1 writes it");
  const std::string expected((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (expected != text) FAIL_CHECK(name, " differs (- golden, + now)\n", difference(expected, text));
}

}  // namespace tests
