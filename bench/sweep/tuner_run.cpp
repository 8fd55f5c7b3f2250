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
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "db/database.hpp"
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

double launches_ns(const model::Measurement& measurement) {
  constexpr int verifying_launches = 2;
  const double sampled = std::accumulate(measurement.samples_ns.begin(), measurement.samples_ns.end(), 0.0);
  return sampled * measurement.launches_per_sample + verifying_launches * measurement.median_ns;
}

void count(const std::vector<model::TrialRecord>& trials, TunerRun& run) {
  const model::TrialRecord* best = nullptr;
  for (const model::TrialRecord& trial : trials) {
    ++run.trials;
    if (model::is_failure(trial.outcome.status)) ++run.failed;
    if (model::is_failure(trial.outcome.status) && trial.outcome.status != model::TrialStatus::unlaunchable)
      ++run.unexpected;
    if (!trial.outcome.measurement) continue;
    ++run.ok;
    run.launches_seconds += launches_ns(*trial.outcome.measurement) * 1e-9;
    const bool faster =
        trial.outcome.status == model::TrialStatus::ok &&
        (!best || trial.outcome.measurement->median_ns < best->outcome.measurement->median_ns);
    if (faster) best = &trial;
  }
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
  std::vector<std::string> command = {program,   "run", "--kernel", std::filesystem::absolute(spec).string(),
                                      "--sizes", size,  "--db",     database.string()};
  command.insert(command.end(), more.begin(), more.end());
  TunerRun run;
  run.seconds = timed(std::move(command), home.path());
  run.where_time_went = line_about_time(text_of(home.path() / "err"));
  db::TrialFilter everything;
  everything.with_samples = true;
  count(db::trials(db::open_for_reading(database), everything), run);
  return run;
}

}  // namespace bench::sweep
