#include "tuner/sweep/trial_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <future>
#include <thread>
#include <unordered_set>

#include "tuner/model/digest.hpp"
#include "tuner/sweep/trial_identity.hpp"

namespace tuner::sweep {
namespace {

/// Bytes kept free for the driver, fences and the code itself.
constexpr std::int64_t reserve_bytes = std::int64_t{256} << 20;

std::string gib(std::int64_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / static_cast<double>(std::int64_t{1} << 30));
}

/// Why a kernel has no trial on `problem`: its space is empty, or its buffers do not fit, judged by the first
/// configuration that has a plan.
std::optional<std::string> why_excluded(const Request& request, const Work& work,
                                        const model::Problem& problem) {
  const std::int64_t available =
      request.device.free_memory_bytes > 0 ? request.device.free_memory_bytes : request.device.memory_bytes;
  std::optional<std::string> reason = "its constraints leave no valid configuration";
  work.kernel.enumerate(problem, request.device.limits, [&](const model::Configuration& configuration) {
    reason.reset();
    const auto plan = work.kernel.make_plan(problem, configuration, request.device.limits);
    if (!std::holds_alternative<model::Plan>(plan)) return true;
    const std::int64_t needed = std::get<model::Plan>(plan).device_bytes();
    if (available > 0 && needed > available - reserve_bytes) {
      reason = fmt::format("needs {} on the device, reference included; {} has {} free", gib(needed),
                           request.device.name, gib(available));
    }
    return false;
  });
  return reason;
}

Group& group_of(TrialList& list, const model::Problem& problem) {
  for (Group& group : list.groups) {
    if (group.problem == problem) return group;
  }
  list.groups.push_back({problem, {}, {}, {}, 0});
  return list.groups.back();
}

/// Calls `work` with every index below `count`, from as many threads as there is enough to do for.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t enough = 256;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(count / enough, 1, cores);
  std::vector<std::future<void>> others;
  const auto do_part = [&](std::size_t part) {
    for (std::size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) work(i);
  };
  for (std::size_t part = 1; part < parts; ++part)
    others.push_back(std::async(std::launch::async, do_part, part));
  do_part(0);
  for (auto& other : others) other.get();
}

/// Identities are most of what a sweep that is known already has to do.
void add_candidates(const Request& request, std::size_t work_index, Group& group) {
  const Work& work = request.work[work_index];
  const model::ComparisonClass comparison = comparison_class(request, group.problem.type);
  group.work.push_back(work_index);
  group.lists.push_back(work.kernel.list(group.problem, request.device.limits));
  const space::ConfigurationList& list = group.lists.back();
  const IdentityMaker identities(request, work, group.problem, comparison);
  const std::size_t first = group.candidates.size();
  group.candidates.resize(first + list.size());
  for_each_index(list.size(), [&](std::size_t i) {
    group.candidates[first + i] = {work_index, i, identities.trial(list[i])};
  });
}

void drop_known(Group& group, model::ResultSource& source) {
  std::vector<model::Digest> keys;
  keys.reserve(group.candidates.size());
  for (const Candidate& candidate : group.candidates) keys.push_back(candidate.key);
  const std::vector<model::Digest> known = source.known(keys);
  const std::unordered_set<model::Digest, model::DigestHash> lookup(known.begin(), known.end());
  std::erase_if(group.candidates,
                [&](const Candidate& candidate) { return lookup.count(candidate.key) > 0; });
  group.known = static_cast<std::int64_t>(keys.size() - group.candidates.size());
}

}  // namespace

std::int64_t TrialList::total() const {
  std::int64_t total = known();
  for (const Group& group : groups) total += static_cast<std::int64_t>(group.candidates.size());
  return total;
}

std::int64_t TrialList::known() const {
  std::int64_t known = 0;
  for (const Group& group : groups) known += group.known;
  return known;
}

TrialList list_trials(const Request& request, model::ResultSource& source) {
  TrialList list;
  for (std::size_t w = 0; w < request.work.size(); ++w) {
    for (const model::Problem& problem : request.work[w].problems) {
      if (auto reason = why_excluded(request, request.work[w], problem)) {
        list.excluded.push_back({problem, request.work[w].kernel.spec().name, std::move(*reason)});
        continue;
      }
      add_candidates(request, w, group_of(list, problem));
    }
  }
  if (!request.fresh) {
    for (Group& group : list.groups) drop_known(group, source);
  }
  return list;
}

model::ComparisonClass comparison_class(const Request& request, model::ElementType type) {
  model::ComparisonClass comparison;
  comparison.device = request.device.name;
  comparison.driver = request.device.driver;
  comparison.toolkit = request.compiler;
  comparison.type = type;
  comparison.l2 = request.policy.flush_l2 ? "cold" : "warm";
  comparison.method = request.policy.name;
  comparison.inputs = "spec";
  return comparison;
}

}  // namespace tuner::sweep
