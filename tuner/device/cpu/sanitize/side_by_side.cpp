#include "tuner/device/cpu/sanitize/side_by_side.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/util/file_descriptor.hpp"

namespace tuner::device::cpu::sanitize {
namespace {

/// A child at work; reaped when it goes out of scope.
class Child {
 public:
  explicit Child(const std::function<std::string()>& work) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw model::Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    m_answer = util::FileDescriptor(ends[0]);
    const util::FileDescriptor to_parent(ends[1]);
    std::fflush(nullptr);
    m_process = fork();
    if (m_process < 0)
      throw model::Error(fmt::format("cannot start a child process: {}", std::strerror(errno)));
    if (m_process == 0) live(work, to_parent.get());
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    m_answer.reset();  // a child that still writes ends by that
    end();
  }

  int descriptor() const { return m_answer.get(); }

  /// Takes what has been written. Returns true once that was all.
  bool read_on() {
    std::array<char, 4096> piece{};
    const ssize_t got = read(m_answer.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) return false;
    if (got > 0) m_text.append(piece.data(), static_cast<std::size_t>(got));
    return got <= 0;
  }

  /// What the work returned.
  std::string take() {
    const int status = end();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::move(m_text);
    throw model::Error(m_text.empty() ? fmt::format("a child process ended with status {}", status) : m_text);
  }

 private:
  [[noreturn]] static void live(const std::function<std::string()>& work, int answer) {
    int code = 0;
    std::string text;
    try {
      text = work();
    } catch (const std::exception& error) {
      text = error.what();
      code = 1;
    }
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = write(answer, text.data() + at, text.size() - at);
      if (written < 0 && errno != EINTR) _exit(1);
      if (written > 0) at += static_cast<std::size_t>(written);
    }
    _exit(code);
  }

  int end() {
    int status = 0;
    if (m_process <= 0) return status;
    while (waitpid(m_process, &status, 0) < 0 && errno == EINTR) continue;
    m_process = 0;
    return status;
  }

  pid_t m_process = 0;
  util::FileDescriptor m_answer;
  std::string m_text;
};

struct Item {
  explicit Item(const std::function<std::string()>& work) : child(work) {}
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
  std::deque<Item> under_way;  // in order; those in front wait for nobody
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
      done(next, under_way.front().child.take());
      under_way.pop_front();
    }
  }
}

}  // namespace tuner::device::cpu::sanitize
