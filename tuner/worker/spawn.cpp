#include "tuner/worker/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "tuner/model/error.hpp"

extern char** environ;

namespace tuner::worker {
namespace {

void check(int error, const char* what) {
  if (error != 0) {
    throw model::Error(fmt::format("cannot start a worker process: {}: {}", what, std::strerror(error)),
                       "see the limits of open files and processes (ulimit -n, ulimit -u)");
  }
}

/// posix_spawn's two arguments, freed with the object.
class SpawnPlan {
 public:
  SpawnPlan(int socket, int output) {
    check(::posix_spawnattr_init(&m_attributes), "posix_spawnattr_init");
    check(::posix_spawn_file_actions_init(&m_actions), "posix_spawn_file_actions_init");
    set_attributes();
    add_actions(socket, output);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&m_actions);
    ::posix_spawnattr_destroy(&m_attributes);
  }

  pid_t run(const ChildCommand& command, const std::vector<std::string>& environment) const {
    std::vector<char*> argv = {const_cast<char*>("tuner")};
    for (const std::string& argument : command.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> variables;
    for (const std::string& variable : environment) variables.push_back(const_cast<char*>(variable.c_str()));
    variables.push_back(nullptr);
    pid_t pid = -1;
    check(::posix_spawn(&pid, command.program.c_str(), &m_actions, &m_attributes, argv.data(),
                        variables.data()),
          command.program.c_str());
    return pid;
  }

 private:
  void set_attributes() {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    check(::posix_spawnattr_setsigmask(&m_attributes, &none), "posix_spawnattr_setsigmask");
    check(::posix_spawnattr_setsigdefault(&m_attributes, &all), "posix_spawnattr_setsigdefault");
    check(::posix_spawnattr_setpgroup(&m_attributes, 0), "posix_spawnattr_setpgroup");
    const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    check(::posix_spawnattr_setflags(&m_attributes, flags), "posix_spawnattr_setflags");
  }

  void add_actions(int socket, int output) {
    // The pipe first and the socket last: a source may itself be one of the numbers 0 to 3, and spawn() keeps
    // both above them.
    check(::posix_spawn_file_actions_addopen(&m_actions, 0, "/dev/null", O_RDONLY, 0), "/dev/null");
    check(::posix_spawn_file_actions_adddup2(&m_actions, output, 1), "stdout");
    check(::posix_spawn_file_actions_adddup2(&m_actions, output, 2), "stderr");
    check(::posix_spawn_file_actions_adddup2(&m_actions, socket, child_socket), "socket");
    check(::posix_spawn_file_actions_addclosefrom_np(&m_actions, child_socket + 1), "closefrom");
  }

  posix_spawnattr_t m_attributes;
  posix_spawn_file_actions_t m_actions;
};

/// `fd` under a number beyond those that the child's descriptors get, so that no dup2 overwrites a later
/// source.
util::FileDescriptor out_of_the_way(util::FileDescriptor fd) {
  if (fd.get() > child_socket) return fd;
  util::FileDescriptor moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, child_socket + 1));
  if (!moved) check(errno, "fcntl");
  return moved;
}

std::vector<std::string> environment_with(const std::filesystem::path& folder) {
  const std::string temporary = "TMPDIR=";
  const std::string ours = fmt::format("{}=", folder_variable);
  std::vector<std::string> variables = {temporary + folder.string(), ours + folder.string()};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with(temporary) && !text.starts_with(ours)) variables.emplace_back(text);
  }
  return variables;
}

}  // namespace

Spawned spawn(const ChildCommand& command, const std::filesystem::path& folder) {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) check(errno, "socketpair");
  util::FileDescriptor ours(ends[0]);
  const util::FileDescriptor theirs = out_of_the_way(util::FileDescriptor(ends[1]));
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) check(errno, "pipe");
  util::FileDescriptor output(ends[0]);
  const util::FileDescriptor printing = out_of_the_way(util::FileDescriptor(ends[1]));
  if (::fcntl(output.get(), F_SETFL, O_NONBLOCK) != 0) check(errno, "fcntl");

  const SpawnPlan plan(theirs.get(), printing.get());
  const pid_t pid = plan.run(command, environment_with(folder));
  return {pid, std::move(ours), std::move(output)};
}

}  // namespace tuner::worker
