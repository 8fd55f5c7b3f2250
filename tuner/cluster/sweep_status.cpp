#include "tuner/cluster/sweep_status.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "tuner/cluster/slurm.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace tuner::cluster {
namespace {

/// Signs of life that may be missed: a shared file system shows them late.
constexpr double patience_in_intervals = 5;

/// Absent where the file is not open.
std::optional<std::int64_t> modified_ns(const util::FileDescriptor& file) {
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return std::nullopt;
  return status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

/// Absent where there is no such file.
std::optional<std::int64_t> modified_ns(const std::filesystem::path& file) {
  const util::FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  return modified_ns(opened);
}

std::vector<std::filesystem::path> progress_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().ends_with(".progress.json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Sign {
  PartProgress progress;
  std::int64_t modified_ns = 0;
};

std::optional<Sign> read_sign(const std::filesystem::path& file, std::vector<std::string>& notes) {
  try {
    const auto progress = read_progress(file);
    const auto modified = modified_ns(file);
    if (progress && modified) return Sign{*progress, *modified};
  } catch (const model::Error& error) {
    notes.emplace_back(error.what());
  }
  return std::nullopt;
}

/// What the parts in a folder say of themselves, by part. Of two files of one part the newer counts.
std::map<int, Sign> read_signs(const std::filesystem::path& folder, std::vector<std::string>& notes) {
  std::map<int, Sign> signs;
  for (const auto& file : progress_files(folder)) {
    const auto sign = read_sign(file, notes);
    if (!sign || sign->progress.part.of == 0) continue;
    const auto found = signs.find(sign->progress.part.number);
    if (found != signs.end() && found->second.modified_ns > sign->modified_ns) continue;
    signs.insert_or_assign(sign->progress.part.number, *sign);
  }
  return signs;
}

/// Decides how a part stands.
class Judge {
 public:
  Judge(const SweepFolder& folder, const Queue& queue, std::int64_t now_ns, bool submitted)
      : m_folder(folder), m_queue(queue), m_now_ns(now_ns), m_submitted(submitted) {}

  PartStatus judge(int number, const Sign* sign, const QueuedTask* task) const {
    PartStatus part;
    part.number = number;
    if (sign != nullptr) part.progress = sign->progress;
    const bool ended = sign != nullptr && sign->progress.state == RunState::done;
    if (ended && (number > 0 || task == nullptr)) {  // a last job in the queue is about what came later
      part.state = PartState::done;
    } else if (task != nullptr) {
      part.state = task->waiting ? PartState::waiting : PartState::running;
      part.note =
          fmt::format("job {}{}", task->job, task->waiting && sign != nullptr ? ", to be begun again" : "");
    } else if (sign == nullptr) {
      part.state = m_submitted && m_queue.answered() ? PartState::lost : PartState::waiting;
      part.note =
          part.state == PartState::lost ? "not in Slurm's queue, and never begun" + log_of(number) : "";
    } else {
      judge_by_sign(part, *sign);
    }
    return part;
  }

 private:
  /// A task that ended before it came to the tuner has said why.
  std::string log_of(int number) const {
    const std::filesystem::path log =
        m_folder.logs() / (number > 0 ? fmt::format("{}.log", number) : "last.log");
    std::error_code error;
    const bool is_there = std::filesystem::file_size(log, error) > 0 && !error;
    return is_there ? fmt::format("; see logs/{}", log.filename().string()) : "";
  }

  void judge_by_sign(PartStatus& part, const Sign& sign) const {
    const PartProgress& progress = sign.progress;
    part.state = PartState::lost;
    if (progress.state != RunState::running) {
      part.note = to_string(progress.state);
      return;
    }
    if (!progress.job.empty() && m_queue.answered()) {
      part.note = fmt::format("Slurm's task {} is gone", progress.job);
      return;
    }
    const double silent_s = static_cast<double>(m_now_ns - sign.modified_ns) * 1e-9;
    if (silent_s <= patience_in_intervals * progress.next_within_s) {
      part.state = PartState::running;
    } else {
      part.note = fmt::format("no sign of life for {:.0f} s", silent_s);
    }
  }

  const SweepFolder& m_folder;
  const Queue& m_queue;
  std::int64_t m_now_ns;
  bool m_submitted;
};

const QueuedTask* find_task(const Queue& queue, std::optional<int> part) {
  const QueuedTask* found = nullptr;
  for (const QueuedTask& task : queue.tasks) {
    const bool its = part ? task.part == part : !task.part && task.name == last_job_name;
    if (its && (found == nullptr || found->waiting)) found = &task;
  }
  return found;
}

const Sign* find_sign(const std::map<int, Sign>& signs, int part) {
  const auto found = signs.find(part);
  return found == signs.end() ? nullptr : &found->second;
}

}  // namespace

std::string_view to_string(PartState state) {
  constexpr std::array<std::string_view, 4> words = {"done", "running", "waiting", "lost"};
  return words.at(static_cast<std::size_t>(state));
}

int SweepStatus::count(PartState state) const {
  return static_cast<int>(
      std::count_if(parts.begin(), parts.end(), [&](const auto& part) { return part.state == state; }));
}

bool SweepStatus::done() const {
  const bool every_part = count(PartState::done) == static_cast<int>(parts.size());
  if (!last) return every_part;
  if (last->state != PartState::done || !last->progress) return false;
  return every_part || last->progress->measured() >= last->progress->planned;
}

std::int64_t SweepStatus::planned() const {
  std::int64_t sum = 0;
  for (const PartStatus& part : parts) sum += part.progress ? part.progress->planned : 0;
  return sum;
}

std::int64_t SweepStatus::measured() const {
  std::int64_t sum = 0;
  for (const PartStatus& part : parts) sum += part.progress ? part.progress->measured() : 0;
  return sum;
}

double SweepStatus::trials_per_second() const {
  double sum = 0;
  for (const PartStatus& part : parts) {
    if (part.state == PartState::running && part.progress) sum += part.progress->trials_per_second;
  }
  return sum;
}

std::optional<double> SweepStatus::seconds_left() const {
  double longest = 0;
  for (const PartStatus& part : parts) {
    if (part.state == PartState::done) continue;
    if (part.state != PartState::running || !part.progress || part.progress->trials_per_second <= 0)
      return std::nullopt;
    const auto left = static_cast<double>(part.progress->planned - part.progress->measured());
    longest = std::max(longest, left / part.progress->trials_per_second);
  }
  return longest;
}

std::int64_t folder_time_ns(const std::filesystem::path& folder) {
  const std::string name = (folder / fmt::format(".now-{}", ::getpid())).string();
  const util::FileDescriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  // UTIME_NOW is the server's now where the file system has one.
  const auto now = file && ::futimens(file.get(), nullptr) == 0 ? modified_ns(file) : std::nullopt;
  if (file) ::unlink(name.c_str());
  if (now) return *now;
  std::int64_t newest = 0;
  for (const auto& progress : progress_files(folder))
    newest = std::max(newest, modified_ns(progress).value_or(0));
  return newest;
}

SweepStatus look_at(const SweepFolder& folder, const Queue& queue, const FolderClock& clock) {
  SweepStatus status;
  const auto description = read_description(folder);
  const std::filesystem::path results = description ? folder.results() : folder.path();
  const std::map<int, Sign> signs = read_signs(results, status.notes);
  int count = description ? description->shards : 0;
  for (const auto& [part, sign] : signs) count = std::max(count, sign.progress.part.of);
  if (!description && signs.empty()) {
    throw model::Error(
        fmt::format("{}: nothing of a sweep's parts is here", folder.path().string()),
        "`tuner slurm` makes such a folder, and `tuner run --shard K/N --publish FILE` fills one",
        model::ExitCode::nothing_found);
  }
  if (!queue.failure.empty()) status.notes.push_back("Slurm was not asked: " + queue.failure);
  const Judge judge(folder, queue, clock(results), description.has_value());
  for (int part = 1; part <= count; ++part) {
    status.parts.push_back(judge.judge(part, find_sign(signs, part), find_task(queue, part)));
  }
  if (description) {
    const auto sign = read_sign(progress_file_of(description->result), status.notes);
    status.last = judge.judge(0, sign ? &*sign : nullptr, find_task(queue, std::nullopt));
  }
  return status;
}

}  // namespace tuner::cluster
