#include "tuner/sweep/trial_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tuner/model/digest.hpp"
#include "tuner/space/configuration_list.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sweep {
namespace {

using model::TrialStatus;

/// Bytes kept free for the driver, fences and the code itself.
constexpr std::int64_t reserve_bytes = std::int64_t{256} << 20;
/// Configurations of a counted list that say what the device can launch of it.
constexpr std::size_t judged_of_counted = 512;

std::string gib(std::int64_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / static_cast<double>(std::int64_t{1} << 30));
}

/// Why a kernel has no trial on `problem`: its space is empty, or its buffers do not fit, judged by the first
/// configuration that has a plan.
std::optional<std::string> why_excluded(const Request& request, const Work& work,
                                        const model::Problem& problem, const space::ConfigurationList& list) {
  if (list.size() == 0) return work.kernel.why_empty(problem, request.device.limits, list);
  const std::int64_t available =
      request.device.free_memory_bytes > 0 ? request.device.free_memory_bytes : request.device.memory_bytes;
  const std::size_t looks = list.counted() ? std::min(list.size(), judged_of_counted) : list.size();
  for (std::size_t i = 0; i < looks; ++i) {
    const auto plan = work.kernel.make_plan(problem, list[i], request.device.limits);
    if (!std::holds_alternative<model::Plan>(plan)) continue;
    const std::int64_t needed = std::get<model::Plan>(plan).device_bytes();
    if (available <= 0 || needed <= available - reserve_bytes) break;
    return fmt::format("needs {} on the device, reference included; {} has {} free", gib(needed),
                       request.device.name, gib(available));
  }
  return std::nullopt;
}

Group& group_of(TrialList& list, const model::Problem& problem) {
  for (Group& group : list.groups) {
    if (group.problem == problem) return group;
  }
  list.groups.emplace_back().problem = problem;
  return list.groups.back();
}

/// What a kernel brings to a problem's group; of a counted list, which is taken as a whole, only the list and
/// how many of a sample cannot be launched.
struct Brought {
  struct Launchable {
    std::size_t configuration = 0;  ///< its place in the list
    model::Digest key;
  };
  space::ConfigurationList list;
  std::vector<Launchable> launchable;
  std::string example;    ///< why the first of the others cannot
  double lost_share = 0;  ///< of a counted list
};

/// By a sample spread evenly over the list.
Brought judged_by_sample(const Request& request, const Work& work, const model::Problem& problem,
                         space::ConfigurationList list) {
  Brought found{std::move(list), {}, {}};
  std::size_t lost = 0;
  for (std::size_t i = 0; i < judged_of_counted; ++i) {
    const std::size_t stride = found.list.size() / judged_of_counted;
    auto plan = work.kernel.make_plan(problem, found.list[i * stride + stride / 2], request.device.limits);
    const auto* rejection = std::get_if<space::Rejection>(&plan);
    if (rejection == nullptr) continue;
    if (lost++ == 0) found.example = rejection->reason;
  }
  found.lost_share = static_cast<double>(lost) / static_cast<double>(judged_of_counted);
  return found;
}

/// Identities are most of what a sweep that is known already has to do. A baseline that cannot be called is
/// tried all the same, so that it is said why.
Brought candidates_of(const Request& request, const Work& work, const model::Problem& problem,
                      space::ConfigurationList list) {
  if (list.counted()) return judged_by_sample(request, work, problem, std::move(list));
  Brought found{std::move(list), {}, {}};
  std::vector<TrialMaker::Identity> identities = TrialMaker(request, work, problem).identify(found.list);
  for (std::size_t i = 0; i < identities.size(); ++i) {
    if (identities[i].rejection && model::may_win(work.kernel.spec().role)) {
      if (found.example.empty()) found.example = std::move(identities[i].rejection->reason);
      continue;
    }
    found.launchable.push_back({i, identities[i].key});
  }
  return found;
}

void add_candidates(const Request& request, std::size_t work, Brought found, Group& group) {
  const std::size_t kernel = group.work.size();
  const bool is_counted = found.list.counted() != nullptr;
  group.work.push_back(work);
  group.launchable.push_back(
      static_cast<std::int64_t>(is_counted ? found.list.size() : found.launchable.size()));
  if (request.shard && !is_counted) {
    const std::string& name = request.work[work].kernel.spec().name;
    std::erase_if(found.launchable, [&](const Brought::Launchable& one) {
      return !request.shard->has(name, found.list[one.configuration]);
    });
  }
  if (is_counted) {
    const double parts = request.shard ? request.shard->of : 1;
    group.of_counted += static_cast<double>(found.list.size()) * (1 - found.lost_share) / parts;
  }
  group.is_shared = group.is_shared || (is_counted && request.shard && request.shard->of > 1);
  group.lists.push_back(std::move(found.list));
  for (const Brought::Launchable& one : found.launchable) {
    group.candidates.push_back({kernel, one.configuration});
    group.keys.push_back(one.key);
  }
}

/// Behind all that are told one by one.
void add_counted(Group& group) {
  for (std::size_t kernel = 0; kernel < group.lists.size(); ++kernel)
    if (group.lists[kernel].counted()) group.candidates.add_whole(kernel, group.lists[kernel].size());
}

}  // namespace

std::optional<std::size_t> Group::find(const Request& request, std::size_t kernel,
                                       const model::Configuration& configuration) const {
  const Work& of = work_of_kernel(request, kernel);
  if (lists[kernel].counted()) {
    const space::ConfigurationIndex index(lists[kernel], of.kernel.spec().parameters);
    const auto place = index.find(configuration);
    return place ? candidates.of_whole(kernel, *place) : std::nullopt;
  }
  const auto place = std::ranges::find(keys, TrialMaker(request, of, problem).key(configuration));
  return place == keys.end() ? std::nullopt : std::optional(static_cast<std::size_t>(place - keys.begin()));
}

model::Digest Group::key(const Request& request, std::size_t candidate) const {
  if (candidate < keys.size()) return keys[candidate];
  return TrialMaker(request, work_of(request, candidate), problem).key(configuration(candidate));
}

bool Group::offers(const Request& request, std::size_t candidate) const {
  if (candidate < candidates.told()) return true;
  const Work& of = work_of(request, candidate);
  const model::Configuration one = configuration(candidate);
  if (request.shard && !request.shard->has(of.kernel.spec().name, one)) return false;
  return std::holds_alternative<model::Plan>(of.kernel.make_plan(problem, one, request.device.limits));
}

std::size_t Group::count_competing(const Request& request) const {
  std::size_t count = 0;
  for (std::size_t kernel = 0; kernel < work.size(); ++kernel)
    if (model::may_win(work_of_kernel(request, kernel).kernel.spec().role)) count += candidates.count(kernel);
  return count;
}

bool Group::is_drawn() const {
  return std::ranges::any_of(lists, &space::ConfigurationList::is_sample);
}

bool Group::is_whole() const {
  const std::int64_t all = std::accumulate(launchable.begin(), launchable.end(), std::int64_t{0});
  return !is_shared && !is_drawn() && static_cast<std::int64_t>(candidates.size()) == all;
}

std::int64_t Group::expected() const {
  const std::int64_t about = static_cast<std::int64_t>(candidates.told()) + std::llround(of_counted);
  const std::int64_t least = candidates.empty() ? 0 : 1;  // a sample that shows none may miss some
  return std::max({about, count_known(), least});
}

std::int64_t TrialList::unexpected() const {
  return sum([](const Group& group) {
    return static_cast<std::int64_t>(group.candidates.size()) - group.expected();
  });
}

std::int64_t TrialList::baselines_left(const Request& request) const {
  return sum([&](const Group& group) {
    std::int64_t left = 0;
    for (std::size_t i = 0; i < group.candidates.told(); ++i)
      if (!group.known[i] && !model::may_win(group.work_of(request, i).kernel.spec().role)) ++left;
    return left;
  });
}

namespace {

/// The spaces of a request's kernels. What is listed is identified one by one before the first trial, so all
/// lists together are as long as one may be; longer ones are counted.
class Spaces {
 public:
  Spaces(const Request& request, const space::GoOn& go_on) : m_request(request), m_go_on(go_on) {
    std::size_t lists = 0;
    for (const Work& work : request.work) lists += work.problems.size();
    constexpr std::size_t least = 1024;
    m_most = std::max(least, space::KernelSpace::most_listed / std::max<std::size_t>(lists, 1));
  }

  /// Nothing where there is no time left to look.
  std::optional<space::ConfigurationList> of(const space::KernelSpace& kernel,
                                             const model::Problem& problem) {
    const model::DeviceLimits& limits = m_request.device.limits;
    std::pair seen{kernel.spec().name, kernel.seen_of(problem, limits)};
    if (m_last && m_last_seen == seen) return m_last;  // at many sizes it is the same
    if (m_go_on && !m_go_on()) return std::nullopt;
    m_last = kernel.list(problem, limits, m_go_on, m_most);
    m_last_seen = std::move(seen);
    return m_last;
  }

 private:
  const Request& m_request;
  const space::GoOn& m_go_on;
  std::size_t m_most = 0;
  std::optional<space::ConfigurationList> m_last;
  std::pair<std::string, std::vector<std::int64_t>> m_last_seen;
};

}  // namespace

TrialList list_trials(const Request& request, model::ResultSource& source, const space::GoOn& go_on) {
  TrialList list;
  Spaces spaces(request, go_on);
  std::map<std::string, std::vector<std::pair<std::string, std::size_t>>> samples;  // sizes of each kernel
  for (std::size_t w = 0; w < request.work.size(); ++w) {
    for (const model::Problem& problem : request.work[w].problems) {
      const std::string& kernel = request.work[w].kernel.spec().name;
      auto known = spaces.of(request.work[w].kernel, problem);
      if (!known) {
        list.excluded.push_back(
            {problem, kernel, "its configurations were not counted, since the budget has to measure, too"});
        continue;
      }
      space::ConfigurationList all = std::move(*known);
      if (auto reason = why_excluded(request, request.work[w], problem, all)) {
        list.excluded.push_back({problem, kernel, std::move(*reason)});
        continue;
      }
      if (all.is_sample()) samples[kernel].push_back({problem.size_text(), all.size()});
      const bool is_counted = all.counted() != nullptr;
      Brought found = candidates_of(request, request.work[w], problem, std::move(all));
      if (found.launchable.empty() && !is_counted) {
        list.excluded.push_back(
            {problem, kernel, "none of its configurations can be launched: " + found.example});
        continue;
      }
      const auto of = static_cast<std::int64_t>(found.list.size());
      const std::int64_t lost = is_counted
                                    ? static_cast<std::int64_t>(found.lost_share * static_cast<double>(of))
                                    : of - static_cast<std::int64_t>(found.launchable.size());
      if (lost > 0) list.unlaunchable.push_back({problem, kernel, lost, of, found.example, is_counted});
      add_candidates(request, w, std::move(found), group_of(list, problem));
    }
  }
  for (const auto& [kernel, sizes] : samples) {
    const std::string more = sizes.size() > 1 ? fmt::format(" and {} more", sizes.size() - 1) : "";
    list.notices.push_back(
        fmt::format("{} at {}{}: what its constraints allow cannot be counted: only a random draw of {} is "
                    "searched",
                    kernel, sizes.front().first, more, util::counted(sizes.front().second, "configuration")));
  }
  for (Group& group : list.groups) add_counted(group);
  std::erase_if(list.groups, [](const Group& group) { return group.candidates.empty(); });
  for (Group& group : list.groups) {
    note_known(request, source, group);
    reopen_dropped(request, source, group);
  }
  order_groups(request, StrategyChoice(request.strategy, request.own_strategies), list);
  return list;
}

TrialList list_chosen(const Request& request, const std::vector<Chosen>& chosen,
                      model::ResultSource& source) {
  TrialList list;
  for (std::size_t w = 0; w < request.work.size(); ++w) {
    const space::KernelSpace& kernel = request.work[w].kernel;
    for (const Chosen& one : chosen) {
      if (one.kernel != kernel.spec().name || one.problem.family != kernel.spec().family) continue;
      if (!kernel.offers(one.problem, one.configuration, request.device.limits)) continue;
      const TrialMaker maker(request, request.work[w], one.problem);
      const TrialMaker::Identity identity = maker.identify(one.configuration);
      if (identity.rejection) continue;
      Group& group = group_of(list, one.problem);
      if (group.work.empty() || group.work.back() != w) {
        group.work.push_back(w);
        group.lists.emplace_back(kernel.spec().parameters);
        group.launchable.push_back(0);
      }
      space::ConfigurationList& own = group.lists.back();
      own.add(*kernel.coordinates_of(one.problem, one.configuration, request.device.limits));
      group.candidates.push_back({group.work.size() - 1, own.size() - 1});
      group.keys.push_back(identity.key);
    }
  }
  for (Group& group : list.groups) {
    note_known(request, source, group);
    if (!request.policy.cuts.empty() || !request.recorded_device.empty()) continue;
    for (std::size_t i = 0; i < group.candidates.size(); ++i)
      if (group.known[i] && group.known[i]->status == TrialStatus::dropped) group.known[i].reset();
  }
  return list;
}

}  // namespace tuner::sweep
