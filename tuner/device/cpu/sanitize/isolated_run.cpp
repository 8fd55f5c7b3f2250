#include "tuner/device/cpu/sanitize/isolated_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "tuner/model/error.hpp"
#include "tuner/util/file_descriptor.hpp"

namespace tuner::device::cpu::sanitize {
namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<void(const std::function<void(const std::string&)>&)>;
constexpr std::size_t most_output = std::size_t{256} << 10U;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the parent is gone; nobody is left to tell
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The child's whole life. It leaves by _exit: what the parent holds is not the child's to clean up.
[[noreturn]] void live(const Work& work, int messages, int output) {
  // Only the instrumented run can end it: handlers of the parent would tell the parent's story.
  for (const int signal : {SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  int code = 0;
  try {
    work([messages](const std::string& line) { write_all(messages, line + "\n"); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    code = 1;
  }
  std::fflush(nullptr);
  _exit(code);
}

/// Reads until the child closes its end; false where the deadline passes first.
bool collect(int descriptor, Clock::time_point deadline, std::string& text) {
  std::array<char, 4096> piece{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd request{descriptor, POLLIN, 0};
    if (poll(&request, 1, static_cast<int>(std::min<long long>(left, 1000))) <= 0) continue;
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::string contents(int descriptor) {
  std::string text(most_output, '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    lines.push_back(text.substr(at, end - at));
  }
  return lines;
}

}  // namespace

ChildEnd run_isolated(const Work& work, std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw model::Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  const util::FileDescriptor from_child(ends[0]);
  util::FileDescriptor to_parent(ends[1]);
  const util::FileDescriptor output(memfd_create("tuner-child-output", MFD_CLOEXEC));
  std::fflush(nullptr);
  const auto deadline = Clock::now() + limit;
  const pid_t child = !output ? -1 : fork();
  if (child < 0) throw model::Error(fmt::format("cannot start a child process: {}", std::strerror(errno)));
  if (child == 0) live(work, to_parent.get(), output.get());
  to_parent.reset();

  ChildEnd end;
  std::string told;
  end.timed_out = !collect(from_child.get(), deadline, told);
  if (end.timed_out) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  end.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.messages = split(told);
  end.output = contents(output.get());
  return end;
}

}  // namespace tuner::device::cpu::sanitize
