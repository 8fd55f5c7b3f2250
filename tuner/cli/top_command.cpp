#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "db/case_finder.hpp"
#include "db/database.hpp"
#include "db/machine.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/event_log.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

constexpr std::chrono::milliseconds between_looks{250};
constexpr double second_us = 1e6;

/// The time of what is being read, and of now once all of it is read: so rates are those of the run, however
/// late one looks.
struct RunClock {
  double at = 0;
  bool is_live = false;

  terminal::Clock clock() {
    return [this] { return is_live ? seconds_of(db::utc_now()) : at; };
  }
  void come_to(const std::string& time) { at = std::max(at, seconds_of(time)); }
  static double seconds_of(const std::string& time) {
    return static_cast<double>(db::microseconds_of(time)) / second_us;
  }
};

/// Where a run under way is read from.
class Watched {
 public:
  virtual ~Watched() = default;
  /// Tells `display` what has come since the last look. False: nothing more will.
  virtual bool look(SweepDisplay& display, RunClock& clock) = 0;
};

/// The lines of `tuner run --events FILE`.
class WatchedEvents final : public Watched {
 public:
  explicit WatchedEvents(const std::string& path) : m_path(path), m_file(STDIN_FILENO) {
    if (path == "-") return;
    m_own = util::FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    m_file = m_own.get();
    if (!m_own)
      throw model::UsageError(fmt::format("--events {} cannot be read: {}", path, std::strerror(errno)),
                              "`tuner run --events FILE` writes it");
    struct stat state {};
    m_is_file = ::fstat(m_file, &state) == 0 && S_ISREG(state.st_mode);
  }

  bool look(SweepDisplay& display, RunClock& clock) override {
    clock.is_live = false;
    const bool has_end = !read();
    for (std::size_t end = 0; !m_is_over && (end = m_rest.find('\n')) != std::string::npos;) {
      const std::string line = m_rest.substr(0, end);
      m_rest.erase(0, end + 1);
      ++m_lines;
      tell(line, display, clock);
    }
    clock.is_live = true;
    if (m_is_over) return false;
    const bool is_gone = m_is_file ? m_process > 0 && !db::is_alive(m_process) : has_end;
    if (!is_gone || std::exchange(m_was_gone, true) == false)
      return true;  // what it wrote last is read first
    display.notice("warning: the run has ended without a last event");
    return false;
  }

 private:
  /// What has come. False at the end of a pipe; a file may always grow.
  bool read() {
    if (m_is_file) {
      struct stat state {};
      if (::fstat(m_file, &state) == 0 && state.st_size < ::lseek(m_file, 0, SEEK_CUR))
        throw model::Error(fmt::format("{} was begun anew: another run writes to it", m_path),
                           "the same command follows that one");
    }
    char bytes[1U << 16U];
    while (true) {
      pollfd ready{m_file, POLLIN, 0};
      if (!m_is_file && ::poll(&ready, 1, 0) <= 0) return true;
      const ssize_t got = ::read(m_file, bytes, sizeof bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw model::Error(fmt::format("{} cannot be read: {}", m_path, std::strerror(errno)));
      if (got == 0) return m_is_file;
      m_rest.append(bytes, static_cast<std::size_t>(got));
    }
  }

  template <class T>
  static T of(const db::Json& event, const char* field) {
    return db::value_of<T>(event.at(field), field);
  }

  void tell(const std::string& line, SweepDisplay& display, RunClock& clock) {
    try {
      const db::Json event = db::parse_json(line);
      clock.come_to(of<std::string>(event, "at"));
      tell(of<std::string>(event, "event"), event, display);
    } catch (const std::exception& error) {
      throw model::UsageError(fmt::format("{} line {} is no event: {}", m_path, m_lines, error.what()),
                              "`tuner run --events FILE` writes such lines");
    }
  }

  void tell(const std::string& what, const db::Json& event, SweepDisplay& display) {
    if (what == "begin") {
      if (of<std::string>(event, "host") == util::host_name()) m_process = of<std::int64_t>(event, "pid");
      display.expect(db::value_of<Expected>(event, "begin"));
    } else if (what == "planned") {
      display.planned(of<std::int64_t>(event, "total"), of<std::int64_t>(event, "known"),
                      of<bool>(event, "may_end_early"));
    } else if (what == "more") {
      display.more(of<std::int64_t>(event, "trials"));
    } else if (what == "compiling" || what == "compiled" || what == "launching") {
      model::TrialRecord trial;
      db::JsonReader step(event, {});
      describe_step(step, trial);
      if (what == "compiling") display.compiling(trial);
      if (what == "compiled") display.compiled(trial);
      if (what == "launching") display.launching(trial);
    } else if (what == "trial") {
      display.finished(of<model::TrialRecord>(event, "trial"));
    } else if (what == "left_out") {
      display.left_out(of<model::TrialRecord>(event, "trial"));
    } else if (what == "final") {
      display.final_begins(of<model::Problem>(event, "problem"), of<std::uint64_t>(event, "finalists"));
    } else if (what == "search") {
      display.search_ended(of<model::SearchRecord>(event, "search"));
    } else if (what == "pause") {
      display.search_pauses(of<model::Problem>(event, "problem"));
    } else if (what == "notice") {
      const auto text = of<std::string>(event, "text");
      if (text.starts_with("warning:")) display.notice(text);  // the run itself says the rest
    } else if (what == "end") {
      m_is_over = true;
    }  // another one is of a later version
  }

  std::string m_path;
  util::FileDescriptor m_own;
  int m_file;
  bool m_is_file = false;
  std::string m_rest;
  std::int64_t m_lines = 0;
  std::int64_t m_process = 0;  ///< that writes; 0: unknown, or on another host
  bool m_was_gone = false;
  bool m_is_over = false;
};

/// That which a run's command line names, see begin_run().
model::Objective objective_of(const std::string& command_line) {
  constexpr std::string_view flag = " --objective";
  const std::size_t at = command_line.find(flag);
  if (at == std::string::npos) return model::Objective::time;
  std::string_view word = std::string_view(command_line).substr(at + flag.size() + 1);
  return model::parse_word<model::Objective>(util::split_first(word, " ")).value_or(model::Objective::time);
}

/// A run as the database has it: what is measured, what is being launched, which sizes have ended. How much
/// there is to come it does not know.
class WatchedDatabase final : public Watched {
 public:
  explicit WatchedDatabase(const std::filesystem::path& path) : m_connection(db::open_results(path)) {
    for (const model::RunRecord& run : db::runs(m_connection)) {
      if (run.state != "running" || db::is_abandoned(run)) continue;
      m_run = run;
      return;
    }
    throw NothingFound(
        fmt::format("no sweep is under way in {}", path.string()),
        "`tuner list runs` shows those that ended; --events follows a file of `tuner run --events FILE`");
  }

  const model::RunRecord& run() const { return m_run; }

  bool look(SweepDisplay& display, RunClock& clock) override {
    clock.is_live = false;
    if (clock.at == 0) {
      clock.come_to(m_run.started_at);
      Expected expected;
      expected.problems.reset();
      expected.devices = {m_run.device};
      expected.objective = objective_of(m_run.command_line);
      display.expect(expected);
      display.planned(0, 0, true);
    }
    const std::int64_t version = m_connection.integer("PRAGMA data_version");
    const bool has_news = std::exchange(m_version, version) != version;
    // Asked first: what it wrote last is read all the same.
    const bool is_over = has_news ? !is_under_way() : db::is_abandoned(m_run);
    if (has_news) read(display, clock);
    clock.is_live = true;
    return !is_over;
  }

 private:
  void read(SweepDisplay& display, RunClock& clock) {
    db::TrialFilter filter;
    filter.run = m_run.id;
    filter.after_sequence = m_sequence;
    std::vector<model::TrialRecord> trials = db::trials(m_connection, filter);
    std::ranges::sort(trials, {}, &model::TrialRecord::sequence);
    for (const model::TrialRecord& trial : trials) {
      m_sequence = trial.sequence;
      clock.come_to(trial.measured_at);
      display.finished(trial);
    }
    for (const model::SearchRecord& search : db::searches(m_connection)) {
      if (search.run != m_run.id || !m_searched.insert(search.problem.text() + search.problem.family).second)
        continue;
      display.search_ended(search);
    }
    for (const db::OpenAttempt& attempt : db::open_attempts(m_connection)) {
      if (!attempt.is_alive) continue;
      model::TrialRecord trial;
      trial.kernel = attempt.kernel;
      trial.problem = attempt.problem;
      trial.configuration = attempt.configuration;
      display.launching(trial);
    }
  }

  bool is_under_way() const {
    const std::vector<model::RunRecord> all = db::runs(m_connection);
    const auto run = std::ranges::find(all, m_run.id, &model::RunRecord::id);
    return run != all.end() && run->state == "running" && !db::is_abandoned(*run);
  }

  db::Connection m_connection;
  model::RunRecord m_run;
  std::int64_t m_version = -1;  ///< of the database when it was last read
  std::int64_t m_sequence = -1;
  std::set<std::string> m_searched;
};

struct TopOptions {
  std::string events;
};

int top(const Context& context, const TopOptions& options) {
  const config::Settings settings = context.settings();
  std::unique_ptr<Watched> watched;
  std::string what = "events of " + options.events;
  if (options.events.empty()) {
    auto database = std::make_unique<WatchedDatabase>(settings.database());
    what =
        fmt::format("{}, since {}", database->run().command_line, database->run().started_at.substr(0, 19));
    watched = std::move(database);
  } else {
    watched = std::make_unique<WatchedEvents>(options.events);
  }
  const SignalGuard signals;
  terminal::LinePrinter printer(open_terminal(settings, STDOUT_FILENO), terminal::steady_clock());
  printer.line(what);
  RunClock clock;
  SweepDisplay display(printer, {}, nullptr, SweepDisplay::all_rows, clock.clock());
  while (watched->look(display, clock) && !signals.stop()) {
    display.show();
    std::this_thread::sleep_for(between_looks);
  }
  if (signals.stop()) {
    printer.finish();
    return signals.exit_code();
  }
  display.ended(SweepDisplay::Stays::picture);
  printer.finish();
  return 0;
}

}  // namespace

void add_top(const CommandPlace& place) {
  Command<TopOptions> command(place, "top", "Watch a sweep that is under way", top);
  command.option("--events", command.options().events, "FILE",
                 "follow what `tuner run --events FILE` writes, which also says what compiles and what is "
                 "left; - is standard input");
  command.settings("db progress");
  command->footer(
      "Without --events the newest run of the database is watched: the best of each size as it improves, how "
      "fast it goes, what runs, the last failure, the clock, temperature and watts of the last trial. Ctrl-C "
      "ends the watching and not the sweep. Where there is no terminal, plain lines say the same.\n"
      "Example: tuner run --sizes 512..4096 --events sweep.jsonl & tuner top --events sweep.jsonl");
}

}  // namespace tuner::cli
