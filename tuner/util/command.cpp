#include "tuner/util/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves declaring it to the program

namespace tuner::util {
namespace {

using Clock = std::chrono::steady_clock;

/// posix_spawn's two argument objects.
class SpawnPlan {
 public:
  explicit SpawnPlan(const Program& program) {
    check(posix_spawn_file_actions_init(&m_actions));
    check(posix_spawnattr_init(&m_attributes));
    check(program.input < 0 ? posix_spawn_file_actions_addopen(&m_actions, 0, "/dev/null", O_RDONLY, 0)
                            : posix_spawn_file_actions_adddup2(&m_actions, program.input, 0));
    int descriptor = 0;
    for (const int ours : program.descriptors)
      check(posix_spawn_file_actions_adddup2(&m_actions, ours, ++descriptor));
    if (!program.folder.empty())
      check(posix_spawn_file_actions_addchdir_np(&m_actions, program.folder.c_str()));
    sigset_t signals;
    sigemptyset(&signals);
    check(posix_spawnattr_setsigmask(&m_attributes, &signals));
    check(posix_spawnattr_setpgroup(&m_attributes, 0));
    int flags = POSIX_SPAWN_SETSIGMASK | (program.own_group ? POSIX_SPAWN_SETPGROUP : 0);
    if (program.isolated) {
      sigfillset(&signals);
      check(posix_spawnattr_setsigdefault(&m_attributes, &signals));
      check(posix_spawn_file_actions_addclosefrom_np(&m_actions, descriptor + 1));
      flags |= POSIX_SPAWN_SETSIGDEF;
    }
    check(posix_spawnattr_setflags(&m_attributes, static_cast<short>(flags)));
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawnattr_destroy(&m_attributes);
    posix_spawn_file_actions_destroy(&m_actions);
  }
  pid_t spawn(const Program& program) const {
    std::vector<char*> argv = pointers(program.arguments);
    std::vector<char*> envp = pointers(program.environment);
    pid_t child = -1;
    check(posix_spawnp(&child, program.file.c_str(), &m_actions, &m_attributes, argv.data(), envp.data()),
          program.file);
    return child;
  }

 private:
  static void check(int error, const std::string& what = "posix_spawn") {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
  }
  static std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
  }

  posix_spawn_file_actions_t m_actions{};
  posix_spawnattr_t m_attributes{};
};

/// Reads until the other end closes or the deadline passes; false for the latter.
bool drain(int descriptor, Clock::time_point deadline, std::size_t most_output, std::string& output) {
  std::array<char, 16384> piece{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd request{descriptor, POLLIN, 0};
    const int ready = poll(&request, 1, static_cast<int>(std::min<long long>(left, 1000)));
    if (ready <= 0) continue;
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const auto room = most_output - std::min(most_output, output.size());
    output.append(piece.data(), std::min(room, static_cast<std::size_t>(got)));
  }
}

/// Waits for the child; false where the deadline passes first (a program that closed its output and lives
/// on).
bool wait_until(pid_t child, Clock::time_point deadline, int& status) {
  for (;;) {
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child || (got < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    usleep(200);
  }
}

/// If this process dies, a limit on processor time still ends the child. The program's own children inherit
/// it.
void limit_processor_time(pid_t child, std::chrono::milliseconds limit) {
  const rlim_t seconds = static_cast<rlim_t>(limit.count() / 1000 + 10);
  const rlimit processor_time{seconds, seconds};
  prlimit(child, RLIMIT_CPU, &processor_time, nullptr);
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

pid_t spawn(const Program& program) {
  return SpawnPlan(program).spawn(program);
}

std::vector<std::string> environment_without(const std::vector<std::string_view>& names) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (std::ranges::find(names, text.substr(0, text.find('='))) == names.end()) variables.emplace_back(text);
  }
  return variables;
}

CommandResult run_command(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          std::chrono::milliseconds limit, CommandGroup group, ProcessorTime processor_time,
                          std::size_t most_output) try {
  Pipe pipe = make_pipe();
  Program program{arguments[0], arguments, environment_without({"LC_ALL", "LANGUAGE", "LD_PRELOAD"}), folder};
  program.environment.emplace_back("LC_ALL=C");
  program.descriptors = {pipe.writing.get(), pipe.writing.get()};
  program.own_group = group == CommandGroup::own;
  const auto deadline = Clock::now() + limit;
  const pid_t child = spawn(program);
  if (processor_time == ProcessorTime::limited) limit_processor_time(child, limit);
  pipe.writing.reset();

  CommandResult result;
  int status = 0;
  result.timed_out = !drain(pipe.reading.get(), deadline, most_output, result.output) ||
                     !wait_until(child, deadline, status);
  if (result.timed_out) {
    kill(group == CommandGroup::own ? -child : child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
} catch (const std::system_error& error) {
  throw model::Error(fmt::format("cannot start {}", error.what()));
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::optional<std::filesystem::path> find_program(std::string_view name) {
  const auto is_program = [](const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    const std::filesystem::path path = std::filesystem::absolute(name);
    return is_program(path) ? std::optional(path) : std::nullopt;
  }
  const char* path_variable = std::getenv("PATH");
  std::string_view folders = path_variable != nullptr ? path_variable : "/usr/local/bin:/usr/bin:/bin";
  for (bool goes_on = true; goes_on;) {
    goes_on = folders.find(':') != std::string_view::npos;
    const std::string_view folder = split_first(folders, ":");
    const auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (is_program(candidate)) return std::filesystem::absolute(candidate);
  }
  return std::nullopt;
}

}  // namespace tuner::util
