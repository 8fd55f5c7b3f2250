#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <string>

namespace mutants {

/// A test program, and what of it is run: where these are not empty, the cases of some files (blanks between
/// their names), and of those one case.
struct TestName {
  std::string program;
  std::string files;
  std::string test_case;
  auto operator<=>(const TestName&) const = default;
};

struct TestRun {
  bool passed = false;
  bool timed_out = false;
  std::string failed_case;  ///< the first that failed; empty where none is told, as after a crash
  std::chrono::milliseconds time{};
};

/// The programs of a build.
class TestPrograms {
 public:
  explicit TestPrograms(const std::filesystem::path& build);

  /// Runs a test with a mutant at work, or none where `mutant` is empty. A filter that fits no case has not
  /// passed. Throws model::Error where there is no such program.
  TestRun run(const TestName& test, const std::string& mutant, std::chrono::milliseconds limit) const;
  /// Runs all tests that need no GPU and no Slurm until one fails, which `failed_case` then names.
  TestRun run_all(const std::string& mutant, std::chrono::milliseconds limit) const;

 private:
  std::filesystem::path m_build;
  std::map<std::string, std::filesystem::path> m_programs;
};

}  // namespace mutants
