#include "tests/support/run_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tuner::test {
namespace {

/// Variables with which a program does not share the tests' cache: it has another, or a compiler that may do
/// anything.
constexpr std::array own_cache = {"XDG_CACHE_HOME", "CXX", "TUNER_HOST_CXX", "TUNER_NVCC"};

void redirect(const std::string& path, int descriptor, int flags) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(127);
  close(file);
}

/// Strings as execve() takes them; the array ends with a null.
std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (const std::string& text : strings) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

void break_pipe(int descriptor) {
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[1], descriptor) < 0) _exit(127);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace

BackgroundProgram::BackgroundProgram(const std::vector<std::string>& command,
                                     const std::map<std::string, std::string>& environment,
                                     const std::string& working_directory, Output output) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  std::vector<std::string> kept = {"PATH"};
  if (std::ranges::none_of(own_cache, [&](const char* name) { return environment.contains(name); }))
    kept.emplace_back("XDG_CACHE_HOME");
  for (const std::string& name : kept)
    if (const char* value = std::getenv(name.c_str())) variables.push_back(fmt::format("{}={}", name, value));
  const std::vector<char*> arguments = pointers(command);
  const std::vector<char*> environ_pointers = pointers(variables);
  const std::string out = m_folder / "out";
  const std::string err = m_folder / "err";

  m_pid = fork();
  if (m_pid < 0) throw std::runtime_error("fork failed");
  if (m_pid > 0) return;
  redirect("/dev/null", STDIN_FILENO, O_RDONLY);
  redirect(out, STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
  redirect(err, STDERR_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
  if (output == Output::broken_pipe) break_pipe(STDOUT_FILENO);
  if (chdir(working_directory.c_str()) != 0) _exit(127);
  execve(arguments[0], arguments.data(), environ_pointers.data());
  _exit(127);
}

BackgroundProgram::~BackgroundProgram() {
  if (m_pid <= 0) return;
  signal(SIGKILL);
  wait();
}

void BackgroundProgram::signal(int number) const {
  if (m_pid > 0) kill(m_pid, number);
}

std::string BackgroundProgram::err() const {
  return read_text(m_folder / "err");
}

ProgramResult BackgroundProgram::wait() {
  int status = 0;
  waitpid(m_pid, &status, 0);
  m_pid = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(m_folder / "out"),
          err()};
}

ProgramResult run_program(const std::vector<std::string>& command,
                          const std::map<std::string, std::string>& environment,
                          const std::string& working_directory) {
  return BackgroundProgram(command, environment, working_directory).wait();
}

void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace tuner::test
