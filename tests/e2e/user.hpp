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

  TemporaryFolder home;
  std::map<std::string, std::string> environment = {{"HOME", home.path()}};
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tuner::test
