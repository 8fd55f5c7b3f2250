#pragma once
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/user.hpp"

namespace tuner::test {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The commands that a help page lists: what stands after two blanks in each group that is not of options.
inline std::vector<std::string> commands_of(const std::string& help) {
  std::vector<std::string> commands;
  bool in_commands = false;
  for (const std::string& line : lines_of(help)) {
    if (line.ends_with(':') && line[0] != ' ') in_commands = line != "Options:" && line != "Positionals:";
    if (line.empty()) in_commands = false;
    if (in_commands && line.starts_with("  ") && line[2] != ' ' && line[2] != '-')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return commands;
}

/// Every command with those below it: {"list", "runs"}; the first is the program itself.
inline std::vector<std::vector<std::string>> all_commands(const User& user) {
  std::vector<std::vector<std::string>> all = {{}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::string> words = all[i];
    words.emplace_back("--help");
    for (const std::string& name : commands_of(user.types(words).out)) {
      words.back() = name;
      all.push_back(words);
    }
  }
  return all;
}

inline std::string joined(const std::vector<std::string>& words) {
  std::string text = "tuner";
  for (const std::string& word : words) text += ' ' + word;
  return text;
}

inline ProgramResult shell(const User& user, const std::string& script) {
  return run_program({"/bin/bash", "--norc", "-c", script}, user.environment, user.home.path());
}

inline bool is_installed(const User& user, const std::string& program) {
  return shell(user, "command -v " + program).exit_code == 0;
}

}  // namespace tuner::test
