#include "tuner/sweep/candidate_queue.hpp"

#include <string>
#include <utility>

namespace tuner::sweep {

CandidateQueue::CandidateQueue(const Request& request, const TrialList& list)
    : m_request(request), m_list(list) {
  for (const Group& group : list.groups) m_results.push_back(group.known);
}

std::optional<CandidateQueue::Item> CandidateQueue::next() {
  while (true) {
    if (const auto item = next_of_open()) return item;
    if (m_open.size() >= most_open || m_begun == m_list.groups.size()) return std::nullopt;
    begin_group();
  }
}

std::optional<CandidateQueue::Item> CandidateQueue::next_of_open() {
  for (auto it = m_open.begin(); it != m_open.end();) {
    Open& open = it->second;
    if (auto proposal = next_proposal(open)) {
      ++open.under_way;
      return Item{it->first, proposal->candidate, std::move(proposal->idea)};
    }
    open.waits = true;
    if (open.under_way == 0) {
      m_finished.push_back(it->first);
      it = m_open.erase(it);
    } else {
      ++it;
    }
  }
  return std::nullopt;
}

std::optional<search::Proposal> CandidateQueue::next_proposal(Open& open) {
  if (!open.baselines.empty()) {
    const std::size_t candidate = open.baselines.back();
    open.baselines.pop_back();
    return search::Proposal{candidate, ""};
  }
  const bool asks = !open.waits && open.under_way < open.strategy->lookahead();
  return asks ? open.strategy->next() : std::nullopt;
}

bool CandidateQueue::is_baseline(const Item& item) const {
  const Group& group = m_list.groups[item.group];
  const std::size_t work = group.work[group.candidates[item.candidate].kernel];
  return !model::may_win(m_request.work[work].kernel.spec().role);
}

std::optional<std::size_t> CandidateQueue::take_finished() {
  if (m_finished.empty()) return std::nullopt;
  const std::size_t group = m_finished.front();
  m_finished.pop_front();
  return group;
}

bool CandidateQueue::compiled(const Item& item, const search::Compiled& compiled) {
  return is_baseline(item) || m_open.at(item.group).strategy->compiled(item.candidate, compiled);
}

void CandidateQueue::report(const Item& item, const model::TrialRecord& record) {
  Open& open = m_open.at(item.group);
  if (model::may_win(record.role)) {
    search::Result result{record.outcome.status, std::nullopt};
    if (record.outcome.measurement) result.time_ns = record.outcome.measurement->median_ns;
    m_results[item.group][item.candidate] = result;
    open.strategy->report(item.candidate, result);
  }
  --open.under_way;
  open.waits = false;
}

void CandidateQueue::begin_group() {
  const std::size_t index = m_begun++;
  const Group& group = m_list.groups[index];
  auto space = std::make_unique<search::SearchSpace>();
  space->problem = group.problem;
  for (std::size_t i = 0; i < group.work.size(); ++i) {
    space->kernels.push_back({&m_request.work[group.work[i]].kernel.spec(), &group.lists[i]});
  }
  space->candidates = group.candidates;
  space->known = group.known;
  space->priors = [this, index] { return priors_of(index); };
  std::vector<std::size_t> baselines;
  for (std::size_t i = 0; i < group.candidates.size(); ++i) {
    if (!is_baseline({index, i, {}})) continue;
    if (!group.known[i]) baselines.push_back(i);
    space->known[i] = search::Result{model::TrialStatus::skipped, std::nullopt};  // nothing to search by
    m_results[index][i].reset();
  }
  // Each group has an order of its own, so that no configuration is always measured on a cold device.
  auto strategy = search::make_strategy(m_request.strategy, *space, m_request.seed + index);
  m_open.emplace(index, Open{std::move(space), std::move(strategy), std::move(baselines)});
}

/// Configurations are the same where kernel and values are; coordinates may differ between problems.
std::vector<search::SearchSpace::Prior> CandidateQueue::priors_of(std::size_t index) const {
  const auto name_of = [&](const Group& group, std::size_t candidate) {
    const auto& one = group.candidates[candidate];
    return std::pair(group.work[one.kernel], group.lists[one.kernel][one.configuration].canonical_json());
  };
  const Group& group = m_list.groups[index];
  std::map<std::pair<std::size_t, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < group.candidates.size(); ++i) places.emplace(name_of(group, i), i);
  std::vector<search::SearchSpace::Prior> priors;
  for (std::size_t other = 0; other < m_list.groups.size(); ++other) {
    const Group& from = m_list.groups[other];
    const bool comparable = other != index && from.problem.family == group.problem.family &&
                            from.problem.type == group.problem.type;
    if (!comparable) continue;
    search::SearchSpace::Prior prior{from.problem.text(), from.problem, true, {}};
    prior.results.resize(group.candidates.size());
    bool any = false;
    for (std::size_t i = 0; i < from.candidates.size(); ++i) {
      if (!m_results[other][i]) continue;
      const auto place = places.find(name_of(from, i));
      if (place == places.end()) continue;
      prior.results[place->second] = m_results[other][i];
      any = true;
    }
    if (any) priors.push_back(std::move(prior));
  }
  return priors;
}

}  // namespace tuner::sweep
