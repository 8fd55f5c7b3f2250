#include <fmt/format.h>

#include <algorithm>

#include "tuner/sweep/trial_journey.hpp"

namespace tuner::sweep {
namespace {

/// `12 of slow, 1 of fast`
std::string counts_text(const std::map<std::string, std::size_t>& kernels) {
  std::vector<std::string> parts;
  for (const auto& [kernel, count] : kernels) parts.push_back(fmt::format("{} of {}", count, kernel));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::size_t Reopening::begin(std::size_t group, std::int64_t most) {
  const bool is_part = (m_request.shard && m_request.shard->of > 1) || m_request.is_own_question();
  if (is_part || !m_request.recorded_device.empty() || most <= 0) return 0;
  const model::Problem& problem = m_list.groups[group].problem;
  std::vector<Open> trials = open(problem);
  if (trials.empty()) return 0;
  const double reach_ns = trials.front().time_ns * m_request.policy.final.within;
  std::erase_if(trials, [&](const Open& one) { return one.time_ns > reach_ns; });
  while (static_cast<std::int64_t>(trials.size()) > most) trials.pop_back();
  std::map<std::string, std::size_t> counts;
  for (const Open& one : trials) ++counts[one.trial.record.kernel];
  m_services.observer.notice(
      fmt::format("{}: dropped early against a best that no longer competes, and measured again: {}",
                  problem.text(), counts_text(counts)));
  m_services.observer.more(static_cast<std::int64_t>(trials.size()));
  for (Open& one : trials) {
    m_tried.insert(one.trial.record.key);
    m_trials.start_again(group, *one.work, std::move(one.trial));
  }
  m_groups.insert(group);
  return trials.size();
}

std::vector<std::size_t> Reopening::take_ended() {
  std::vector<std::size_t> ended;
  for (const std::size_t group : m_groups) {
    if (m_trials.under_way_again(group) == 0) ended.push_back(group);
  }
  for (const std::size_t group : ended) m_groups.erase(group);
  return ended;
}

std::vector<Reopening::Open> Reopening::open(const model::Problem& problem) {
  std::vector<Open> trials;
  std::map<std::string, std::size_t> absent;
  const model::Environment comparison = environment(m_request, problem.type);
  for (const model::TrialRecord& past :
       m_services.source.reopened(problem, comparison, m_request.policy.final.within)) {
    if (m_tried.contains(past.key)) continue;
    const Work* work = work_of(m_request, past);
    auto trial = work == nullptr ? std::nullopt : make_again(m_request, *work, past);
    if (trial)
      trials.push_back({work, std::move(*trial), past.outcome.measurement->median_ns});
    else
      ++absent[past.kernel];
  }
  say_absent(absent, problem);
  return trials;
}

void Reopening::say_absent(const std::map<std::string, std::size_t>& absent, const model::Problem& problem) {
  for (const auto& [kernel, count] : absent) {
    if (!m_told.insert(kernel).second) continue;
    const bool one = count == 1;
    m_services.observer.notice(fmt::format(
        "{}: {} trial{} of {} {} dropped early against a best that no longer competes; its spec is not at "
        "hand: name it with --kernel to measure {} again",
        problem.text(), count, one ? "" : "s", kernel, one ? "was" : "were", one ? "it" : "them"));
  }
}

}  // namespace tuner::sweep
