#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace tests {

using Words = std::vector<std::string>;

/// Captures a program in a folder of its own.
struct Capture {
  tuner::test::TemporaryFolder folder;
  std::map<std::string, std::string> environment = {
      {"LD_LIBRARY_PATH", CAPTURE_DRIVER_FOLDER}, {"TUNER_LIBCUPTI", CAPTURE_CUPTI}, {"COLUMNS", "200"}};
  std::string program = CAPTURE_PROGRAM;

  tuner::test::ProgramResult run(const Words& flags, const Words& does) const {
    Words command = {TUNER_BINARY, "capture", "-o", folder / "table"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"--", program});
    command.insert(command.end(), does.begin(), does.end());
    return tuner::test::run_program(command, environment, folder.path());
  }
  /// What `--format json` says.
  nlohmann::json found(const Words& does, Words flags = {}) const {
    flags.insert(flags.end(), {"--format", "json"});
    run(flags, does);
    return nlohmann::json::parse(tuner::test::read_text(folder / "table"));
  }
};

}  // namespace tests
