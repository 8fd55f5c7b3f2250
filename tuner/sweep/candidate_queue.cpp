#include "tuner/sweep/candidate_queue.hpp"

#include "tuner/search/make_strategy.hpp"

namespace tuner::sweep {

CandidateQueue::CandidateQueue(const Request& request, const TrialList& list)
    : m_request(request), m_list(list) {}

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
    const auto candidate = open.waits ? std::nullopt : open.strategy->next();
    if (candidate) {
      ++open.under_way;
      return Item{it->first, *candidate};
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

std::optional<std::size_t> CandidateQueue::take_finished() {
  if (m_finished.empty()) return std::nullopt;
  const std::size_t group = m_finished.front();
  m_finished.pop_front();
  return group;
}

void CandidateQueue::report(const Item& item, const model::TrialRecord& record) {
  Open& open = m_open.at(item.group);
  search::Result result{record.outcome.status, std::nullopt};
  if (record.outcome.measurement) result.time_ns = record.outcome.measurement->median_ns;
  open.strategy->report(item.candidate, result);
  --open.under_way;
  open.waits = false;
}

void CandidateQueue::begin_group() {
  const std::size_t group = m_begun++;
  // Each group has an order of its own, so that no configuration is always measured on a cold device.
  const search::SearchRequest search{m_list.groups[group].candidates.size(), m_request.seed + group};
  m_open[group].strategy = search::make_strategy(m_request.strategy, search);
}

}  // namespace tuner::sweep
