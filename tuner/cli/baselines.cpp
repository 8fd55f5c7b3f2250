#include "tuner/cli/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/model/device_kind.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
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

}  // namespace tuner::cli
