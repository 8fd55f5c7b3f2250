#include "tuner/cli/explained.hpp"

#include <algorithm>

#include "db/queries.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/machine_code.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

bool is_gpu(const std::optional<model::DeviceInfo>& device) {
  return device && device->architecture.starts_with("sm_");
}

}  // namespace

Explainer::Explainer(const db::Connection& connection, const config::Settings& settings, std::string spec,
                     bool may_compile)
    : m_connection(connection),
      m_settings(settings),
      m_spec(std::move(spec)),
      m_may_compile(may_compile),
      m_devices(db::devices(connection)) {}

const Explainer::Kernel& Explainer::kernel_of(const model::TrialRecord& trial) {
  const auto [known, is_new] = m_kernels.try_emplace(trial.definition);
  Kernel& kernel = known->second;
  if (!is_new || trial.definition.empty()) return kernel;
  try {
    if (!m_specs) m_specs.emplace(m_connection, m_spec);
    for (model::KernelSpec& spec : m_specs->of(trial)) {
      space::KernelSpace whole(spec);
      if (!is_described(trial, whole, m_devices)) continue;
      for (const model::Expression& constraint : spec.constraints) {
        model::KernelSpec alone = spec;
        alone.constraints = {constraint};
        kernel.constraints.emplace_back(constraint.text, space::KernelSpace(std::move(alone)));
      }
      kernel.whole = std::make_unique<space::KernelSpace>(std::move(whole));
      break;
    }
  } catch (const model::Error&) {  // a spec that is no longer readable says nothing
  }
  return kernel;
}

std::vector<explain::Listed> Explainer::listed(const model::TrialRecord& winner,
                                               const model::DeviceLimits& limits) {
  const Kernel& kernel = kernel_of(winner);
  if (!kernel.whole) return {};
  std::vector<explain::Listed> all;
  const auto& assignments = winner.configuration.assignments();
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const auto& parameters = kernel.whole->spec().parameters;
    const auto parameter = std::ranges::find(parameters, assignments[i].name, &model::ParameterSpec::name);
    if (parameter == parameters.end()) continue;
    explain::Listed one{parameter->name, parameter->values, {}};
    for (const model::Value& value : parameter->values) {
      model::Configuration changed = winner.configuration;
      changed.set(i, value);
      if (kernel.whole->allows(winner.problem, changed, limits)) continue;
      const auto by = std::ranges::find_if(kernel.constraints, [&](const auto& constraint) {
        return !constraint.second.allows(winner.problem, changed, limits);
      });
      if (by != kernel.constraints.end()) one.barred.push_back({value, by->first});
    }
    all.push_back(std::move(one));
  }
  return all;
}

explain::Side Explainer::side_of(const model::TrialRecord& trial, std::string& without) const {
  explain::Side side{trial, {}, {}};
  for (db::StoredCounter& stored : db::counters(m_connection, trial.key))
    side.counters.push_back(std::move(stored.counter));
  try {
    answers::TrialCode code = machine_code(m_settings, m_connection, trial, m_may_compile);
    side.code = std::move(code.kernels[code.first]);
  } catch (const model::Error& error) {
    if (m_may_compile && without.empty()) without = error.what();
  }
  return side;
}

answers::Explanation Explainer::operator()(const db::BestAnswer& answer, const db::Ranking& ranked) {
  explain::Subject subject;
  const model::TrialRecord& winner = answer.winner;
  if (const auto* device = device_named(m_devices, winner.environment.device)) subject.device = *device;
  const model::DeviceLimits limits = subject.device ? subject.device->limits : model::DeviceLimits();
  answers::Explanation explained;
  explained.answer = &answer;
  if (is_gpu(subject.device)) {
    subject.winner = side_of(winner, explained.without);
  } else {
    subject.winner.trial = winner;
    subject.device.reset();  // its launches fill no multiprocessors
  }
  const double base = answers::ratio_of_winner(answer, ranked);
  if (const db::Ranked* const next = answers::runner_up(answer, ranked)) {
    subject.runner_up =
        is_gpu(subject.device) ? side_of(next->trial, explained.without) : explain::Side{next->trial, {}, {}};
    subject.runner_up_ratio = next->ratio / base;
    subject.in_turn = next->in_final;
  }
  for (const db::Ranked& one : ranked)
    if (one.trial.kernel == winner.kernel)
      subject.trials.push_back(
          {one.trial.configuration, one.ratio / base, !model::has_trusted_time(one.trial.outcome.status)});
  subject.listed = listed(winner, limits);
  subject.ceilings = answer.ceilings;
  if (subject.device) {
    subject.occupancy = [device = *subject.device, block = winner.block](
                            const model::KernelResources& resources, std::int64_t dynamic_shared_bytes) {
      return device::cuda::occupancy(device.limits, device.compute_major, device.compute_minor, resources,
                                     block, dynamic_shared_bytes);
    };
  }
  explained.findings = explain::explain(subject);
  return explained;
}

}  // namespace tuner::cli
