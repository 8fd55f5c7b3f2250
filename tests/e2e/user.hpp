#pragma once
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace tuner::test {

/// Someone with an empty home folder who types commands.
class User {
 public:
  ProgramResult types(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {TUNER_BINARY};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_program(command, environment, home.path());
  }

  /// Shares no binaries with other tests, for tests of the cache itself.
  void has_own_cache() { environment["XDG_CACHE_HOME"] = home / ".cache"; }

  /// With the default of --measure, as most recordings in docs/results were made.
  void measures_by_default() { environment.erase("TUNER_MEASURE"); }

  TemporaryFolder home;
  /// A wide terminal, so that sentences are not broken where tests look for them, and short measurements.
  std::map<std::string, std::string> environment = {
      {"HOME", home.path()}, {"COLUMNS", "400"}, {"TUNER_MEASURE", "quick"}};
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The text with every run of blanks as one blank: what is said, however its columns are set.
inline std::string words_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  }
  return out;
}

/// The command that an interrupted sweep prints, without `tuner`; none where it prints none.
inline std::vector<std::string> resume_command(const std::string& err) {
  const std::string head = "To resume:\n  ";
  const std::string program = "tuner ";  // behind what the environment sets
  const std::size_t begin = err.find(head);
  if (begin == std::string::npos) return {};
  std::string line = err.substr(begin + head.size());
  line.resize(line.find('\n'));
  line.erase(0, line.find(program) + program.size());
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

}  // namespace tuner::test
