#include <dlfcn.h>
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
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <vector>

#include "tuner/device/cpu/sanitize/sanitizer.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::device::cpu::sanitize {
namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<void(const std::function<void(const std::string&)>&)>;
constexpr std::size_t most_output = std::size_t{256} << 10U;

using util::write_all;

/// A forked child that writes to a pipe; reaped when it goes out of scope.
class Child {
 public:
  /// The child ends with what `life` returns, which is given the end of the pipe to write to.
  explicit Child(const std::function<int(int)>& life) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw model::Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    m_answer = util::FileDescriptor(ends[0]);
    const util::FileDescriptor to_parent(ends[1]);
    std::fflush(nullptr);
    m_process = fork();
    if (m_process < 0)
      throw model::Error(fmt::format("cannot start a child process: {}", std::strerror(errno)));
    // Not by exit(): the parent cleans up what it holds.
    if (m_process == 0) _exit(life(to_parent.get()));
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    m_answer.reset();  // a child that still writes ends by that
    end();
  }

  int descriptor() const { return m_answer.get(); }
  const std::string& text() const { return m_text; }

  /// Takes what has been written. Returns true once that was all.
  bool read_on() {
    std::array<char, 4096> piece{};
    const ssize_t got = read(m_answer.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) return false;
    if (got > 0) m_text.append(piece.data(), static_cast<std::size_t>(got));
    return got <= 0;
  }

  /// Takes everything; false where nothing comes for `limit`, which kills the child.
  bool read_while_told(std::chrono::milliseconds limit) {
    auto deadline = Clock::now() + limit;
    for (bool finished = false; !finished;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) {
        kill(m_process, SIGKILL);
        return false;
      }
      pollfd request{m_answer.get(), POLLIN, 0};
      if (poll(&request, 1, static_cast<int>(std::min<long long>(left, 1000))) <= 0) continue;
      finished = read_on();
      deadline = Clock::now() + limit;
    }
    return true;
  }

  /// Waits; the status as waitpid() has it.
  int end() {
    if (m_process <= 0) return m_status;
    while (waitpid(m_process, &m_status, 0) < 0 && errno == EINTR) continue;
    m_process = 0;
    return m_status;
  }

 private:
  pid_t m_process = 0;
  int m_status = 0;
  util::FileDescriptor m_answer;
  std::string m_text;
};

/// In the child, with its output in the file `output`.
int run_with_output(const Work& work, int messages, int output) {
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
  return code;
}

/// In the child: writes what `work` returns.
int answer_with(const std::function<std::string()>& work, int answer) {
  try {
    write_all(answer, work());
    return 0;
  } catch (const std::exception& error) {
    write_all(answer, error.what());
    return 1;
  }
}

std::string contents(int descriptor) {
  std::string text(most_output, '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace

ChildEnd run_isolated(const Work& work, std::chrono::milliseconds limit) {
  const util::FileDescriptor output(memfd_create("tuner-child-output", MFD_CLOEXEC));
  if (!output) throw model::Error(fmt::format("cannot start a child process: {}", std::strerror(errno)));
  Child child([&](int messages) { return run_with_output(work, messages, output.get()); });
  ChildEnd end;
  end.timed_out = !child.read_while_told(limit);
  const int status = child.end();
  end.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  std::string_view told = child.text();
  told = told.substr(0, told.rfind('\n') + 1);  // a message that was cut off is none
  while (!told.empty()) end.messages.emplace_back(util::split_first(told, "\n"));
  end.output = contents(output.get());
  return end;
}

namespace {

constexpr const char* restarted = "TUNER_RESTARTED_WITH_ASAN";

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

std::string joined(const std::string& ours, const std::string& users) {
  return users.empty() ? ours : ours + ":" + users;
}

}  // namespace

bool address_sanitizer_loaded() {
  return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr;
}

std::string preload_variable(const std::string& library) {
  return joined(library, value_of("LD_PRELOAD"));
}

std::string address_options() {
  // Memory that is still allocated at the end is no kernel's fault.
  return joined("detect_leaks=0:color=never:symbolize=1:allocator_may_return_null=1",
                value_of("ASAN_OPTIONS"));
}

std::string undefined_options() {
  return joined("color=never:print_stacktrace=0", value_of("UBSAN_OPTIONS"));
}

void restart_with_address_sanitizer(const std::string& library, char** arguments) {
  if (address_sanitizer_loaded()) {
    // It is in; what this process starts (the compiler) needs it no more.
    unsetenv("LD_PRELOAD");
    unsetenv(restarted);
    return;
  }
  if (std::getenv(restarted) != nullptr) {
    throw model::Error(
        fmt::format("{} was preloaded, but is not loaded", library),
        "a statically linked program, or one with special privileges, cannot preload libraries");
  }
  setenv("LD_PRELOAD", preload_variable(library).c_str(), 1);
  setenv("ASAN_OPTIONS", address_options().c_str(), 1);
  setenv("UBSAN_OPTIONS", undefined_options().c_str(), 1);
  setenv(restarted, "1", 1);
  execv("/proc/self/exe", arguments);
  throw model::Error(fmt::format("cannot restart with {}: {}", library, std::strerror(errno)));
}

namespace {

struct Item {
  explicit Item(const std::function<std::string()>& work)
      : child([&](int answer) { return answer_with(work, answer); }) {}

  /// What the work returned.
  const std::string& result() {
    const int status = child.end();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return child.text();
    throw model::Error(child.text().empty() ? fmt::format("a child process ended with status {}", status)
                                            : child.text());
  }

  Child child;
  bool finished = false;
};

void wait_for_one(std::deque<Item>& under_way) {
  std::vector<pollfd> requests;
  std::vector<Item*> asked;
  for (Item& item : under_way) {
    if (item.finished) continue;
    requests.push_back({item.child.descriptor(), POLLIN, 0});
    asked.push_back(&item);
  }
  if (poll(requests.data(), requests.size(), -1) <= 0) return;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].revents != 0) asked[i]->finished = asked[i]->child.read_on();
  }
}

}  // namespace

void run_side_by_side(std::size_t count, int most, const std::function<std::string(std::size_t)>& work,
                      const std::function<void(std::size_t, const std::string&)>& done) {
  std::deque<Item> under_way;  // in order
  std::size_t begun = 0;
  std::size_t at_work = 0;
  for (std::size_t next = 0; next < count;) {
    while (begun < count && at_work < static_cast<std::size_t>(most)) {
      under_way.emplace_back([&work, begun] { return work(begun); });
      ++begun;
      ++at_work;
    }
    wait_for_one(under_way);
    at_work = 0;
    for (const Item& item : under_way) at_work += item.finished ? 0 : 1;
    for (; !under_way.empty() && under_way.front().finished; ++next) {
      done(next, under_way.front().result());
      under_way.pop_front();
    }
  }
}

}  // namespace tuner::device::cpu::sanitize
