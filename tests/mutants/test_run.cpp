#include "tests/mutants/test_run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tests/mutants/text_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace mutants {
namespace {

namespace fs = std::filesystem;

/// The rest of the first line that has `mark`, without blanks around it.
std::string behind(std::string_view output, std::string_view mark) {
  const std::size_t at = output.find(mark);
  if (at == std::string_view::npos) return "";
  std::string_view rest = output.substr(at + mark.size());
  return std::string(tuner::util::trimmed(tuner::util::split_first(rest, "\n")));
}

/// As doctest wants it: a comma would begin another filter.
std::string filter(std::string test_case) {
  std::ranges::replace(test_case, ',', '?');
  return "--test-case=" + test_case;
}

std::string file_filter(std::string files) {
  std::string text = "--source-file=";
  for (std::string_view rest = files; !rest.empty();)
    text += fmt::format("*/{},", tuner::util::split_first(rest, " "));
  return text;
}

/// A mutant may forget a child in a process group of its own, and the child spin for ever: all that have the
/// mutant's name in their environment end here.
void end_what_is_left(const std::string& variable) {
  std::error_code gone;
  for (const auto& process : fs::directory_iterator("/proc")) {
    const auto pid = tuner::util::parse_number<pid_t>(process.path().filename().string());
    if (!pid || !fs::exists(process.path() / "environ", gone)) continue;
    std::string environment;
    try {
      environment = '\0' + read_file(process.path() / "environ");
    } catch (const tuner::model::Error&) {
      continue;  // it has ended, or is another user's
    }
    if (environment.find('\0' + variable + '\0') != std::string::npos) kill(*pid, SIGKILL);
  }
}

struct TimedResult {
  tuner::util::CommandResult result;
  std::chrono::milliseconds time{};
};

TimedResult run_with(const std::string& mutant, std::vector<std::string> command, const fs::path& folder,
                     std::chrono::milliseconds limit) {
  const std::string variable = "MUTANT=" + mutant;
  if (!mutant.empty()) command.insert(command.begin(), {"env", variable});
  const auto begin = std::chrono::steady_clock::now();
  TimedResult timed{tuner::util::run_command(command, folder, limit, tuner::util::CommandGroup::own,
                                             tuner::util::ProcessorTime::callers)};
  timed.time =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  if (!mutant.empty()) end_what_is_left(variable);
  return timed;
}

}  // namespace

TestPrograms::TestPrograms(const fs::path& build) : m_build(build) {
  for (const auto& entry : fs::recursive_directory_iterator(build / "tests")) {
    const bool runs = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
    if (entry.is_regular_file() && runs) m_programs.emplace(entry.path().filename().string(), entry.path());
  }
}

TestRun TestPrograms::run(const TestName& test, const std::string& mutant,
                          std::chrono::milliseconds limit) const {
  const auto program = m_programs.find(test.program);
  if (program == m_programs.end())
    throw tuner::model::Error(fmt::format("there is no test program {}", test.program));
  std::vector<std::string> command = {program->second.string(), "--no-colors=true", "--abort-after=1"};
  if (!test.test_case.empty()) {
    command.push_back(filter(test.test_case));
  } else if (!test.files.empty()) {
    command.push_back(file_filter(test.files));
  }
  const TimedResult timed = run_with(mutant, command, program->second.parent_path(), limit);
  const std::string& output = timed.result.output;
  const bool no_case = behind(output, "test cases:").starts_with("0 ");
  return {timed.result.exit_code == 0 && !no_case && !timed.result.timed_out, timed.result.timed_out,
          no_case ? "no case fits the filter" : behind(output, "TEST CASE:"), timed.time};
}

TestRun TestPrograms::run_all(const std::string& mutant, std::chrono::milliseconds limit) const {
  const TimedResult timed = run_with(
      mutant,
      {"ctest", "--test-dir", m_build.string(), "-LE", "gpu|slurm", "--stop-on-failure", "--timeout", "300"},
      m_build, limit);
  return {timed.result.exit_code == 0 && !timed.result.timed_out, timed.result.timed_out,
          behind(timed.result.output, "The following tests FAILED:\n"), timed.time};
}

}  // namespace mutants
