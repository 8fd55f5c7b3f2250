// How many GPUs can one sweep keep busy? Each of 1 to 64 simulated devices takes as long for a trial as an
// H200 does, loading included, which goes on while the driver writes down, and some more for a final;
// compilers answer at once; everything else is real: list, queue, pool, driver, threads, database. The limit
// is what the devices could do without any waiting: the efficiency is their own time over all the time
// they had. Twice: with trials of 11 to 33 ms, as the matmul family's are over 512 to 4096, and of 4 to 12
// ms, as those of one kernel at 2048. Then how much faster two devices are where inputs and references take
// long to make (preparing.hpp). Usage: bench_devices [FOLDER [SECONDS]]; each number of devices runs
// for about so long, and 0 leaves all but the last out.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "bench/devices/preparing.hpp"
#include "bench/devices/simulated.hpp"
#include "bench/support/imagined.hpp"
#include "db/result_store.hpp"
#include "tuner/sweep/sweep.hpp"

namespace {

using namespace tuner;
using bench::final_ms;
using bench::Load;
using bench::seconds_now;
using bench::Silent;
using bench::SimulatedRunner;

constexpr Load family = {11, 33};
constexpr Load one_kernel = {4, 12};
constexpr std::int64_t configurations = 125;
/// At 16 devices.
constexpr double wanted = 0.95;

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Row {
  double efficiency = 0;
  double trials_a_second = 0;
  double processor_ms_a_trial = 0;
};

Row run(const Load& load, std::size_t devices, double seconds, const std::filesystem::path& database) {
  // As many problems as keep so many devices at work for so long, and never fewer than devices.
  const double problem_s = static_cast<double>(configurations) * load.mean_s() + final_ms * 1e-3;
  const auto problems =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(devices) * seconds / problem_s));
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 1; i <= problems; ++i) sizes.push_back(100'000 * i);
  sweep::Request request = bench::imagined_request({5, 5, 5}, sizes);
  request.strategy = "exhaustive";
  std::vector<std::unique_ptr<SimulatedRunner>> runners;
  std::vector<model::TrialRunner*> all;
  for (std::size_t i = 0; i < devices; ++i)
    all.push_back(runners.emplace_back(std::make_unique<SimulatedRunner>(i, load)).get());
  db::ResultStore store(database);
  const sweep::TrialList list = sweep::list_trials(request, store);
  compile::CompilePool pool(2, [] { return std::make_unique<bench::QuickCompiler>(); });
  Silent observer;
  const std::atomic<bool> stop{false};
  sweep::Services services{pool, all, store, store, observer, {}, seconds_now, stop};
  const double processor = processor_seconds();
  const double began = seconds_now();
  const sweep::Summary summary = sweep::sweep(request, list, services);
  const double wall_s = seconds_now() - began;
  double busy_s = 0;
  for (const auto& runner : runners) busy_s += runner->busy_s;
  const auto trials = static_cast<double>(summary.finished);
  return {busy_s / (static_cast<double>(devices) * wall_s), trials / wall_s,
          1e3 * (processor_seconds() - processor) / trials};
}

/// Returns the efficiency at 16 devices.
double run_all(const Load& load, const std::filesystem::path& folder, double seconds) {
  fmt::print("trials of {:.0f} to {:.0f} ms\n", load.least_ms, load.most_ms);
  fmt::print("{:>8}{:>14}{:>12}{:>22}\n", "devices", "trials/s", "efficiency", "processor ms/trial");
  double at_16 = 0;
  for (const std::size_t devices : {1, 2, 4, 8, 16, 32, 64}) {
    const Row row = run(load, devices, seconds, folder / fmt::format("{}-{}.db", load.most_ms, devices));
    fmt::print("{:>8}{:>14.0f}{:>12.3f}{:>22.3f}\n", devices, row.trials_a_second, row.efficiency,
               row.processor_ms_a_trial);
    std::fflush(stdout);
    if (devices == 16) at_16 = row.efficiency;
  }
  return at_16;
}

bool keeps_busy(const std::filesystem::path& folder, double seconds) {
  const double at_16 = run_all(family, folder, seconds);
  const double short_at_16 = run_all(one_kernel, folder, seconds);
  fmt::print("efficiency at 16 devices: {:.3f} (wanted {:.2f}); with short trials {:.3f}\n", at_16, wanted,
             short_at_16);
  return at_16 >= wanted;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder =
      std::filesystem::path(argc > 1 ? argv[1] : std::filesystem::temp_directory_path().c_str()) /
      fmt::format("tuner-bench-{}", ::getpid());
  int code = 1;
  try {
    std::filesystem::create_directories(folder);
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 4;
    const bool is_busy = seconds == 0 || keeps_busy(folder, seconds);
    code = bench::report_preparing(folder) && is_busy ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_devices: {}\n", error.what());
  }
  std::filesystem::remove_all(folder);
  return code;
}
