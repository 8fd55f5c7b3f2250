#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "tuner/util/files.hpp"

namespace tuner::test {

struct ProgramResult {
  int exit_code = -1;  ///< 128 + signal where one ended it
  std::string out;
  std::string err;
};

/// A folder whose path is a string.
class TemporaryFolder {
 public:
  const std::string& path() const { return m_folder.path().native(); }
  std::string operator/(const std::string& name) const { return path() + "/" + name; }

 private:
  util::TemporaryFolder m_folder;
};

/// A program under way, with empty standard input and only the given environment. PATH is kept, and
/// XDG_CACHE_HOME where the environment names no compiler: the tests of one ctest share a cache of binaries.
/// Killed and reaped when the object goes.
class BackgroundProgram {
 public:
  enum class Output {
    kept,         ///< for the result
    broken_pipe,  ///< stdout is a pipe that nobody reads any more
  };

  BackgroundProgram(const std::vector<std::string>& command,
                    const std::map<std::string, std::string>& environment,
                    const std::string& working_directory, Output output = Output::kept);
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;
  ~BackgroundProgram();

  /// Sends a signal; nothing where it has ended already.
  void signal(int number) const;
  /// What it has written to stderr so far.
  std::string err() const;
  /// Waits for its end.
  ProgramResult wait();

 private:
  TemporaryFolder m_folder;  ///< with what it writes
  pid_t m_pid = -1;
};

/// Runs a program to its end.
ProgramResult run_program(const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment,
                          const std::string& working_directory);

/// Writes `text` to `path`, making its folder.
void write_text(const std::string& path, const std::string& text);
std::string read_text(const std::string& path);

}  // namespace tuner::test
