#include "tuner/cli/context.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "tuner/cli/output.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

std::string Context::command_line() const {
  std::string out = "tuner";
  for (const std::string& argument : arguments) out += ' ' + util::shell_quote(argument);
  return out;
}

std::string Context::command_again() const {
  constexpr std::array<std::string_view, 4> no_matter = {"cache_dir", "cache_limit_mb", "color", "progress"};
  const config::Settings all = settings();
  std::string out;
  for (const config::Setting& setting : all.all())
    if (setting.layer == config::Layer::environment && std::ranges::count(no_matter, setting.name) == 0)
      out += setting.origin + '=' + util::shell_quote(setting.value) + ' ';
  return out + command_line();
}

const char* version() {
  return TUNER_VERSION;
}

terminal::Terminal open_terminal(const config::Settings& settings, int descriptor) {
  const auto wish = [&](const char* name) { return terminal::wish_of(settings.text(name)); };
  terminal::Terminal terminal = terminal::open_terminal(descriptor, wish("color"), wish("progress"));
  terminal.quiet = is_quiet();
  return terminal;
}

namespace {

// A signal handler can reach nothing but objects of static storage; SignalGuard is the only user.
std::atomic<bool> stop_requested{false};
std::atomic<int> last_signal{0};
std::atomic<int> ending_signal{0};
std::atomic<int> watcher{-1};  ///< who is told of the second signal
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr char end_now = 'e';
constexpr char go_away = 'g';

extern "C" void on_signal(int signal) {
  const int error = errno;
  const bool again = stop_requested.exchange(true);
  const bool same_request = signal == SIGTERM && last_signal == SIGTERM;
  if (again && !same_request) {
    const bool third = ending_signal.exchange(signal) != 0;
    if (third || ::write(watcher, &end_now, 1) != 1) _exit(128 + signal);
  }
  last_signal = signal;
  errno = error;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

SignalGuard::SignalGuard() {
  m_watcher = std::thread([this] { watch(); });
  stop_requested = false;
  last_signal = 0;
  ending_signal = 0;
  watcher = m_pipe.writing.get();
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGHUP, SIG_IGN);
  handle(SIGPIPE, SIG_IGN);
}

SignalGuard::~SignalGuard() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  watcher = -1;
  static_cast<void>(!::write(m_pipe.writing.get(), &go_away, 1));
  m_watcher.join();
}

void SignalGuard::watch() {
  char what = go_away;
  while (::read(m_pipe.reading.get(), &what, 1) < 0 && errno == EINTR) continue;
  if (what != end_now) return;
  // The cursor is behind a line of progress, and behind the terminal's own ^C.
  if (isatty(STDERR_FILENO) == 1) static_cast<void>(!::write(STDERR_FILENO, "\n", 1));
  {
    const std::lock_guard lock(m_mutex);
    if (m_last_words) m_last_words();
  }
  _exit(128 + ending_signal);
}

const std::atomic<bool>& SignalGuard::stop() const {
  return stop_requested;
}

int SignalGuard::exit_code() const {
  return 128 + last_signal;
}

void SignalGuard::set_last_words(std::function<void()> last_words) {
  const std::lock_guard lock(m_mutex);
  m_last_words = std::move(last_words);
}

}  // namespace tuner::cli
