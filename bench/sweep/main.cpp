// How fast is a whole sweep? Against what binds it, and against its peers; every cache empty, every foreign
// one off. Each line is one `tuner run`, its process timed from outside, beside
//   compile  the same configurations compiled by NVRTC alone, a process a core
//   GPU      the sum of the launches it made: verified runs, samples, finals
// The larger of the two is the limit; the ratio is the share of that speed which is reached.
// On a machine without a GPU `--compile-only N` shows what the pool of compile workers adds to NVRTC.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>

#include "bench/sweep/bare_compile.hpp"
#include "bench/sweep/tuner_run.hpp"
#include "config/kernel_file.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/model/error.hpp"

namespace {

using namespace tuner;
using namespace bench::sweep;

struct Options {
  std::string tuner = "build/release/bin/tuner";
  std::string folder = "bench/sweep";
  std::string architecture = "sm_90";
  std::string device = "cuda:0";
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  int rounds = 3;
  std::size_t compile_only = 0;
  std::vector<std::string> questions = {"tiled", "gemm512", "gemm2048"};
};

struct Question {
  std::string name;
  std::string spec;  ///< in Options::folder
  std::int64_t size;
  bool repeated;  ///< short enough that the machine's mood shows: the median of several rounds
};

const std::vector<Question>& questions() {
  static const std::vector<Question> all = {
      {"tiled", "tiled/tiled.toml", 4096, true},
      {"gemm512", "gemm/gemm.toml", 512, false},
      {"gemm2048", "gemm/gemm.toml", 2048, false},
  };
  return all;
}

model::DeviceInfo device_of(const Options& options) {
  const auto device = device::cuda::known_device(options.architecture);
  if (!device) throw std::runtime_error("unknown architecture " + options.architecture);
  return *device;
}

std::vector<model::CompileJob> compilations(const Options& options, const Question& question,
                                            std::size_t most) {
  const config::LoadedKernels loaded = config::load_kernel_file(options.folder + "/" + question.spec);
  if (loaded.kernels.size() != 1)
    throw std::runtime_error(question.spec + ": not readable; is --bench right?");
  const space::KernelSpace kernel(loaded.kernels.front());
  const model::Problem problem = space::make_problem(kernel.spec(), {question.size}, std::nullopt, 0);
  return jobs_of(kernel, problem, device_of(options), most);
}

TunerRun median_run(const Options& options, const Question& question) {
  std::vector<TunerRun> runs;
  for (int i = 0; i < (question.repeated ? options.rounds : 1); ++i) {
    runs.push_back(run_tuner(options.tuner, options.folder + "/" + question.spec,
                             std::to_string(question.size),
                             {"--device", options.device, "--compile-jobs", std::to_string(options.threads),
                              "--ceilings", "off"}));
  }
  const auto faster = [](const TunerRun& a, const TunerRun& b) { return a.seconds < b.seconds; };
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end(), faster);
  return *middle;
}

void print_peers(const Question& question, const TunerRun& run) {
  if (question.name == "tiled") {
    fmt::print(
        "          KTT 2.2 took 10.2 s: {:.1f} times as long; Kernel Tuner 1.4 10.7 s (without "
        "verification): {:.1f} times; bar 2.5 s: {}\n",
        10.2 / run.seconds, 10.7 / run.seconds, run.seconds <= 2.5 ? "met" : "MISSED");
  } else if (question.name == "gemm2048") {
    const double rate = run.trials / run.seconds;
    fmt::print(
        "          KTT 2.2 did 35 a second in CLTune's space: {:.1f} times that; bar 150 a second: {}\n",
        rate / 35, rate >= 150 ? "met" : "MISSED");
  }
}

void answer(const Options& options, const Question& question) {
  const auto jobs = compilations(options, question, std::numeric_limits<std::size_t>::max());
  const double compile = bare_seconds(jobs, options.threads);
  const TunerRun run = median_run(options, question);
  const double limit = std::max(compile, run.launches_seconds);
  fmt::print("{:<9} {:>6} {:>6} {:>6} {:>9.2f} {:>9.1f} {:>9.2f} {:>9.2f}  {:<7} {:>5.2f}\n", question.name,
             run.trials, run.ok, run.failed, run.seconds, run.trials / run.seconds, compile,
             run.launches_seconds, compile > run.launches_seconds ? "compile" : "GPU", limit / run.seconds);
  if (!run.where_time_went.empty()) fmt::print("          {}\n", run.where_time_went);
  if (!run.best.empty()) fmt::print("          best: {}\n", run.best);
  if (run.unexpected > 0) fmt::print("          {} FAILED otherwise than unlaunchable\n", run.unexpected);
  print_peers(question, run);
  if (!question.repeated)
    fmt::print("          bar 0.85 of the limit: {}\n", limit / run.seconds >= 0.85 ? "met" : "MISSED");
  std::fflush(stdout);
}

void compile_only(const Options& options) {
  fmt::print("{:<9} {:>6} {:>8} {:>8} {:>6}   on {} threads or processes\n", "sweep", "jobs", "bare /s",
             "pool /s", "ratio", options.threads);
  for (const Question& question : questions()) {
    if (question.name == "gemm512") continue;  // the same binaries as gemm2048
    const auto jobs = compilations(options, question, options.compile_only);
    const double bare = bare_seconds(jobs, options.threads);
    const double pool = pool_seconds(jobs, options.threads, options.tuner);
    const auto count = static_cast<double>(jobs.size());
    fmt::print("{:<9} {:>6} {:>8.1f} {:>8.1f} {:>6.2f}\n", question.name, jobs.size(), count / bare,
               count / pool, bare / pool);
  }
}

void run(const Options& options) {
  if (options.compile_only > 0) return compile_only(options);
  fmt::print("{:<9} {:>6} {:>6} {:>6} {:>9} {:>9} {:>9} {:>9}  {:<7} {:>5}\n", "sweep", "trials", "timed",
             "failed", "seconds", "a second", "compile s", "GPU s", "limit", "ratio");
  for (const Question& question : questions()) {
    const auto& asked = options.questions;
    if (std::find(asked.begin(), asked.end(), question.name) != asked.end()) answer(options, question);
  }
}

}  // namespace

int main(int argc, char** argv) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);  // NVRTC's own cache, here and in the tuner
  Options options;
  CLI::App app{"Times whole sweeps against what binds them."};
  app.add_option("--tuner", options.tuner, "the program")->capture_default_str();
  app.add_option("--bench", options.folder, "where the specs are")->capture_default_str();
  app.add_option("--arch", options.architecture, "of the GPU")->capture_default_str();
  app.add_option("--device", options.device, "as tuner takes it")->capture_default_str();
  app.add_option("--threads", options.threads, "compilers at a time")->capture_default_str();
  app.add_option("--rounds", options.rounds, "of the short sweep")->capture_default_str();
  app.add_option("--compile-only", options.compile_only, "without a GPU: so many jobs of each sweep");
  app.add_option("questions", options.questions, "tiled, gemm512, gemm2048")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
    return 0;
  } catch (const model::Error& error) {
    fmt::print(stderr, "bench_sweep: {}\n{}\n", error.what(), error.hint());
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_sweep: {}\n", error.what());
  }
  return 1;
}
