#include "tuner/cli/event_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "db/machine.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"

namespace tuner::cli {
namespace {

const char* word_of(sweep::Ending ending) {
  constexpr const char* words[] = {"done", "budget", "interrupted"};
  return words[static_cast<int>(ending)];
}

/// A record without the time and the number that its database gives it, which an event comes before.
db::Json unstamped(const model::TrialRecord& trial) {
  db::Json record = db::json_of(trial);
  for (const char* stamp : {"measured_at", "sequence"}) record.erase(stamp);
  return record;
}

}  // namespace

EventLog::EventLog(const std::string& path, sweep::Observer& next, bool goes_on)
    : m_path(path), m_next(next), m_file(STDOUT_FILENO) {
  if (path == "-") return;
  util::require_no_database(path, "name another file with --events");
  const int beginning = goes_on ? O_APPEND : O_TRUNC;
  m_own = util::FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | beginning, 0644));
  m_file = m_own.get();
  if (!m_own)
    throw model::UsageError(fmt::format("--events {} cannot be written: {}", path, std::strerror(errno)),
                            "name a file, a pipe, or - for standard output");
}

void EventLog::expect(const Expected& expected) {
  db::Json fields = {{"host", util::host_name()}, {"pid", ::getpid()}};
  fields.update(db::json_of(expected));
  write("begin", std::move(fields));
}

void EventLog::planned(std::int64_t total, std::int64_t known, bool may_end_early) {
  write("planned", {{"total", total}, {"known", known}, {"may_end_early", may_end_early}});
  m_next.planned(total, known, may_end_early);
}

void EventLog::more(std::int64_t trials) {
  write("more", {{"trials", trials}});
  m_next.more(trials);
}

void EventLog::compiling(const model::TrialRecord& trial) {
  write_step("compiling", trial);
  m_next.compiling(trial);
}

void EventLog::compiled(const model::TrialRecord& trial) {
  write_step("compiled", trial);
  m_next.compiled(trial);
}

void EventLog::launching(const model::TrialRecord& trial) {
  write_step("launching", trial);
  m_next.launching(trial);
}

void EventLog::finished(const model::TrialRecord& trial) {
  write("trial", {{"trial", unstamped(trial)}});
  m_next.finished(trial);
}

void EventLog::left_out(const model::TrialRecord& trial) {
  write("left_out", {{"trial", unstamped(trial)}});
  m_next.left_out(trial);
}

void EventLog::final_begins(const model::Problem& problem, std::size_t finalists) {
  write("final", {{"problem", db::json_of(problem)}, {"finalists", finalists}});
  m_next.final_begins(problem, finalists);
}

void EventLog::search_ended(const model::SearchRecord& search) {
  write("search", {{"search", db::json_of(search)}});
  m_next.search_ended(search);
}

void EventLog::search_pauses(const model::Problem& problem) {
  write("pause", {{"problem", db::json_of(problem)}});
  m_next.search_pauses(problem);
}

void EventLog::notice(const std::string& text) {
  write("notice", {{"text", db::json_of(text)}});
  m_next.notice(text);
}

void EventLog::ended(const sweep::Summary& summary, int exit_code) {
  db::Json devices = db::Json::array();
  for (const sweep::Summary::Device& device : summary.devices) {
    db::Json one = {{"id", device.id}, {"trials", device.trials}};
    one["seconds"] = db::json_of(device.time);
    devices.push_back(std::move(one));
  }
  write("end", {{"ending", word_of(summary.ending)},
                {"trials", summary.finished},
                {"devices", std::move(devices)},
                {"exit_code", exit_code}});
}

void EventLog::write_step(const char* event, const model::TrialRecord& trial) {
  db::JsonWriter step;
  describe_step(step, trial);
  write(event, step.take());
}

void EventLog::write(const char* event, db::Json fields) {
  if (m_file < 0) return;
  db::Json line = {{"event", event}, {"at", db::utc_now()}};
  line.update(fields);
  if (util::write_all(m_file, db::json_line(line) + "\n")) return;
  const std::string reason = std::strerror(errno);
  m_file = -1;
  m_next.notice(fmt::format("warning: --events {}: {}; no more events are written", m_path, reason));
}

}  // namespace tuner::cli
