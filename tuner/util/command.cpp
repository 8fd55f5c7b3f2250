#include "tuner/util/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves declaring it to the program

namespace tuner::util {
namespace {

using Clock = std::chrono::steady_clock;

/// posix_spawn's two argument objects.
class SpawnPlan {
 public:
  SpawnPlan(int output, const std::filesystem::path& folder, CommandGroup group) {
    posix_spawn_file_actions_init(&m_actions);
    posix_spawn_file_actions_addopen(&m_actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&m_actions, output, 1);
    posix_spawn_file_actions_adddup2(&m_actions, output, 2);
    posix_spawn_file_actions_addchdir_np(&m_actions, folder.c_str());
    posix_spawnattr_init(&m_attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&m_attributes, &none);
    posix_spawnattr_setpgroup(&m_attributes, 0);
    const int own_group = group == CommandGroup::own ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&m_attributes, static_cast<short>(own_group | POSIX_SPAWN_SETSIGMASK));
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawnattr_destroy(&m_attributes);
    posix_spawn_file_actions_destroy(&m_actions);
  }
  pid_t spawn(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) const {
    std::vector<char*> argv = pointers(arguments);
    std::vector<char*> envp = pointers(environment);
    pid_t child = -1;
    const int error = posix_spawnp(&child, argv[0], &m_actions, &m_attributes, argv.data(), envp.data());
    if (error != 0) {
      throw model::Error(fmt::format("cannot start {}: {}", arguments[0], std::strerror(error)));
    }
    return child;
  }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
  }

  posix_spawn_file_actions_t m_actions{};
  posix_spawnattr_t m_attributes{};
};

std::vector<std::string> child_environment() {
  std::vector<std::string> result = {"LC_ALL=C"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool replaced = text.starts_with("LC_ALL=") || text.starts_with("LANGUAGE=");
    if (!replaced && !text.starts_with("LD_PRELOAD=")) result.emplace_back(text);
  }
  return result;
}

/// Reads until the other end closes or the deadline passes; false for the latter.
bool drain(int descriptor, Clock::time_point deadline, std::string& output) {
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
    const auto room = most_command_output - std::min(most_command_output, output.size());
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

/// Should this process die, nobody is left to keep the deadline: a limit on processor time ends the orphan
/// too. The program's own children inherit it.
void limit_processor_time(pid_t child, std::chrono::milliseconds limit) {
  const rlim_t seconds = static_cast<rlim_t>(limit.count() / 1000 + 10);
  const rlimit processor_time{seconds, seconds};
  prlimit(child, RLIMIT_CPU, &processor_time, nullptr);
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          std::chrono::milliseconds limit, CommandGroup group, ProcessorTime processor_time) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw model::Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  FileDescriptor from_child(ends[0]);
  FileDescriptor to_parent(ends[1]);
  const auto deadline = Clock::now() + limit;
  const pid_t child = SpawnPlan(to_parent.get(), folder, group).spawn(arguments, child_environment());
  if (processor_time == ProcessorTime::limited) limit_processor_time(child, limit);
  to_parent.reset();

  CommandResult result;
  int status = 0;
  result.timed_out =
      !drain(from_child.get(), deadline, result.output) || !wait_until(child, deadline, status);
  if (result.timed_out) {
    kill(group == CommandGroup::own ? -child : child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
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
  for (;;) {
    const std::size_t colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    const auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (is_program(candidate)) return std::filesystem::absolute(candidate);
    if (colon == std::string_view::npos) return std::nullopt;
    folders.remove_prefix(colon + 1);
  }
}

}  // namespace tuner::util
