#include "tuner/cli/outlined_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/gpu_conditions.hpp"
#include "tuner/cli/sweep_display.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/compile/nvcc/nvcc_compiler.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

std::vector<model::Problem> problems_for(const model::KernelSpec& kernel, const config::Settings& settings,
                                         std::vector<std::string>& notices) {
  std::vector<model::Problem> problems;
  const std::vector<cover::Sizes> all = sizes_for(kernel, settings, notices);
  for (const std::int64_t padding : settings.paddings()) {
    for (const auto& sizes : all) {
      problems.push_back(space::make_problem(kernel, sizes, settings.type(), padding));
    }
  }
  return problems;
}

namespace {

/// Every kernel with every problem that the settings give it. A kernel that does not offer the type, the
/// padding or that many dimensions is left out with a notice; where none is left, the first reason is thrown.
std::vector<sweep::Work> make_work(const std::vector<model::KernelSpec>& kernels,
                                   const config::Settings& settings, std::vector<std::string>& notices) {
  std::vector<sweep::Work> work;
  std::optional<model::UsageError> first;
  for (const model::KernelSpec& kernel : kernels) {
    try {
      work.push_back({space::KernelSpace(kernel), problems_for(kernel, settings, notices)});
    } catch (const model::UsageError& error) {
      if (!first) first = error;
      notices.push_back(fmt::format("left out: {}", error.what()));
    }
  }
  if (work.empty() && first) throw *first;
  return work;
}

/// What the swept kernels of its family are tuned for, as far as the baseline offers the type.
std::vector<model::Problem> problems_of(const model::KernelSpec& baseline,
                                        const std::vector<sweep::Work>& swept) {
  std::vector<model::Problem> problems;
  for (const sweep::Work& work : swept) {
    if (work.kernel.spec().family != baseline.family) continue;
    for (const model::Problem& problem : work.problems) {
      if (std::ranges::count(baseline.types, problem.type) > 0 && std::ranges::count(problems, problem) == 0)
        problems.push_back(problem);
    }
  }
  return problems;
}

[[noreturn]] void refuse_name(const model::KernelSpec& baseline, const char* taken_by,
                              const std::string& place) {
  throw model::UsageError(
      fmt::format("{}: {} of family {} is called \"{}\"", baseline.steps.front().where.text(), taken_by,
                  baseline.family, baseline.name),
      fmt::format("it is at {}; rename one of the two", place));
}

/// A library that two specs name alike is taken once, with the types that are asked of either. Of what is
/// shipped only names that are free are taken. Throws model::UsageError where one name means two things.
std::vector<model::KernelSpec> different_baselines(const std::vector<model::KernelSpec>& kernels,
                                                   const model::DeviceInfo& device,
                                                   const std::vector<sweep::Work>& swept) {
  std::vector<model::KernelSpec> found;
  for (const model::KernelSpec& kernel : kernels) {
    for (model::KernelSpec& baseline : space::baselines(kernel)) {
      if (!model::runs_on(baseline.device_kinds, device.kind)) continue;
      const std::vector<model::Problem> problems = problems_of(baseline, swept);
      if (problems.empty()) continue;
      const auto is_namesake = [&](const model::KernelSpec& other) {
        return other.family == baseline.family && other.name == baseline.name;
      };
      const auto taken = std::ranges::find_if(kernels, is_namesake);
      const auto known = std::ranges::find_if(found, is_namesake);
      if (taken == kernels.end() && known == found.end()) {
        found.push_back(std::move(baseline));
        continue;
      }
      if (baseline.path.starts_with(model::shipped_prefix)) continue;
      if (taken != kernels.end()) refuse_name(baseline, "a kernel", taken->path);
      const model::StepSpec& call = known->steps.front();
      if (known->source != baseline.source || call.arguments != baseline.steps.front().arguments)
        refuse_name(baseline, "another baseline", call.where.text());
      for (const model::Problem& problem : problems)
        if (std::ranges::count(known->types, problem.type) == 0) known->types.push_back(problem.type);
    }
  }
  return found;
}

std::vector<sweep::Work> find_baselines(const std::vector<model::KernelSpec>& kernels,
                                        const model::DeviceInfo& device,
                                        const std::vector<sweep::Work>& swept) {
  std::vector<sweep::Work> found;
  for (model::KernelSpec& baseline : different_baselines(kernels, device, swept)) {
    std::vector<model::Problem> problems = problems_of(baseline, swept);
    found.push_back({space::KernelSpace(std::move(baseline)), std::move(problems)});
  }
  return found;
}

/// Adds to `work` the libraries that specs of its families name, each on the problems of its family. A
/// notice says which they are, or why there are none.
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
  for (const sweep::Work& baseline : found) {
    const std::string& name = baseline.kernel.spec().name;
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  notices.push_back(fmt::format("timed beside {}, one trial at every size (--baselines off: none)",
                                fmt::join(names, " and ")));
  std::move(found.begin(), found.end(), std::back_inserter(work));
}

/// The device with `name` in its name, in any case, that a run in the database was on, else the flagship of
/// the architecture `name` (`sm_90`). Throws model::UsageError where that is none, or several of different
/// names.
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

Backend open_outlined(const Selection& selection, const config::Settings& settings,
                      const OutlineOptions& options, const db::Connection& known) {
  if (selection.recorded == nullptr && !options.gpu.empty())
    return compiling_backend(settings, named_gpu(options.gpu, known));
  try {
    return selection.open(settings);
  } catch (const model::Error& error) {
    if (error.code() != model::ExitCode::no_device) throw;
    throw model::Error(error.what(), "name a GPU that need not be here by its architecture: --gpu sm_90",
                       model::ExitCode::no_device);
  }
}

/// Another tuner's recording brings its kernel along.
void select_recorded_kernel(const Context& context, Selection& selection) {
  sweep::Work work = recorded_work(*selection.recorded);
  for (const char* const name : {"sizes", "type", "pad"}) {
    const auto asked = context.flags.find(name);
    if (asked == context.flags.end()) continue;
    throw model::UsageError(
        fmt::format("--{} {}: the recording is of {}", name, asked->second, work.problems.front().text()),
        fmt::format("leave --{} out, or name a kernel of yours with --kernel", name));
  }
  selection.catalog = KernelCatalog(work.kernel.spec());
  selection.work.push_back(std::move(work));
}

}  // namespace

std::string sweep_settings() {
  return "sizes device type pad strategy seed budget until measure l2 execution objective ceilings baselines "
         "compile_jobs compile_timeout_s run_timeout_s run_timeout_factor prepare_timeout_s";
}

std::string sweep_flags() {
  return sweep_settings() + " publish_every_s report db cache_dir cache_limit_mb";
}

std::uint64_t random_seed() {
  return model::DigestHash{}(model::Digest::random()) % 1'000'000'000;
}

void require_nvcc(const std::vector<model::KernelSpec>& kernels, const model::DeviceInfo& device,
                  const std::string& compiler) {
  if (!model::device_kind(device.kind).has_nvcc) return;
  if (std::ranges::any_of(kernels, &model::KernelSpec::by_nvcc))
    compile::nvcc::NvccCompiler(compile::nvcc::release_of(compiler));
}

Selection select_work(const Context& context, const config::Settings& settings, const SweepOptions& options) {
  Selection selection;
  selection.recorded = recorded_space(settings);
  if (selection.recorded && options.kernels.empty()) {
    select_recorded_kernel(context, selection);
    return selection;
  }
  selection.catalog = KernelCatalog::load(options.kernels.empty() ? settings.kernels() : options.kernels);
  selection.work = make_work(selection.catalog.selected(), settings, selection.notices);
  return selection;
}

Backend Selection::open(const config::Settings& settings) const {
  return recorded ? open_recorded_backend(recorded, settings.text("device")) : open_backend(settings);
}

namespace {

/// How the times of an environment are taken.
std::string taking_text(const model::Environment& one) {
  return fmt::format("{}, L2 {}, --execution {}{}", one.method, one.l2, one.execution_word(),
                     one.clock_mhz > 0 ? ", " + one.clock_text() : "");
}

/// Throws where a recording has no times that are taken as the policy of `request` says: of its kernels that
/// may win, or of any kernel where `request` has no work yet. Each trial would be skipped.
void require_recorded(const sweep::Request& request, const Backend& backend) {
  const model::Environment here = sweep::environment(request, model::ElementType::float32);
  std::set<std::string> takings;
  std::set<std::string> flags;
  for (const auto& [kernel, environments] : backend.recorded_environments) {
    const auto is_it = [&name = kernel](const sweep::Work& work) {
      const model::KernelSpec& spec = work.kernel.spec();
      return spec.name == name && model::may_win(spec.role);
    };
    if (!request.work.empty() && std::ranges::none_of(request.work, is_it)) continue;
    for (const model::Environment& there : environments) {
      if (taking_text(there) == taking_text(here)) return;
      takings.insert(taking_text(there));
      if (const std::string those = taking_flags(there, here); !those.empty()) flags.insert(those);
    }
  }
  if (takings.empty()) return;
  throw model::UsageError(fmt::format("{} has no times of {}; its times are of {}", backend.device.id,
                                      taking_text(here), fmt::join(takings, " and of ")),
                          flags.empty() ? "the tuner of that version replays them"
                                        : fmt::format("replay them with {}", fmt::join(flags, " or ")));
}

/// Throws where no time of the device is as the policy of `request` takes it.
void require_taking(const sweep::Request& request, const Backend& backend) {
  const model::Environment here = sweep::environment(request, model::ElementType::float32);
  if (backend.recorded_space && !here.execution.empty()) {
    throw model::UsageError(
        fmt::format("--execution {}: another tuner took the times of the recording", here.execution),
        "leave --execution out");
  }
  const bool has_streams =
      !backend.recorded_device.empty() || model::device_kind(backend.device.kind).has_streams;
  if (request.policy.execution == model::Execution::stream && !has_streams) {
    throw model::UsageError(
        fmt::format("--execution stream: the device {} has no streams", backend.device.id),
        "each of its launches is a call of the host: --execution eager");
  }
  require_recorded(request, backend);
}

/// Has energy measured where that is asked for and can be had.
void want_energy(const config::Settings& settings, const SweepOptions& options, const Backend& backend,
                 std::vector<std::string>& notices, sweep::Request& request) {
  const auto objective = *model::parse_word<model::Objective>(settings.text("objective"));
  const bool is_wanted = options.energy || objective != model::Objective::time;
  if (!is_wanted) return;
  const std::string flag =
      objective == model::Objective::time ? "--energy" : "--objective " + settings.text("objective");
  if (request.policy.flush_l2) {
    throw model::UsageError(flag + ": with --l2 cold the energy of flushing would be counted too",
                            "energy is that of launches on warm caches: --l2 warm");
  }
  std::string why;
  if (!backend.recorded_device.empty() || backend.recorded_space)
    why = backend.has_recorded_energy ? "" : "the recording has no energy";
  else
    for (const auto& runner : backend.runners)
      if (why.empty()) why = why_no_energy(runner->device());
  if (!why.empty() && objective != model::Objective::time) {
    throw model::Error(fmt::format("{}: {}", flag, why), "--objective time needs no energy",
                       model::ExitCode::no_device);
  }
  if (!why.empty()) return notices.push_back(fmt::format("{}: {}; the sweep goes on without it", flag, why));
  request.policy.energy = true;
  request.policy.objective = objective;
}

}  // namespace

std::vector<int> clocks_of(const SweepOptions& options) {
  const bool names_some = options.clock_mhz == 0 && !options.clock.empty() && options.clock != "list";
  return names_some ? parse_clocks(options.clock) : std::vector<int>{options.clock_mhz};
}

sweep::Request make_request(const config::Settings& settings, const Backend& backend, int clock_mhz) {
  sweep::Request request;
  request.device = backend.device;
  request.compiler = backend.compiler;
  request.policy = measure::policy(settings.text("measure"), settings.text("l2") == "cold",
                                   *model::parse_word<model::Execution>(settings.text("execution")));
  request.policy.clock_mhz = clock_mhz;
  request.strategy = settings.text("strategy");
  request.until = settings.until();
  // These methods measure every time to the end, so every configuration is wanted unless told otherwise.
  const std::string& measure = settings.text("measure");
  if (!request.until && (measure == "complete" || measure == "exhaustive")) request.until = 0;
  request.recorded_device = backend.recorded_device;
  require_taking(request, backend);
  return request;
}

sweep::Request make_request(Selection& selection, const config::Settings& settings,
                            const SweepOptions& options, const Backend& backend, db::ResultStore& source) {
  require_nvcc(selection.catalog.selected(), backend.device, backend.compiler);
  selection.notices.insert(selection.notices.end(), backend.notices.begin(), backend.notices.end());
  std::set<std::string> families;
  for (const model::KernelSpec& kernel : selection.catalog.selected()) families.insert(kernel.family);
  const std::vector<model::KernelSpec> at_hand = selection.catalog.of_families(families);
  if (settings.text("baselines") == "on")
    add_baselines(at_hand, backend.device, selection.work, selection.notices);
  // What is planned is planned for the first clock; the others have as much to do.
  sweep::Request request = make_request(settings, backend, clocks_of(options).front());
  want_energy(settings, options, backend, selection.notices, request);
  request.work = std::move(selection.work);
  require_recorded(request, backend);
  SpecFiles files;
  request.rivals =
      sweep::find_rivals(selection.catalog.selected(), at_hand, source,
                         [&](const model::KernelDeclaration& declared) { return files.find(declared); });
  request.shard = options.shard;
  if (request.shard && request.shard->of > 1) request.policy.final.finalists = 0;
  request.fresh = options.fresh;
  request.retry_failed = options.retry_failed;
  if (!options.resume.empty() && !options.fresh && !options.retry_failed)
    throw model::UsageError("--resume goes with --fresh or --retry-failed",
                            "without these, the same command does only what is missing");
  if (!options.resume.empty())
    request.resumed = db::trials_since(source.connection(), run_named(source.connection(), options.resume));
  return request;
}

void begin_run(const Context& context, const config::Settings& settings, sweep::Request& request) {
  // The inputs are the same in every run, unless one asks for others, so that outputs compare bit by bit.
  request.inputs_seed = settings.seed().value_or(0);
  request.seed = settings.seed().value_or(random_seed());
  const config::Budget budget = settings.budget();
  if (budget.time.count() > 0) request.budget.seconds = static_cast<double>(budget.time.count());
  if (budget.device_time.count() > 0)
    request.budget.device_seconds = static_cast<double>(budget.device_time.count());
  if (budget.trials > 0) request.budget.trials = budget.trials;
  request.run.id = model::Digest::random();
  request.run.command_line = context.command_line();
  // What the run is of: `tuner top` shows the best by it.
  if (request.policy.objective != model::Objective::time && !context.flags.contains("objective"))
    request.run.command_line += " --objective " + settings.text("objective");
  request.run.state = "running";
  request.run.host = util::host_name();
  request.run.version = version();
  request.run.strategy = request.strategy;
  request.run.seed = request.seed;
  request.run.device = request.device;
  request.run.toolkit = request.compiler;
}

static db::ResultStore known_results(const config::Settings& settings) {
  const std::filesystem::path path = settings.database();
  if (!std::filesystem::exists(path)) return db::ResultStore(db::open_in_memory());
  return db::ResultStore(db::open_results(path));
}

OutlinedSweep::OutlinedSweep(const Context& context, const OutlineOptions& options)
    : settings(context.settings()),
      known(known_results(settings)),
      printer(open_terminal(settings), terminal::steady_clock()) {
  Selection selection = select_work(context, settings, options);
  backend = open_outlined(selection, settings, options, known.connection());
  request = make_request(selection, settings, options, backend, known);
  if (!options.same_bits_as.empty()) same_bits_as(known.connection(), options.same_bits_as);  // throws
  notices = std::move(selection.notices);
  std::optional<double> seconds;
  if (const auto time = settings.budget().time.count(); time > 0) seconds = static_cast<double>(time);
  list = sweep::list_trials(request, known,
                            long_look(printer, "counting configurations", seconds, signals.stop()));
  notices.insert(notices.end(), list.notices.begin(), list.notices.end());
  printer.clear();
}

void add_outline_flags(Command<OutlineOptions>& command) {
  add_sweep_flags(command);
  command.option("--gpu", command.options().gpu, "NAME|sm_XX",
                 "a GPU that need not be here: part of the name of one in the database, or an architecture, "
                 "with the limits of its largest GPU");
}

}  // namespace tuner::cli
