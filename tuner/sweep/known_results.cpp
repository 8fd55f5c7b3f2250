#include <algorithm>
#include <set>
#include <unordered_map>

#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/trial_list.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/processors.hpp"

namespace tuner::sweep {
namespace {

using model::TrialStatus;

/// What of a counted list has a result that is still of the same trial.
struct Tried {
  std::size_t configuration = 0;
  model::KnownResult result;
};

std::vector<Tried> tried_of(const Request& request, const Work& work, const model::Problem& problem,
                            const space::ConfigurationList& list, model::ResultSource& source) {
  const model::KernelSpec& spec = work.kernel.spec();
  const auto past = source.tried(problem, environment(request, problem.type), spec.name);
  const space::ConfigurationIndex index(list, spec.parameters);
  const TrialMaker maker(request, work, problem);
  std::vector<std::optional<std::size_t>> places(past.size());
  util::for_each_index(past.size(), worth_a_thread, [&](std::size_t i) {
    const auto place = index.find(past[i].configuration);
    if (place && maker.key(list[*place]) == past[i].result.trial) places[i] = place;
  });
  std::vector<Tried> tried;
  for (std::size_t i = 0; i < past.size(); ++i)
    if (places[i]) tried.push_back({*places[i], past[i].result});
  return tried;
}

/// Whether a result of before is to be had again. A library that was not there may be now, and the spec may
/// name this kind of device since.
bool is_retried(const Request& request, const model::KernelSpec& spec, const model::KnownResult& known) {
  const TrialStatus status = known.status;
  if (model::is_death(status)) return true;
  if (status == TrialStatus::skipped) return model::runs_on(spec.device_kinds, request.device.kind);
  if (!request.retry_failed || request.resumed.contains(known.trial)) return false;
  // What the device's limits refuse they refuse again.
  return model::is_failure(status) && status != TrialStatus::unlaunchable;
}

/// Of a result that came without an energy: whether it may be the best by one.
bool is_energy_wanted(const Request& request, const model::KernelSpec& spec, const Group& group,
                      const model::KnownResult& known) {
  const bool may_tell = request.recorded_device.empty() && tells_energy(spec) && model::may_win(spec.role);
  if (request.policy.objective == model::Objective::time || !may_tell) return false;
  return group.by_energy.bound_ns() == 0 || *known.median_ns <= group.by_energy.bound_ns();
}

/// A result of before as the search takes it; nothing where it is to be had again. What gives other bits than
/// are asked for counts as failed, and what has unknown bits is measured again.
std::optional<search::Result> result_of(const Request& request, const Work& work, const Group& group,
                                        const model::KnownResult& known) {
  const model::KernelSpec& spec = work.kernel.spec();
  if (request.fresh && !request.resumed.contains(known.trial)) return std::nullopt;
  if (is_retried(request, spec, known)) return std::nullopt;
  const bool has_time = known.status == TrialStatus::ok || known.status == TrialStatus::dropped;
  if (request.same_bits && has_time && model::may_win(spec.role)) {
    const auto relation = request.same_bits->relation(group.problem, spec.name, known.output_bits);
    if (relation == model::BitsRelation::other)
      return search::Result{TrialStatus::wrong_result, std::nullopt};
    const bool may_tell = request.recorded_device.empty() && known.status == TrialStatus::ok;
    if (relation == model::BitsRelation::unknown && may_tell) return std::nullopt;
  }
  if (has_time && !known.energy_j && is_energy_wanted(request, spec, group, known)) return std::nullopt;
  return search::Result{known.status, group.by_energy.value_of(known.median_ns, known.energy_j)};
}

void note_known_of_counted(const Request& request, model::ResultSource& source, Group& group) {
  for (std::size_t kernel = 0; kernel < group.lists.size(); ++kernel) {
    if (!group.lists[kernel].counted()) continue;
    const Work& work = group.work_of_kernel(request, kernel);
    for (const Tried& one : tried_of(request, work, group.problem, group.lists[kernel], source)) {
      const auto result = result_of(request, work, group, one.result);
      const auto candidate = group.candidates.of_whole(kernel, one.configuration);
      if (!result || (request.shard && !group.offers(request, *candidate))) continue;
      group.known[*candidate] = result;
    }
  }
}

}  // namespace

void note_known(const Request& request, model::ResultSource& source, Group& group) {
  group.known.resize(group.candidates.size());
  if (request.fresh && request.resumed.empty()) return;
  group.by_energy = best_by_energy(request, group.problem, source);
  note_known_of_counted(request, source, group);
  const std::vector<model::KnownResult> known = source.known(group.keys);
  std::unordered_map<model::Digest, const model::KnownResult*, model::DigestHash> lookup;
  for (const model::KnownResult& result : known) lookup.emplace(result.trial, &result);
  for (std::size_t i = 0; i < group.keys.size(); ++i) {
    const auto found = lookup.find(group.keys[i]);
    if (found == lookup.end()) continue;
    group.known[i] = result_of(request, group.work_of(request, i), group, *found->second);
  }
}

std::optional<std::size_t> Group::fastest_known(const Request& request) const {
  std::optional<std::size_t> fastest;
  known.for_each([&](std::size_t i, const search::Result& result) {
    const bool has_time = model::has_trusted_time(result.status) && result.time_ns;
    if (!has_time || !model::may_win(work_of(request, i).kernel.spec().role)) return;
    if (!fastest || *result.time_ns < *known[*fastest]->time_ns) fastest = i;
  });
  return fastest;
}

namespace {

void take_faster(std::optional<double>& best_ns, std::optional<double> time_ns) {
  if (time_ns && (!best_ns || *time_ns < *best_ns)) best_ns = time_ns;
}

/// The least time that what is in a kernel's space today ever had on a problem, all shards considered.
std::optional<double> least_of_kernel(const Request& request, const Work& work, const model::Problem& problem,
                                      model::ResultSource& source) {
  const model::KernelSpec& spec = work.kernel.spec();
  const bool solves = spec.family == problem.family && spec.sizes.size() == problem.sizes.size() &&
                      std::find(spec.types.begin(), spec.types.end(), problem.type) != spec.types.end();
  if (!solves || !model::may_win(spec.role)) return std::nullopt;
  const space::ConfigurationList list = work.kernel.list(problem, request.device.limits);
  std::vector<model::Digest> keys;
  if (list.counted()) {
    for (const Tried& one : tried_of(request, work, problem, list, source)) keys.push_back(one.result.trial);
  } else {
    for (const TrialMaker::Identity& one : TrialMaker(request, work, problem).identify(list))
      if (!one.rejection) keys.push_back(one.key);
  }
  return source.least_ns(keys);
}

/// The same of a problem, as today's specs have it: of kernels that are not at hand, as when they were last
/// tuned.
std::optional<double> least_today(const Request& request, const model::Problem& problem,
                                  model::ResultSource& source) {
  std::optional<double> least_ns;
  std::set<std::string> at_hand;
  for (const auto* list : {&request.work, &request.rivals}) {
    for (const Work& work : *list) {
      at_hand.insert(work.kernel.spec().name);
      take_faster(least_ns, least_of_kernel(request, work, problem, source));
    }
  }
  take_faster(least_ns, source.least_ns_beside(at_hand, problem, environment(request, problem.type)));
  return least_ns;
}

}  // namespace

void reopen_dropped(const Request& request, model::ResultSource& source, Group& group) {
  if (!request.recorded_device.empty()) return;                    // a recording has no more to say
  if (request.policy.objective != model::Objective::time) return;  // is_energy_wanted() has asked
  const auto fastest = group.fastest_known(request);
  std::optional<double> best_ns = fastest ? group.known[*fastest]->time_ns : std::nullopt;
  std::vector<std::size_t> dropped;
  group.known.for_each([&](std::size_t i, const search::Result& known) {
    if (known.status == TrialStatus::dropped) dropped.push_back(i);
  });
  const auto is_in_reach = [&](std::size_t candidate) {
    const auto& time_ns = group.known[candidate]->time_ns;
    return !best_ns || !time_ns || *time_ns <= *best_ns * request.policy.final.within;
  };
  if (std::none_of(dropped.begin(), dropped.end(), is_in_reach)) return;
  // Identities of other kernels take their time. Where only some bits count, so do only this group's.
  if (!request.same_bits) best_ns = least_today(request, group.problem, source);
  for (const std::size_t candidate : dropped) {
    if (!is_in_reach(candidate)) continue;
    group.known[candidate].reset();
    ++group.reopened;
  }
}

void BestByEnergy::learn(const model::TrialOutcome& outcome, double correction) {
  const auto time_ns = outcome.trusted_ns();
  if (m_objective == model::Objective::time || !time_ns || !outcome.energy) return;
  const double value = model::objective_value(m_objective, *time_ns, outcome.energy->mean_j);
  if (m_value > 0 && value >= m_value) return;
  m_value = value;
  m_watts = outcome.energy->watts();
  m_bound_ns = model::time_bound_ns(m_objective, value, outcome.energy->idle_w) / correction;
}

std::optional<double> BestByEnergy::value_of(std::optional<double> time_ns,
                                             std::optional<double> energy_j) const {
  if (m_objective == model::Objective::time || !time_ns) return time_ns;
  if (!energy_j && m_value == 0) return std::nullopt;
  return model::objective_value(m_objective, *time_ns, energy_j.value_or(*time_ns * 1e-9 * m_watts));
}

BestByEnergy best_by_energy(const Request& request, const model::Problem& problem,
                            model::ResultSource& source, const DeviceSpread* spread) {
  BestByEnergy best(request.policy.objective);
  if (request.policy.objective == model::Objective::time || request.fresh) return best;
  const model::PossibleFinal all = all_competing(request, problem, source);
  for (const model::TrialRecord& trial : all.finalists) {
    if (!gives_bits(request, trial)) continue;
    // As long as another GPU's speed is unknown, it may be that much faster.
    best.learn(trial.outcome,
               spread ? spread->correction_of(trial.gpu).value_or(1 / DeviceSpread::unlike) : 1);
  }
  return best;
}

bool tells_energy(const model::KernelSpec& spec) {
  return std::ranges::none_of(spec.arguments, [](const auto& argument) { return argument.restore; });
}

}  // namespace tuner::sweep
