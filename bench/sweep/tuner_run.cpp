#include "bench/sweep/tuner_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "db/database.hpp"
#include "db/final_queries.hpp"
#include "db/queries.hpp"

extern char** environ;

namespace bench::sweep {
namespace {

using namespace tuner;

/// A folder that goes with its contents.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tuner-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    m_path = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
  }
  const std::filesystem::path& path() const { return m_path; }

 private:
  std::filesystem::path m_path;
};

/// This process's environment, less what tells a tuner where its files are, and with every cache off.
std::vector<std::string> environment_in(const std::filesystem::path& home) {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const bool ours = text.starts_with("XDG_") || text.starts_with("HOME=") ||
                      text.starts_with("CUDA_CACHE") ||
                      (text.starts_with("TUNER_") && !text.starts_with("TUNER_NVRTC="));
    if (!ours) out.push_back(text);
  }
  out.push_back("HOME=" + home.string());
  out.push_back("CUDA_CACHE_DISABLE=1");
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Seconds that the command took. Its output is in `home`/out and `home`/err.
double timed(std::vector<std::string> command, const std::filesystem::path& home) {
  std::vector<std::string> environment = environment_in(home);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [descriptor, name] : {std::pair(STDOUT_FILENO, "out"), std::pair(STDERR_FILENO, "err")}) {
    posix_spawn_file_actions_addopen(&actions, descriptor, (home / name).c_str(), O_WRONLY | O_CREAT, 0600);
  }
  pid_t child = -1;
  const auto begin = std::chrono::steady_clock::now();
  const int error = posix_spawn(&child, command.front().c_str(), &actions, nullptr, pointers(command).data(),
                                pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}", command.front(), std::strerror(error)));
  int status = 0;
  waitpid(child, &status, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (status != 0) {
    throw std::runtime_error(
        fmt::format("{} ended with status {}:\n{}", fmt::join(command, " "), status, text_of(home / "err")));
  }
  return took.count();
}

/// Of a trial's race: its samples and the runs that verified it. One that was dropped after a single run had
/// no other; of one sampled singly the second verified run is among the samples when it was dropped.
double race_ns(const db::StoredMeasurement& race) {
  const model::Measurement& m = race.measurement;
  const double sampled =
      std::accumulate(m.samples_ns.begin(), m.samples_ns.end(), 0.0) * m.launches_per_sample;
  if (race.status == model::TrialStatus::dropped && m.launches_per_sample == 1)
    return sampled + (m.samples_ns.size() > 1 ? m.median_ns : 0);
  const double uncounted_batch = m.launches_per_sample > 1 ? m.launches_per_sample : 0;
  return sampled + (2 + uncounted_batch) * m.median_ns;
}

/// Of a final: a verified run of each, and the rounds; who is neither tied nor the fastest may have left
/// early, so of those only the samples that were kept are counted.
double final_ns(const model::FinalRecord& final, const std::map<model::Digest, model::Measurement>& current) {
  double sum = 0;
  for (const model::FinalRecord::Entry& entry : final.entries) {
    const model::Measurement& m = current.at(entry.trial);
    const double rounds = entry.tied ? final.rounds : static_cast<double>(m.samples_ns.size());
    sum += (1 + rounds * m.launches_per_sample) * m.median_ns;
  }
  return sum;
}

void count(const db::Connection& db, TunerRun& run) {
  std::vector<model::TrialRecord> trials;
  db::for_each_trial(db, {}, {.samples = true},
                     [&](model::TrialRecord&& trial, const auto&) { trials.push_back(std::move(trial)); });
  std::map<model::Digest, model::Measurement> current;
  const model::TrialRecord* best = nullptr;
  for (const model::TrialRecord& trial : trials) {
    ++run.trials;
    if (model::is_failure(trial.outcome.status)) ++run.failed;
    if (model::is_failure(trial.outcome.status) && trial.outcome.status != model::TrialStatus::unlaunchable)
      ++run.unexpected;
    if (!trial.outcome.measurement) continue;
    ++run.ok;
    current[trial.key] = *trial.outcome.measurement;
    run.launches_seconds += race_ns(db::measurements(db, trial.key).front()) * 1e-9;
    const bool faster =
        trial.outcome.status == model::TrialStatus::ok &&
        (!best || trial.outcome.measurement->median_ns < best->outcome.measurement->median_ns);
    if (faster) best = &trial;
  }
  for (const model::FinalRecord& final : db::finals(db))
    run.launches_seconds += final_ns(final, current) * 1e-9;
  if (best) {
    run.best = fmt::format("{:.3f} ms with {}", best->outcome.measurement->median_ns * 1e-6,
                           best->configuration.text());
  }
}

/// The line of the tuner that says `... busy 71 %, 14 of 16 cores compiling ...`.
std::string line_about_time(const std::string& err) {
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" busy ") != std::string::npos) return line;
  }
  return "";
}

}  // namespace

TunerRun run_tuner(const std::string& program, const std::filesystem::path& spec, const std::string& size,
                   const std::vector<std::string>& more) {
  const Folder home;
  const std::filesystem::path database = home.path() / "bench.db";
  std::vector<std::string> command = {program,       "run",
                                      "--baselines", "off",
                                      "--kernel",    std::filesystem::absolute(spec).string(),
                                      "--sizes",     size,
                                      "--db",        database.string()};
  command.insert(command.end(), more.begin(), more.end());
  TunerRun run;
  run.seconds = timed(std::move(command), home.path());
  run.where_time_went = line_about_time(text_of(home.path() / "err"));
  count(db::open_for_reading(database), run);
  return run;
}

}  // namespace bench::sweep
