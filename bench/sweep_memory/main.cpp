// Does a sweep's parent grow with the trials it has done? 100,000 trials, 20 problems of 5,000
// configurations, with everything of the parent that is real (list, queue, pool, driver, database, progress)
// and a compiler and a runner that answer at once. Prints the memory of the process as trials end; the limit
// is what it had after the first 50,000. Usage: bench_sweep_memory [FOLDER]; 200,000 commits are quickest in
// /dev/shm.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/support/imagined.hpp"
#include "db/pending_results.hpp"
#include "db/result_store.hpp"
#include "tuner/cli/terminal/progress.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/sweep.hpp"

namespace {

using namespace tuner;

constexpr int problems = 20;
constexpr std::int64_t step = 10'000;
/// By then SQLite has filled its cache, which is bounded.
constexpr std::int64_t settled = 50'000;
/// What an allocator may keep for itself.
constexpr double allowed_growth = 1.05;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A line of /proc/self/status, such as `VmRSS`, in MiB.
double memory_mib(const std::string& what) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == what + ":" && status >> kib) return kib / 1024;
  }
  throw model::Error("/proc/self/status does not say " + what);
}

/// Every tenth trial fails.
class QuickRunner final : public model::TrialRunner {
 public:
  const model::DeviceInfo& device() const override { return m_device; }
  model::TrialOutcome run(const model::TrialJob&) override {
    model::TrialOutcome out;
    if (++m_runs % 10 == 0) {
      out.status = model::TrialStatus::wrong_result;
      out.detail = "C is wrong at 17";
      return out;
    }
    out.measurement = bench::measured(1e6 + static_cast<double>(m_runs % 1000));
    return out;
  }

  /// All alike: what matters is that there are finals.
  model::FinalOutcome run_final(const model::FinalJob& job) override {
    model::FinalOutcome out;
    for (std::size_t i = 0; i < job.trials.size(); ++i) {
      model::Standing& standing = out.standings.emplace_back();
      standing.measurement = bench::measured(1e6 + 1000 + static_cast<double>(i));
      standing.tied = true;
    }
    out.rounds = 20;
    return out;
  }

 private:
  model::DeviceInfo m_device;
  std::int64_t m_runs = 0;
};

/// Prints the memory every 10,000 trials.
class Watcher final : public sweep::Observer {
 public:
  explicit Watcher(double started) : m_progress(0, seconds_now), m_started(started) {}
  void planned(std::int64_t total, std::int64_t known, bool) override {
    m_progress.set_total(total);
    fmt::print("{} trials, {} known; listed: {:.1f} MiB\n", total, known, memory_mib("VmRSS"));
    fmt::print("{:>8}  {:>9}  {:>9}  {:>9}\n", "trials", "MiB now", "MiB peak", "a second");
  }
  void launching(const model::TrialRecord&) override {}
  void finished(const model::TrialRecord& trial) override {
    m_progress.finished(trial);
    if (++m_done % step != 0) return;
    const double now = memory_mib("VmRSS");
    if (first_mib == 0 && m_done >= settled) first_mib = now;
    last_mib = now;
    fmt::print("{:>8}  {:>9.1f}  {:>9.1f}  {:>9.0f}\n", m_done, now, memory_mib("VmHWM"),
               static_cast<double>(m_done) / (seconds_now() - m_started));
    std::fflush(stdout);
  }
  void left_out(const model::TrialRecord&) override {}
  void final_begins(const model::Problem&, std::size_t) override {}
  void notice(const std::string& text) override { fmt::print("{}\n", text); }

  double first_mib = 0;
  double last_mib = 0;

 private:
  cli::terminal::Progress m_progress;
  double m_started;
  std::int64_t m_done = 0;
};

/// 50 × 10 × 10 configurations of each problem.
sweep::Request make_request() {
  std::vector<std::int64_t> sizes;
  for (int i = 1; i <= problems; ++i) sizes.push_back(100'000 * i);
  sweep::Request request = bench::imagined_request({50, 10, 10}, sizes);
  request.strategy = "exhaustive";  // one that learns ends early
  return request;
}

int run(const std::filesystem::path& folder) {
  const sweep::Request request = make_request();
  db::ResultStore store(folder / "memory.db");
  db::PendingResults results(store, [](const std::string& text) { fmt::print("{}\n", text); });
  const sweep::TrialList list = sweep::list_trials(request, store);
  compile::CompilePool pool(16, [] { return std::make_unique<bench::QuickCompiler>(); });
  QuickRunner runner;
  Watcher watcher(seconds_now());
  const std::atomic<bool> stop{false};
  sweep::Services services{pool, {&runner}, results, store, watcher, {}, seconds_now, stop};
  sweep::sweep(request, list, services);
  const double ratio = watcher.last_mib / watcher.first_mib;
  fmt::print("memory after the last trial / after the first {}: {:.3f} (limit {})\n", settled, ratio,
             allowed_growth);
  return ratio <= allowed_growth ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder =
      std::filesystem::path(argc > 1 ? argv[1] : std::filesystem::temp_directory_path().c_str()) /
      fmt::format("tuner-bench-{}", ::getpid());
  int code = 1;
  try {
    std::filesystem::create_directories(folder);
    code = run(folder);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_sweep_memory: {}\n", error.what());
  }
  std::filesystem::remove_all(folder);
  return code;
}
