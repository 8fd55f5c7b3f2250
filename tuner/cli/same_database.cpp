#include "tuner/cli/same_database.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

std::string& flag() {
  static std::string words;  // as stderr, which it is for, there is one
  return words;
}

/// Whether what begins with `tuner ` is a command with a database.
bool takes_database(std::string_view command) {
  constexpr std::array<std::string_view, 12> names = {"best",   "compare", "compile",       "export",
                                                      "forget", "import",  "list failures", "list runs",
                                                      "merge",  "plan",    "report",        "run"};
  constexpr std::string_view show = "show";
  constexpr std::string_view program = "tuner ";
  const std::string_view words = command.substr(program.size());
  const auto begins = [&](std::string_view name) {
    return words.starts_with(name) && (words.size() == name.size() || words[name.size()] == ' ');
  };
  return begins(show) || std::any_of(names.begin(), names.end(), begins);
}

/// Whether the command at `begin` is one to be given: between backticks, or at the end of a sentence.
/// Returns where it ends; npos: it is none.
std::size_t end_of_command(const std::string& text, std::size_t begin) {
  if (begin == 0) return std::string::npos;
  if (text[begin - 1] == '`') return text.find('`', begin);
  const std::string_view before = std::string_view(text).substr(0, begin);
  if (!before.ends_with(": ") && !before.ends_with("example ")) return std::string::npos;
  return std::min(text.find_first_of(";\n", begin), text.size());
}

}  // namespace

void name_database(const std::string& path) {
  flag() = " --db " + util::shell_quote(path);
}

std::string in_same_database(std::string text) {
  if (flag().empty()) return text;
  for (std::size_t at = text.find("tuner "); at != std::string::npos; at = text.find("tuner ", at + 1)) {
    const std::size_t end = end_of_command(text, at);
    if (end == std::string::npos) continue;
    const std::string_view command = std::string_view(text).substr(at, end - at);
    if (!takes_database(command) || command.find(" --db") != std::string_view::npos) continue;
    text.insert(end, flag());
  }
  return text;
}

}  // namespace tuner::cli
