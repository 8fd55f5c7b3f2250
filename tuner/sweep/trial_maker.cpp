#include "tuner/sweep/trial_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/device.hpp"
#include "tuner/space/space.hpp"
#include "tuner/util/processors.hpp"

namespace tuner::sweep {
namespace {

/// What a probe may take on any device, however small the problem in hand.
constexpr std::int64_t small_bytes = std::int64_t{64} << 20U;

using model::TrialStatus;

const model::Step* first_launch(const model::Plan& plan) {
  const auto launch = std::find_if(plan.steps.begin(), plan.steps.end(), [](const model::Step& step) {
    return step.kind == model::Step::Kind::launch;
  });
  return launch == plan.steps.end() ? nullptr : &*launch;
}

/// The reason why the spec keeps the kernel off this kind of device, if it does.
std::optional<std::string> excluded_device(const model::KernelSpec& spec, const model::DeviceInfo& device) {
  const auto& kinds = spec.device_kinds;
  if (!model::device_kind(device.kind).obeys_specs || model::runs_on(kinds, device.kind)) return std::nullopt;
  for (const model::ArgumentSpec& argument : spec.arguments) {
    if (!argument.is_view()) continue;
    return fmt::format("`{}` is a {}; devices [{}] have them, this one is {}", argument.name,
                       argument.view_name(), fmt::join(kinds, ", "), device.kind);
  }
  return fmt::format("the spec names devices [{}], this one is {}", fmt::join(kinds, ", "), device.kind);
}

model::Configuration told_macros(const model::KernelSpec& spec, const model::CompileJob& job) {
  std::vector<model::Assignment> told;
  for (const model::Macro& macro : job.macros) {
    const auto is_it = [&](const auto& one) { return one.name == macro.name; };
    const auto parameter = std::find_if(spec.parameters.begin(), spec.parameters.end(), is_it);
    const bool is_spelled = parameter != spec.parameters.end() && parameter->spelled;
    if (is_spelled || std::any_of(spec.macros.begin(), spec.macros.end(), is_it))
      told.push_back({macro.name, model::Value(macro.value)});
  }
  return model::Configuration(std::move(told));
}

void fail(Trial& trial, TrialStatus status, std::string detail) {
  trial.record.outcome.status = status;
  trial.record.outcome.detail = std::move(detail);
}

}  // namespace

TrialMaker::TrialMaker(const Request& request, const Work& work, const model::Problem& problem)
    : m_request(request),
      m_work(work),
      m_problem(problem),
      m_comparison(environment(request, problem.type)),
      m_reference(work.kernel.reference_job(problem, request.device.architecture, request.compiler)) {
  if (m_reference) m_reference_key = m_reference->key();
}

model::Digest TrialMaker::key_of(const model::Configuration& configuration, const model::Digest& binary_key,
                                 const model::Plan& plan) const {
  return model::trial_key(m_work.kernel.spec().name, configuration, binary_key, plan, m_reference_key,
                          m_problem, m_comparison);
}

TrialMaker::Identity TrialMaker::identify(const model::Configuration& configuration) const {
  const auto job =
      m_work.kernel.compile_job(m_problem, configuration, m_request.device.architecture, m_request.compiler);
  // A configuration without a plan is identified by what would have been compiled: its rejection follows from
  // that and from the problem.
  auto plan = m_work.kernel.make_plan(m_problem, configuration, m_request.device.limits);
  if (auto* rejection = std::get_if<space::Rejection>(&plan))
    return {key_of(configuration, job.key(), model::Plan{}), std::move(*rejection)};
  return {key_of(configuration, job.key(), std::get<model::Plan>(plan)), std::nullopt};
}

std::vector<TrialMaker::Identity> TrialMaker::identify(const space::ConfigurationList& list) const {
  std::vector<Identity> identities(list.size());
  util::for_each_index(list.size(), worth_a_thread,
                       [&](std::size_t i) { identities[i] = identify(list[i]); });
  return identities;
}

Trial TrialMaker::make(const model::Configuration& configuration) const {
  Trial trial;
  trial.job =
      m_work.kernel.compile_job(m_problem, configuration, m_request.device.architecture, m_request.compiler);
  trial.reference = m_reference;
  trial.reference_key = m_reference_key;
  auto plan = m_work.kernel.make_plan(m_problem, configuration, m_request.device.limits);
  auto* rejection = std::get_if<space::Rejection>(&plan);
  if (!rejection) trial.plan = std::get<model::Plan>(std::move(plan));
  trial.preparation_key = model::DigestBuilder()
                              .add(model::preparation_key(trial.plan, m_reference_key))
                              .add(model::judgement_key(trial.plan))
                              .finish();

  model::TrialRecord& record = trial.record;
  record.binary_key = trial.job.key();
  record.key = key_of(configuration, record.binary_key, trial.plan);
  record.kernel = m_work.kernel.spec().name;
  record.role = m_work.kernel.spec().role;
  record.configuration = configuration;
  record.macros = told_macros(m_work.kernel.spec(), trial.job);
  record.problem = m_problem;
  record.environment = m_comparison;
  record.is_default = m_work.kernel.is_default(configuration);
  record.run = m_request.run.id;
  record.definition = m_work.kernel.definition();
  record.workload = m_work.kernel.workload(m_problem);
  if (const model::Step* launch = first_launch(trial.plan)) {
    record.grid = launch->grid;
    record.block = launch->block;
    record.dynamic_shared_bytes = launch->dynamic_shared_bytes;
  } else if (rejection) {
    record.grid = rejection->grid;
    record.block = rejection->block;
  }
  if (auto reason = excluded_device(m_work.kernel.spec(), m_request.device)) {
    fail(trial, TrialStatus::skipped, std::move(*reason));
  } else if (rejection) {
    fail(trial, rejection->status, std::move(rejection->reason));
  }
  return trial;
}

std::vector<model::Plan> TrialMaker::probes(const Trial& trial) const {
  const model::Configuration& configuration = trial.record.configuration;
  const model::DeviceInfo& device = m_request.device;
  std::vector<model::Plan> probes;
  for (const model::Problem& problem : space::probe_problems(m_work.kernel.spec(), m_problem)) {
    if (!m_work.kernel.allows(problem, configuration, device.limits)) continue;
    const auto job =
        m_work.kernel.compile_job(problem, configuration, device.architecture, m_request.compiler);
    if (job.key() != trial.record.binary_key) continue;
    if (job.host_library) return {};  // a library chooses by size: one says nothing of another
    auto plan = m_work.kernel.make_plan(problem, configuration, device.limits);
    auto* concrete = std::get_if<model::Plan>(&plan);
    // A kernel with one size may need the square of it: such a probe is not small.
    const std::int64_t most_bytes = std::max(trial.plan.device_bytes(), small_bytes);
    if (concrete != nullptr && concrete->device_bytes() <= most_bytes) probes.push_back(std::move(*concrete));
  }
  return probes;
}

void TrialMaker::add_outcome(Trial& trial, model::TrialOutcome outcome) const {
  trial.record.outcome = std::move(outcome);
  if (const auto& measurement = trial.record.outcome.measurement) {
    trial.record.metrics =
        m_work.kernel.metrics(m_problem, trial.record.configuration, measurement->median_ns);
  }
}

void add_compilation(Trial& trial, const model::Compilation& compilation, const LaunchOracle& oracle) {
  model::TrialRecord& record = trial.record;
  record.compile_ms = compilation.compile_ms;
  record.compile_log = compilation.log;
  if (const model::Step* launch = first_launch(trial.plan)) {
    if (const model::KernelResources* resources = compilation.find(launch->entry))
      record.resources = *resources;
  }
  if (compilation.status != TrialStatus::ok) {
    const std::string said(compile::gist(compilation.log));
    fail(trial, compilation.status, said.empty() ? "the compiler said nothing" : said);
    return;
  }
  for (const model::Step& step : trial.plan.steps) {
    const model::KernelResources* resources = compilation.find(step.entry);
    if (step.kind != model::Step::Kind::launch || !resources) continue;
    if (oracle.occupancy && &step == first_launch(trial.plan))
      record.occupancy = oracle.occupancy(*resources, step);
    if (!oracle.why_unlaunchable) continue;
    if (auto reason = oracle.why_unlaunchable(*resources, step)) {
      fail(trial, TrialStatus::unlaunchable, std::move(*reason));
      return;
    }
  }
}

model::Environment environment(const Request& request, model::ElementType type) {
  model::Environment comparison;
  comparison.device = request.device.name;
  comparison.driver = request.device.driver;
  comparison.toolkit = request.compiler;
  comparison.type = type;
  comparison.l2 = request.policy.flush_l2 ? "cold" : "warm";
  comparison.method = request.policy.name;
  comparison.inputs = "spec";
  if (request.policy.execution != model::Execution::graph)
    comparison.execution = model::to_string(request.policy.execution);
  comparison.clock_mhz = request.policy.clock_mhz;
  return comparison;
}

model::PossibleFinal all_competing(const Request& request, const model::Problem& problem,
                                   model::ResultSource& source) {
  return source.possible_final(problem, environment(request, problem.type),
                               std::numeric_limits<double>::infinity(), std::numeric_limits<int>::max());
}

const Work* work_of(const Request& request, const model::TrialRecord& past) {
  for (const auto* list : {&request.work, &request.rivals}) {
    for (const Work& work : *list) {
      const model::KernelSpec& spec = work.kernel.spec();
      if (spec.name == past.kernel && spec.family == past.problem.family) return &work;
    }
  }
  return nullptr;
}

std::optional<Trial> make_again(const Request& request, const Work& work, const model::TrialRecord& past) {
  if (!work.kernel.contains(past.problem, past.configuration, request.device.limits)) return std::nullopt;
  Trial trial = TrialMaker(request, work, past.problem).make(past.configuration);
  if (trial.record.key != past.key || trial.record.outcome.status != model::TrialStatus::ok)
    return std::nullopt;
  trial.record.probe_key = past.probe_key;
  trial.record.origin = past.origin;
  return trial;
}

bool describes(const space::KernelSpace& kernel, const model::PastTrial& trial) {
  if (trial.architecture.empty()) return trial.definition == kernel.definition();
  if (!kernel.contains(trial.problem, trial.configuration, trial.limits)) return false;
  const std::string& compiler = trial.environment.toolkit;
  const auto job = kernel.compile_job(trial.problem, trial.configuration, trial.architecture, compiler);
  const auto reference = kernel.reference_job(trial.problem, trial.architecture, compiler);
  const auto plan = kernel.make_plan(trial.problem, trial.configuration, trial.limits);
  const auto* concrete = std::get_if<model::Plan>(&plan);
  if (concrete == nullptr) return false;
  return model::trial_key(kernel.spec().name, trial.configuration, job.key(), *concrete,
                          reference ? reference->key() : model::Digest{}, trial.problem,
                          trial.environment) == trial.key;
}

}  // namespace tuner::sweep
