#include "tests/sweep/scripted_sweep.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scripted_runner.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/worker/device_lock.hpp"
#include "tuner/worker/remote_workers.hpp"

namespace tuner::test {
namespace {

constexpr int compilers = 2;

class Notices final : public sweep::Observer {
 public:
  std::vector<std::string> notices;

  void planned(std::int64_t, std::int64_t, bool) override {}
  void launching(const model::TrialRecord&) override {}
  void finished(const model::TrialRecord&) override {}
  void left_out(const model::TrialRecord&) override {}
  void final_begins(const model::Problem&, std::size_t) override {}
  void notice(const std::string& text) override { notices.push_back(text); }
};

std::vector<sweep::Work> work_of(const std::vector<std::filesystem::path>& specs,
                                 const std::vector<std::int64_t>& sizes) {
  std::vector<sweep::Work> work;
  for (const model::KernelSpec& kernel : scripted_kernels(specs)) {
    std::vector<model::Problem> problems;
    for (const std::int64_t size : sizes)
      problems.push_back(space::make_problem(kernel, {size}, std::nullopt, 0));
    work.push_back({space::KernelSpace(kernel), std::move(problems)});
  }
  return work;
}

sweep::Request request_of(const ScriptedSweep& scripted) {
  sweep::Request request;
  request.work = work_of(scripted.specs, scripted.sizes);
  request.rivals = work_of(scripted.rivals, scripted.sizes);
  request.retry_failed = scripted.retry_failed;
  request.recorded_device = scripted.recorded_device;
  request.device = scripted_device();
  request.device.name = scripted.device;
  request.device.uuid = scripted.uuid;
  request.compiler = ScriptedCompiler().name();
  request.policy.samples = 5;
  request.policy.time_limit_ns = 1e8;
  request.policy.final.within = scripted.within;
  request.seed = scripted.seed;
  request.run.id = model::Digest::random();
  request.run.state = "running";
  request.run.seed = scripted.seed;
  request.run.device = request.device;
  request.run.toolkit = request.compiler;
  return request;
}

compile::CompilePool::Factory compilers_of(const ScriptedSweep& scripted, const std::string& name) {
  worker::RemoteCompilerSettings settings;
  settings.deadline = scripted.deadline;
  settings.name = name;
  std::shared_ptr<compile::BinaryCache> cache;
  if (!scripted.cache.empty()) cache = std::make_shared<compile::BinaryCache>(scripted.cache);
  return [settings, cache]() -> std::unique_ptr<compile::Compiler> {
    auto remote = std::make_unique<worker::RemoteCompiler>(
        worker::ChildCommand{{"compile"}, TUNER_WORKER_CHILD}, settings);
    if (!cache) return remote;
    return std::make_unique<compile::CachingCompiler>(std::move(remote), cache);
  };
}

worker::RemoteRunner runner_of(const ScriptedSweep& scripted) {
  worker::RemoteRunnerSettings settings;
  settings.run_deadline = scripted.deadline;
  settings.device = scripted_device();  // what every child says it has
  return worker::RemoteRunner({{"measure"}, TUNER_WORKER_CHILD}, settings);
}

sweep::LaunchOracle oracle_of(const model::DeviceInfo& device) {
  sweep::LaunchOracle oracle;
  oracle.why_unlaunchable = [device](const model::KernelResources& resources, const model::Step& step) {
    return device::cuda::why_unlaunchable(device.limits, resources, step.grid, step.block,
                                          step.dynamic_shared_bytes);
  };
  return oracle;
}

double seconds_now() {
  return std::chrono::duration<double>(worker::Clock::now().time_since_epoch()).count();
}

constexpr const char* spec_text = R"spec([kernel]
name = "{entry}"
family = "scripted"
source = "scripted.cu"
entry = "{entry}"
sizes = ["N"]

[parameters]
VARIANT = [{values}]

[launch]
block = [128]
grid = ["ceil_div(N, 128 * VARIANT)"]

[[arguments]]
name = "x"
type = "float*"
access = "out"
extent = ["N"]

[verify]
reference = "reference.cu"
rounding_terms = "1"

[verify.launch]
entry = "scripted_reference"
block = [128]
grid = ["ceil_div(N, 128)"]
arguments = ["x.expected", "x.magnitude"]

[metrics]
"elements/ns" = "1.0 * N / time_ns"
)spec";

}  // namespace

std::vector<model::KernelSpec> scripted_kernels(const std::vector<std::filesystem::path>& specs) {
  config::LoadedKernels loaded;
  for (const std::filesystem::path& path : specs) {
    loaded.add(std::filesystem::is_directory(path) ? config::load_kernel_folder(path)
                                                   : config::load_kernel_file(path));
  }
  if (!loaded.mistakes.empty()) {
    throw model::UsageError(config::diagnostics_text(loaded.mistakes, loaded.texts));
  }
  return loaded.kernels;
}

ScriptedSummary run_scripted_sweep(const ScriptedSweep& scripted) {
  const sweep::Request request = request_of(scripted);
  std::optional<worker::DeviceLock> lock;
  if (!scripted.cache.empty()) {
    std::filesystem::create_directories(scripted.cache);
    lock.emplace(request.device, scripted.cache);
  }
  db::ResultStore store(scripted.database);
  const sweep::TrialList list = sweep::list_trials(request, store);
  worker::RemoteRunner runner = runner_of(scripted);
  compile::CompilePool pool(compilers, compilers_of(scripted, request.compiler));
  Notices observer;
  const std::atomic<bool> stop{false};
  sweep::Services services{pool,        {&runner}, store, store, observer, oracle_of(request.device),
                           seconds_now, stop};
  return {sweep::sweep(request, list, services), std::move(observer.notices)};
}

void write_scripted_spec(const std::filesystem::path& folder, const std::string& entry, int configurations) {
  std::string values;
  for (int i = 1; i <= configurations; ++i) values += fmt::format("{}{}", i > 1 ? ", " : "", i);
  std::string text = spec_text;
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"{entry}", entry}, {"{values}", values}}) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, from.size(), to);
  }
  write_text(folder / (entry + ".toml"), text);
  write_text(folder / "scripted.cu", "// What a scripted compiler is given is never read.\n");
  write_text(folder / "reference.cu", "// Nor is this.\n");
}

std::map<model::Digest, ScriptedResult> results_in(const std::filesystem::path& database) {
  const db::Connection connection = db::open_for_reading(database);
  std::map<model::Digest, ScriptedResult> results;
  db::for_each_trial(connection, {}, {.samples = true}, [&](db::StoredTrial&& stored) {
    const model::TrialRecord& trial = stored.trial;
    ScriptedResult& result = results[trial.key];
    result.what = trial.kernel + " " + trial.configuration.text();
    result.status = model::to_string(trial.outcome.status);
    result.detail = trial.outcome.detail;
    if (trial.outcome.measurement) result.samples_ns = trial.outcome.measurement->samples_ns;
    result.metrics = trial.metrics;
  });
  return results;
}

}  // namespace tuner::test
