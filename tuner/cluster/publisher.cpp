#include "tuner/cluster/publisher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "db/database.hpp"
#include "db/transfer.hpp"
#include "tuner/cluster/shared_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cluster {
namespace {

/// A file that goes with the object.
class PassingFile {
 public:
  explicit PassingFile(std::filesystem::path path) : m_path(std::move(path)) { remove(); }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;
  ~PassingFile() { remove(); }
  const std::filesystem::path& path() const { return m_path; }

 private:
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
  }
  std::filesystem::path m_path;
};

}  // namespace

Publication::Publication(std::filesystem::path database, std::filesystem::path file)
    : m_database(std::move(database)),
      m_file(std::filesystem::absolute(file)),
      m_source(db::open_for_reading(m_database)) {}

std::optional<db::Added> Publication::take_over() {
  constexpr const char* hint = "nothing was done; give another file with --publish";
  util::require_writable(m_file.string(), hint);
  std::error_code error;
  if (std::filesystem::exists(m_file, error) && !util::begins_as_database(m_file))
    throw model::Error(fmt::format("--publish {}: the file that is there is no database", m_file.string()),
                       hint);
  if (std::filesystem::equivalent(m_file, m_database, error)) {
    throw model::UsageError(fmt::format("--publish {}: is the database itself", m_file.string()),
                            "publish to a file of its own, and keep --db on a local disk");
  }
  const PublishLock lock(m_file, std::chrono::seconds(60));
  return merge_what_is_there();
}

std::optional<db::Added> Publication::merge_what_is_there() {
  const FileMark there = mark_of(m_file);
  require_quiet();
  if (there.inode == 0 || there == m_mark) return std::nullopt;
  const db::Added added = db::merge_database(db::open_database(m_database), m_file);
  m_mark = there;
  return added;
}

/// SQLite would take the log of the file before for one of the file that comes after.
void Publication::require_quiet() const {
  for (const char* log : {"-wal", "-journal"}) {
    if (!std::filesystem::exists(m_file.string() + log)) continue;
    throw model::Error(fmt::format("{}: is a database in use ({}{} is there)", m_file.string(),
                                   m_file.filename().string(), log),
                       "publish to a file that no program opens for writing");
  }
}

Publication::Round Publication::publish(const PartProgress& progress, std::chrono::milliseconds patience) {
  const PublishLock lock(m_file, patience);
  const std::filesystem::path progress_file = progress_file_of(m_file);
  remove_leftovers(m_file);
  remove_leftovers(progress_file);
  Round round;
  round.gained = merge_what_is_there();
  round.copied = copy();
  replace_by_text(progress_file, progress_text(progress));
  return round;
}

bool Publication::copy() {
  const std::int64_t version = m_source.integer("PRAGMA data_version");
  if (version == m_version && mark_of(m_file) == m_mark) return false;
  const PassingFile snapshot(fmt::format("{}.snapshot-{}", m_database.string(), ::getpid()));
  db::snapshot(m_source, snapshot.path());
  m_mark = replace_by_copy(m_file, snapshot.path());
  m_version = version;
  return true;
}

namespace {

using namespace std::chrono_literals;

constexpr auto look_for_stop_every = 100ms;
constexpr auto patience_under_way = 5s;
constexpr auto patience_at_the_end = 60s;
constexpr int pause_in_copies = 9;  ///< so that publishing takes a tenth of the time at most

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Publisher::Publisher(Publication publication, PartProgress progress, double every_s,
                     const std::atomic<bool>& stop)
    : m_publication(std::move(publication)),
      m_stop(stop),
      m_every(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(every_s))),
      m_pause(m_every),
      m_progress(std::move(progress)),
      m_began(Clock::now()) {
  m_thread = std::thread([this] { work(); });
}

Publisher::~Publisher() {
  if (m_thread.joinable()) finish(RunState::failed);
}

void Publisher::planned(std::int64_t trials, std::int64_t known) {
  const std::lock_guard lock(m_mutex);
  m_progress.planned = trials;
  m_progress.known = known;
  m_began = Clock::now();
}

void Publisher::finished_one() {
  const std::lock_guard lock(m_mutex);
  ++m_progress.finished;
}

void Publisher::more(std::int64_t trials) {
  const std::lock_guard lock(m_mutex);
  m_progress.planned += trials;
}

std::vector<std::string> Publisher::take_notices() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_notices, {});
}

std::string Publisher::finish(RunState state) {
  {
    const std::lock_guard lock(m_mutex);
    m_ending = true;
  }
  m_wake.notify_all();
  if (m_thread.joinable()) m_thread.join();
  m_progress.state = state;
  return publish(patience_at_the_end);
}

void Publisher::work() {
  bool told_of_stop = false;
  do {
    publish(patience_under_way);
  } while (wait_until_due(Clock::now() + m_pause, told_of_stop));
}

/// False when the run has ended.
bool Publisher::wait_until_due(Clock::time_point due, bool& told_of_stop) {
  std::unique_lock lock(m_mutex);
  while (!m_ending) {
    const bool asked_to_stop = m_stop && !std::exchange(told_of_stop, m_stop.load());
    if (asked_to_stop || Clock::now() >= due) return true;
    m_wake.wait_for(lock, look_for_stop_every);
  }
  return false;
}

std::string Publisher::publish(std::chrono::milliseconds patience) {
  const auto before = Clock::now();
  std::string failure;
  try {
    const Publication::Round round = m_publication.publish(progress_now(), patience);
    if (round.gained) {
      say(fmt::format("{} was replaced by another process: is the same part run twice? Taken over: {}",
                      m_publication.file().string(), util::counted(round.gained->trials, "trial")));
    }
    if (!m_failure.empty()) say(fmt::format("{} is published again", m_publication.file().string()));
  } catch (const std::exception& error) {
    failure = error.what();
    if (m_failure.empty()) {
      say(fmt::format("publishing failed: {}; the sweep goes on, and it is tried again", failure));
    }
  }
  m_failure = failure;
  m_pause = std::max<Clock::duration>(m_every, pause_in_copies * (Clock::now() - before));
  return failure;
}

PartProgress Publisher::progress_now() const {
  const std::lock_guard lock(m_mutex);
  PartProgress progress = m_progress;
  const double elapsed = seconds(Clock::now() - m_began);
  progress.trials_per_second = elapsed > 0 ? static_cast<double>(progress.finished) / elapsed : 0;
  // Beside the pause there is the copying itself, a ninth of it.
  progress.next_within_s = 1.2 * seconds(m_pause);
  return progress;
}

void Publisher::say(std::string sentence) {
  const std::lock_guard lock(m_mutex);
  m_notices.push_back(std::move(sentence));
}

}  // namespace tuner::cluster
