#include <fmt/format.h>

#include <utility>

#include "tuner/space/configuration_list.hpp"
#include "tuner/sweep/group_search.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {

using search::SearchSpace;

/// Where a kernel's configurations stand among the candidates of a group.
class Priors::Places {
 public:
  Places(const Request& request, const Group& group) {
    for (std::size_t i = 0; i < group.work.size(); ++i) {
      const model::KernelSpec& spec = group.work_of_kernel(request, i).kernel.spec();
      if (!model::may_win(spec.role)) continue;
      Kernel& kernel = m_kernels.try_emplace(spec.name, group.lists[i], spec.parameters).first->second;
      if (group.lists[i].counted()) {
        kernel.first = group.candidates.of_whole(i, 0);
        continue;
      }
      kernel.candidates.resize(group.lists[i].size());
      for (std::size_t c = 0; c < group.candidates.told(); ++c) {
        if (group.candidates[c].kernel == i) kernel.candidates[group.candidates[c].configuration] = c;
      }
    }
  }
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (const auto& [name, kernel] : m_kernels) names.push_back(name);
    return names;
  }
  std::optional<std::size_t> find(const std::string& kernel,
                                  const model::Configuration& configuration) const {
    const auto known = m_kernels.find(kernel);
    if (known == m_kernels.end()) return std::nullopt;
    const auto place = known->second.index.find(configuration);
    if (place && known->second.first) return *known->second.first + *place;
    return place ? known->second.candidates[*place] : std::nullopt;
  }

 private:
  struct Kernel {
    Kernel(const space::ConfigurationList& list, const std::vector<model::ParameterSpec>& parameters)
        : index(list, parameters) {}
    space::ConfigurationIndex index;
    std::vector<std::optional<std::size_t>> candidates;  ///< by configuration; those that can be launched
    std::optional<std::size_t> first;                    ///< of a counted list, its first candidate
  };
  std::map<std::string, Kernel> m_kernels;
};

namespace {

/// How an environment differs from this sweep's own, for people.
std::string environment_text(const model::Environment& there, const model::Environment& here) {
  std::vector<std::string> parts;
  if (there.device != here.device) parts.push_back(there.device);
  if (there.device == here.device && there.driver != here.driver) parts.push_back("driver " + there.driver);
  if (there.device == here.device && there.toolkit != here.toolkit) parts.push_back(there.toolkit);
  if (there.l2 != here.l2) parts.push_back("L2 " + there.l2);
  if (there.method != here.method) parts.push_back(there.method);
  if (there.execution != here.execution) parts.push_back(there.execution_word());
  if (there.clock_mhz != here.clock_mhz) parts.push_back(there.clock_text());
  if (there.inputs != here.inputs) parts.push_back("inputs " + there.inputs);
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// `NVIDIA A100-PCIE-40GB`, `1024 float`, `driver 535.54 at 1024 float`, `1024 float before an edit`.
std::string origin_of(const model::Elsewhere& there, const model::CaseName& here) {
  std::string origin = environment_text(there.tuning_case.environment, here.environment);
  if (there.tuning_case.problem != here.problem || origin.empty())
    origin += (origin.empty() ? "" : " at ") + there.tuning_case.problem.text();
  return there.is_today ? origin : origin + " before an edit";
}

}  // namespace

std::vector<SearchSpace::Prior> Priors::of(std::size_t group, const Results& results) {
  const Places places(m_request, m_list.groups[group]);
  std::vector<SearchSpace::Prior> priors = of_this_sweep(group, results, places);
  const std::lock_guard lock(m_mutex);
  auto known = m_remembered.find(group);
  if (known == m_remembered.end()) known = m_remembered.emplace(group, remembered(group, places)).first;
  priors.insert(priors.end(), known->second.begin(), known->second.end());
  return priors;
}

model::CaseName Priors::name_of(const Group& group) const {
  return {group.problem, environment(m_request, group.problem.type)};
}

std::vector<SearchSpace::Prior> Priors::of_this_sweep(std::size_t index, const Results& results,
                                                      const Places& places) const {
  const Group& group = m_list.groups[index];
  std::vector<SearchSpace::Prior> priors;
  for (std::size_t other = 0; other < m_list.groups.size(); ++other) {
    const Group& from = m_list.groups[other];
    const bool comparable = other != index && from.problem.family == group.problem.family &&
                            from.problem.type == group.problem.type;
    if (!comparable) continue;
    SearchSpace::Prior prior{from.problem.text(), from.problem, true, {}};
    prior.results.resize(group.candidates.size());
    bool any = false;
    results[other].for_each([&](std::size_t i, const search::Result& result) {
      const std::string& kernel = from.work_of(m_request, i).kernel.spec().name;
      const auto place = places.find(kernel, from.configuration(i));
      if (!place) return;
      prior.results[*place] = result;
      any = true;
    });
    if (any) priors.push_back(std::move(prior));
  }
  return priors;
}

std::vector<SearchSpace::Prior> Priors::remembered(std::size_t index, const Places& places) {
  const Group& group = m_list.groups[index];
  model::ElsewhereQuery query{name_of(group), places.kernels(), {}};
  for (const Group& other : m_list.groups) query.except.push_back(name_of(other));
  std::vector<SearchSpace::Prior> priors;
  std::set<std::string> fit;
  std::set<std::string> unfit;
  for (const model::Elsewhere& there : m_services.source.elsewhere(query)) {
    SearchSpace::Prior prior{origin_of(there, query.tuning_case),
                             there.tuning_case.problem,
                             there.tuning_case.environment == query.tuning_case.environment,
                             {}};
    prior.results.resize(group.candidates.size());
    bool any = false;
    for (const model::Elsewhere::Known& known : there.results) {
      const auto place = places.find(known.kernel, *known.configuration);
      (place ? fit : unfit).insert(known.kernel);
      // The fastest come first: of what a configuration was before several edits, the best is kept.
      if (!place || prior.results[*place]) continue;
      prior.results[*place] = search::Result{known.status, known.median_ns};
      any = true;
    }
    if (any) priors.push_back(std::move(prior));
  }
  for (const std::string& kernel : unfit) {
    if (!fit.contains(kernel)) say_unfit(kernel);
  }
  return priors;
}

void Priors::say_unfit(const std::string& kernel) {
  if (!m_said.insert(kernel).second) return;
  m_services.observer.notice(fmt::format(
      "stored results of {} from elsewhere share no configuration with its present space; they are ignored",
      kernel));
}

}  // namespace tuner::sweep
