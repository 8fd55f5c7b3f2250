#include "tests/reports/sample.hpp"

#include <sstream>

namespace tests {

using model::TrialStatus;

model::Environment sample_environment() {
  return {"Sample GPU", "570.1", "nvrtc 13.0", model::ElementType::float32, "warm", "standard-1", "spec"};
}

model::Problem cube(std::int64_t size) {
  return {"matmul", {{"M", size}, {"N", size}, {"K", size}}, model::ElementType::float32, 0};
}

model::TrialRecord measured(const std::string& kernel, std::vector<model::Assignment> configuration,
                            const model::Problem& problem, double ns) {
  model::TrialRecord trial;
  trial.kernel = kernel;
  trial.configuration = model::Configuration(std::move(configuration));
  trial.problem = problem;
  trial.environment = sample_environment();
  trial.key = model::DigestBuilder().add(kernel).add(trial.configuration.text()).add(problem.text()).finish();
  trial.grid = {32, 32, 1};
  trial.block = {32, 8, 1};
  trial.resources = model::KernelResources{kernel, kernel, 40, 0, 0, 0, 8192, 0, 0};
  trial.occupancy = model::Occupancy{6, 48, 0.75, {"registers"}};
  trial.compile_ms = 150;
  model::Measurement m;
  m.median_ns = ns;
  m.low_ns = ns * 0.995;
  m.high_ns = ns * 1.005;
  m.min_ns = ns * 0.99;
  m.samples_ns = {ns, ns * 1.005, ns * 0.995};
  trial.outcome.measurement = m;
  trial.outcome.verification = {true, 0.25, 3, 0, -1, "C"};
  double flops = 2;
  for (const model::Dimension& d : problem.sizes) flops *= static_cast<double>(d.value);
  trial.metrics["GFLOP/s"] = flops / ns;
  trial.workload.operations = flops;
  trial.measured_at = "2026-01-02T03:04:05Z";
  trial.run = sample_run().id;
  return trial;
}

model::TrialRecord failed(const std::string& kernel, std::vector<model::Assignment> configuration,
                          const model::Problem& problem, TrialStatus status, const std::string& detail) {
  model::TrialRecord trial = measured(kernel, std::move(configuration), problem, 1);
  trial.outcome = {};
  trial.outcome.status = status;
  if (status == TrialStatus::compile_error) {
    trial.compile_log = detail;
  } else {
    trial.outcome.detail = detail;
  }
  trial.metrics.clear();
  trial.resources.reset();
  trial.occupancy.reset();
  return trial;
}

std::vector<model::TrialRecord> sample_trials() {
  const auto simple = [](std::int64_t block) {
    return std::vector<model::Assignment>{{"BLOCK_SIZE", block}};
  };
  const auto tiled = [](std::int64_t block, std::int64_t elements) {
    return std::vector<model::Assignment>{{"BLOCK_SIZE", block}, {"ELEMENTS_PER_THREAD", elements}};
  };
  std::vector<model::TrialRecord> trials = {
      measured("naive", simple(8), cube(256), 14'200),
      measured("naive", simple(16), cube(256), 11'900),
      measured("naive", simple(8), cube(512), 78'000),
      measured("naive", simple(16), cube(512), 66'500),
      measured("naive", simple(8), cube(1024), 612'000),
      measured("naive", simple(16), cube(1024), 405'000),
      measured("tiled", tiled(16, 1), cube(256), 9'800),
      measured("tiled", tiled(32, 4), cube(256), 8'100),
      measured("tiled", tiled(16, 1), cube(512), 44'000),
      measured("tiled", tiled(32, 4), cube(512), 20'100),
      measured("tiled", tiled(32, 8), cube(512), 20'000),
      measured("tiled", tiled(16, 1), cube(1024), 330'000),
      measured("tiled", tiled(32, 4), cube(1024), 121'000),
      measured("tiled", tiled(32, 8), cube(1024), 112'000),
      failed("naive", simple(32), cube(512), TrialStatus::wrong_result, "C[17] is 3.5, expected 4 ± 1e-05"),
      failed("tiled", tiled(64, 8), cube(512), TrialStatus::unlaunchable,
             "65536 bytes of shared memory, limit 49152"),
      failed("tiled", tiled(64, 8), cube(1024), TrialStatus::unlaunchable,
             "65536 bytes of shared memory, limit 49152"),
      failed("tiled", tiled(64, 1), cube(1024), TrialStatus::compile_error,
             "tiled.cu(12): error: static assertion failed\ntiled.cu(14): error: too much\n2 errors\n"),
  };
  trials[0].outcome.measurement->includes_launch_latency = true;
  trials[0].is_default = trials[2].is_default = trials[4].is_default = true;
  trials[6].is_default = trials[8].is_default = trials[11].is_default = true;
  trials[4].outcome.status = TrialStatus::dropped;
  return trials;
}

model::FinalRecord sample_final() {
  const auto key = [](std::int64_t block, std::int64_t elements) {
    return measured("tiled", {{"BLOCK_SIZE", block}, {"ELEMENTS_PER_THREAD", elements}}, cube(512), 1).key;
  };
  model::FinalRecord final;
  final.problem = cube(512);
  final.environment = sample_environment();
  final.entries = {{key(32, 8), 1, 1, 1, true},
                   {key(32, 4), 1.002, 0.999, 1.006, true},
                   {key(16, 1), 2.2, 2.19, 2.21, false}};
  final.chosen = key(32, 4);
  final.rounds = 60;
  final.throttled_rounds = 2;
  final.run = sample_run().id;
  final.measured_at = "2026-01-02T03:04:30Z";
  return final;
}

std::vector<model::Ceiling> sample_ceilings() {
  const std::string when = "2026-01-02T03:00:01Z";
  return {{"Sample GPU", "arithmetic", model::ElementType::float32, 60e12, "GFLOP/s", {}, when},
          {"Sample GPU", "arithmetic", model::ElementType::float64, 30e12, "GFLOP/s", {}, when},
          {"Sample GPU", "launch", model::ElementType::float32, 2.1e-6, "µs", {}, when},
          {"Sample GPU", "memory", model::ElementType::float32, 4e12, "GB/s", {}, when}};
}

model::RunRecord sample_run() {
  model::RunRecord run;
  run.id = model::DigestBuilder().add("sample run").finish();
  run.command_line = "tuner run --sizes 256..1024 --device cuda:0";
  run.started_at = "2026-01-02T03:00:00Z";
  run.ended_at = "2026-01-02T03:05:00Z";
  run.state = "done";
  run.version = "0.1.0";
  run.seed = 42;
  run.device.id = "cuda:0";
  run.device.kind = "cuda";
  run.device.name = "Sample GPU";
  run.device.architecture = "sm_90";
  run.device.driver = "570.1";
  run.device.memory_bytes = std::int64_t{80} << 30;
  run.device.limits.multiprocessors = 132;
  run.toolkit = "nvrtc 13.0";
  run.measured = 18;
  return run;
}

reports::ReportInput sample_input() {
  reports::ReportInput input;
  input.title = "Sample sweep";
  input.command = "tuner report";
  input.generated_at = "2026-01-02T03:06:00Z";
  input.runs = {sample_run()};
  input.trials = sample_trials();
  input.answers = answers_of(input.trials);
  input.ceilings = sample_ceilings();
  return input;
}

std::string written(void (*write)(const reports::ReportInput&, std::ostream&),
                    const reports::ReportInput& input) {
  std::ostringstream out;
  write(input, out);
  return out.str();
}

}  // namespace tests
