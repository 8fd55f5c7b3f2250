#include "tuner/cli/outlined_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/recorded_space_replay.hpp"
#include "tuner/cli/rivals.hpp"
#include "tuner/cli/sweep_display.hpp"
#include "tuner/cli/worker.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/compile/nvcc/nvcc_compiler.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

std::vector<model::Problem> problems_of(const model::KernelSpec& kernel, const config::Settings& settings) {
  std::vector<model::Problem> problems;
  for (const std::int64_t padding : settings.paddings()) {
    for (const auto& sizes : settings.sizes()) {
      problems.push_back(space::make_problem(kernel, sizes, settings.type(), padding));
    }
  }
  return problems;
}

}  // namespace

std::vector<sweep::Work> make_work(const std::vector<model::KernelSpec>& kernels,
                                   const config::Settings& settings, std::vector<std::string>& notices) {
  std::vector<sweep::Work> work;
  std::optional<model::UsageError> first;
  for (const model::KernelSpec& kernel : kernels) {
    try {
      work.push_back({space::KernelSpace(kernel), problems_of(kernel, settings)});
    } catch (const model::UsageError& error) {
      if (!first) first = error;
      notices.push_back(fmt::format("left out: {}", error.what()));
    }
  }
  if (work.empty() && first) throw *first;
  return work;
}

namespace {

template <typename Item>
bool has(const std::vector<Item>& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

/// What the swept kernels of its family are tuned for, as far as the baseline offers the type.
std::vector<model::Problem> problems_of(const model::KernelSpec& baseline,
                                        const std::vector<sweep::Work>& swept) {
  std::vector<model::Problem> problems;
  for (const sweep::Work& work : swept) {
    if (work.kernel.spec().family != baseline.family) continue;
    for (const model::Problem& problem : work.problems) {
      if (has(baseline.types, problem.type) && !has(problems, problem)) problems.push_back(problem);
    }
  }
  return problems;
}

std::vector<sweep::Work> find_baselines(const std::vector<model::KernelSpec>& kernels,
                                        const model::DeviceInfo& device,
                                        const std::vector<sweep::Work>& swept) {
  std::set<std::pair<std::string, std::string>> taken;  // family and name
  for (const model::KernelSpec& kernel : kernels) taken.emplace(kernel.family, kernel.name);
  std::vector<sweep::Work> found;
  for (const model::KernelSpec& kernel : kernels) {
    for (model::KernelSpec& baseline : space::baselines(kernel)) {
      if (!model::runs_on(baseline.device_kinds, device.kind)) continue;
      std::vector<model::Problem> problems = problems_of(baseline, swept);
      if (problems.empty() || !taken.emplace(baseline.family, baseline.name).second) continue;
      found.push_back({space::KernelSpace(std::move(baseline)), std::move(problems)});
    }
  }
  return found;
}

}  // namespace

void add_baselines(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                   std::vector<sweep::Work>& work, std::vector<std::string>& notices) {
  std::vector<sweep::Work> found = find_baselines(kernels, device, work);
  if (found.empty()) return;
  try {
    const compile::host::HostCompiler compiler;
  } catch (const model::Error& error) {
    notices.push_back(fmt::format("nothing is held against libraries: {}", error.what()));
    return;
  }
  std::vector<std::string> names;
  for (const sweep::Work& baseline : found) names.push_back(baseline.kernel.spec().name);
  notices.push_back(fmt::format("held against {}, a trial each at every size (--baselines off: not)",
                                fmt::join(names, " and ")));
  std::move(found.begin(), found.end(), std::back_inserter(work));
}

void require_nvcc(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                  const std::string& compiler) {
  if (!model::device_kind(device.kind).has_nvcc) return;
  const bool any = std::any_of(kernels.begin(), kernels.end(),
                               [](const model::KernelSpec& kernel) { return kernel.by_nvcc; });
  if (any) compile::nvcc::NvccCompiler(compile::nvcc::release_of(compiler));
}

namespace {

Backend absent_gpu(const config::Settings& settings, model::DeviceInfo device) {
  const std::string kind(model::device_kind(device.kind).compiler);
  auto compiler = std::make_unique<worker::RemoteCompiler>(compile_worker(kind), compiler_settings(settings));
  Backend backend;
  backend.device = std::move(device);
  backend.compiler = compiler->name();
  backend.compile_jobs = compile_jobs(settings);
  backend.make_compiler = remote_compilers(settings, kind, backend.compiler, std::move(compiler));
  backend.oracle = launch_oracle(backend.device);
  return backend;
}

Backend open_outlined(const config::Settings& settings, const OutlineOptions& options,
                      const db::Connection& known) {
  if (!options.gpu.empty()) return absent_gpu(settings, named_gpu(options.gpu, known));
  try {
    return open_backend(settings);
  } catch (const model::Error& error) {
    if (error.code() != model::ExitCode::no_device) throw;
    throw model::Error(error.what(), "name a GPU that need not be here: --gpu 'NVIDIA H200', --gpu sm_90",
                       model::ExitCode::no_device);
  }
}

}  // namespace

model::DeviceInfo named_gpu(const std::string& name, const db::Connection& known) {
  std::optional<model::DeviceInfo> found;
  std::set<std::string> names;
  for (const model::DeviceInfo& device : db::devices(known)) {
    if (!model::device_kind(device.kind).is_gpu ||
        util::lower(device.name).find(util::lower(name)) == std::string::npos)
      continue;
    names.insert(device.name);
    found = device;  // of several drivers the last
  }
  if (names.size() > 1) {
    throw model::UsageError(
        fmt::format("several GPUs have '{}' in their name: {}", name, fmt::join(names, ", ")),
        "give more of the name");
  }
  if (found) return *found;
  if (auto flagship = device::cuda::known_device(name)) return *flagship;
  throw model::UsageError(
      fmt::format("no GPU that the database knows has '{}' in its name", name),
      fmt::format("or give an architecture: {}", fmt::join(device::cuda::known_architectures(), ", ")));
}

db::ResultStore known_results(const config::Settings& settings) {
  const std::filesystem::path path = settings.database();
  if (!std::filesystem::exists(path)) return db::ResultStore(db::open_in_memory());
  return db::ResultStore(db::open_for_reading(path));
}

OutlinedSweep outline_sweep(const config::Settings& settings, const OutlineOptions& options,
                            db::ResultStore& known, terminal::LinePrinter& printer,
                            const std::atomic<bool>& stop) {
  OutlinedSweep out;
  sweep::Request& request = out.request;
  const auto recorded = recorded_space(settings);
  if (recorded && options.kernels.empty()) {
    request.work.push_back(recorded_work(*recorded));
    request.rivals = find_rivals(KernelCatalog(request.work.front().kernel.spec()), known);
    out.backend = open_recorded_backend(recorded, settings.text("device"));
  } else {
    const auto selection = options.kernels.empty() ? std::vector{settings.text("kernels")} : options.kernels;
    const KernelCatalog catalog = KernelCatalog::load(selection);
    request.work = make_work(catalog.selected(), settings, out.notices);
    request.rivals = find_rivals(catalog, known);
    out.backend = recorded ? open_recorded_backend(recorded, settings.text("device"))
                           : open_outlined(settings, options, known.connection());
    require_nvcc(catalog.selected(), out.backend.device, out.backend.compiler);
    if (settings.text("baselines") == "on")
      add_baselines(catalog.all(), out.backend.device, request.work, out.notices);
  }
  out.compiler_kind = model::device_kind(out.backend.device.kind).compiler;
  request.device = out.backend.device;
  request.compiler = out.backend.compiler;
  request.policy = measure::policy(settings.text("measure"), settings.text("l2") == "cold");
  request.strategy = settings.text("strategy");
  request.until = settings.until();
  request.shard = options.shard;
  request.fresh = options.fresh;
  request.retry_failed = options.retry_failed;
  request.recorded_device = out.backend.recorded_device;
  std::optional<double> seconds;
  if (const auto time = settings.budget().time.count(); time > 0) seconds = static_cast<double>(time);
  const LongLook look(printer, "counting configurations", seconds, stop);
  out.list = sweep::list_trials(request, known, look.go_on());
  return out;
}

void add_outline_flags(Command<OutlineOptions>& command) {
  add_sweep_flags(command);
  command.option("--gpu", command.options().gpu, "NAME|sm_XX",
                 "a GPU that need not be here: part of the name of one in the database, or an architecture, "
                 "with the limits of its largest GPU");
}

}  // namespace tuner::cli
