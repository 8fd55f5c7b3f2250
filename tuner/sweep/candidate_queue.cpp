#include "tuner/sweep/candidate_queue.hpp"

#include <algorithm>
#include <utility>

#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/processors.hpp"

namespace tuner::sweep {

CandidateQueue::CandidateQueue(const Request& request, const TrialList& list, Services& services,
                               BudgetShares::DeviceSeconds device_seconds,
                               std::function<bool()> needs_another)
    : SweepPart(request, list, services),
      m_choice(request.strategy, request.own_strategies),
      m_priors(request, list, services),
      m_shares(request.budget, services.clock, std::move(device_seconds), services.runners.size()),
      m_needs_another(std::move(needs_another)),
      m_devices(services.runners.size()),
      m_compilers(static_cast<std::size_t>(services.pool.stats().workers)),
      m_order(beginning_order(request, m_choice, list, m_devices)) {
  for (const Group& group : list.groups) {
    m_results.push_back(group.known);
    if (m_choice.until(group.count_competing(request), request.until)) m_may_end_early = true;
  }
}

std::optional<CandidateQueue::Item> CandidateQueue::next() {
  while (true) {
    while (has_another() && m_needs_another()) begin_another();
    if (const auto item = next_of_open()) return item;
    if (!has_another() || !m_needs_another()) return std::nullopt;
  }
}

std::vector<std::size_t> CandidateQueue::proposing() const {
  std::vector<std::size_t> groups;
  if (m_shares.is_spent()) return groups;
  for (const auto& [group, open] : m_open)
    if (open.may_propose() && !pauses(open)) groups.push_back(group);
  return groups;
}

std::size_t CandidateQueue::count_active() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(m_open, [](const auto& item) { return !item.second.is_parked; }));
}

bool CandidateQueue::is_by_clock() const {
  return m_request.budget.seconds && !m_request.budget.device_seconds && m_request.budget.is_shared;
}

bool CandidateQueue::has_another() const {
  // Each compiler is worth a group: some have but one binary.
  if (count_active() > 2 * m_devices + m_compilers) return false;
  if (m_begun < m_list.groups.size()) return true;
  if (m_waiting.empty() || m_shares.is_spent()) return false;
  if (!m_request.budget.device_seconds) return proposing().empty();
  // No time passes while others are compiled, so they come first.
  const int turns = m_open.at(m_waiting.front()).turns;
  return std::ranges::none_of(
      m_open, [turns](const auto& item) { return !item.second.is_parked && item.second.turns <= turns; });
}

void CandidateQueue::begin_another() {
  if (m_begun < m_list.groups.size()) {
    const std::size_t group = m_order[m_begun++];
    const SweepPart& sweep = *this;
    auto search = std::make_unique<GroupSearch>(
        sweep, m_choice, group, m_results[group], [this, group] { return m_priors.of(group, m_results); },
        [this] { return m_services.stop || m_shares.is_late(); });
    return begin_turn(m_open.emplace(group, Open{std::move(search)}).first->second);
  }
  const std::size_t group = m_waiting.front();
  m_waiting.pop_front();
  begin_turn(m_open.at(group));
}

void CandidateQueue::begin_turn(Open& open) {
  open.pauses = false;
  open.is_parked = false;
  open.search->wake();
  open.begun = 0;
  open.has_ended_one = false;
  open.has_share = false;
  open.share = {};
  ++open.turns;
  if (!is_by_clock()) take_share(open);
}

void CandidateQueue::take_share(Open& open) {
  if (open.has_share || (is_by_clock() && count_at_turn() >= m_devices)) return;
  open.has_share = true;
  open.search->wake();
  std::size_t problems = m_list.groups.size() - m_begun;
  if (open.turns > 1) problems += m_waiting.size();
  BudgetShares::Promised promised;
  for (const auto& [group, one] : m_open) {
    // One that has nothing more to propose is about to end, unless its trials are still to take their time.
    const bool is_ending = one.has_share && one.search->waits() && !m_request.budget.device_seconds;
    if (pauses(one) || is_ending) continue;
    ++problems;
    if (&one != &open && one.has_share) m_shares.promise(group, one.share, one.begun, promised);
  }
  open.share = m_shares.share(open.search->group(), problems, promised);
}

std::size_t CandidateQueue::count_at_turn() const {
  return static_cast<std::size_t>(std::ranges::count_if(m_open, [this](const auto& item) {
    const Open& open = item.second;
    return open.has_share && open.may_propose() && !pauses(open);
  }));
}

void CandidateQueue::launches(const Item& item) {
  if (const auto open = m_open.find(item.group); open != m_open.end()) take_share(open->second);
}

bool CandidateQueue::is_held(const Open& open) const {
  if (!is_by_clock() || open.has_share) return false;
  std::size_t sharing = m_list.groups.size() - m_begun;
  for (const auto& [group, one] : m_open)
    if (!one.has_share) ++sharing;
  return open.search->under_way() * sharing >= m_compilers;
}

bool CandidateQueue::note_share(Open& open) {
  open.pauses = pauses(open);
  return open.pauses;
}

bool CandidateQueue::pauses(const Open& open) const {
  const bool has_begun_all = open.share.trials && open.begun >= *open.share.trials;
  return open.pauses || has_begun_all || is_over(open);
}

/// However little time there is, something is tried.
bool CandidateQueue::is_over(const Open& open) const {
  return open.has_ended_one && m_shares.is_over(open.search->group(), open.share);
}

bool CandidateQueue::is_over(const Item& item) const {
  const auto open = item.again == nullptr ? m_open.find(item.group) : m_open.end();
  return open != m_open.end() && is_over(open->second);
}

void CandidateQueue::give_back(const Item& item) {
  m_open.at(item.group).search->give_back({item.candidate, item.origin});
  count(item.group, -1);
}

std::optional<std::size_t> CandidateQueue::take_paused() {
  for (auto& [group, open] : m_open) {
    if (open.is_parked || open.search->under_way() > 0 || !note_share(open)) continue;
    open.is_parked = true;
    m_paused.push_back(group);
    m_waiting.push_back(group);
  }
  if (m_paused.empty()) return std::nullopt;
  const std::size_t group = m_paused.front();
  m_paused.pop_front();
  return group;
}

std::vector<std::size_t> CandidateQueue::order_of_open() const {
  std::vector<std::size_t> order;
  for (const auto& [group, open] : m_open)
    if (!open.is_parked) order.push_back(group);
  std::ranges::stable_sort(order, {},
                           [this](std::size_t group) { return m_open.at(group).search->under_way(); });
  return order;
}

std::optional<CandidateQueue::Item> CandidateQueue::next_of_open() {
  const std::vector<std::size_t> order = order_of_open();
  if (m_devices > 1) ask_side_by_side(order);
  for (const std::size_t group : order) {
    Open& open = m_open.at(group);
    if (note_share(open)) continue;
    GroupSearch& search = *open.search;
    if (is_held(open)) {
      search.wait();
      continue;
    }
    if (auto proposal = search.next()) {
      count(group, 1);
      return Item{group, proposal->candidate, std::move(proposal->origin), nullptr};
    }
    if (search.under_way() > 0) continue;
    const auto with_rest = search.has_enough() ? model::SearchEnding::until : model::SearchEnding::gave_up;
    m_finished.push_back({group, search.record(with_rest)});
    m_open.erase(group);
  }
  return std::nullopt;
}

bool CandidateQueue::is_drained() const {
  return is_begun() && std::all_of(m_open.begin(), m_open.end(), [](const auto& item) {
           return item.second.search->waits() || item.second.pauses;
         });
}

void CandidateQueue::ask_side_by_side(const std::vector<std::size_t>& order) {
  std::vector<GroupSearch*> asked;
  for (const std::size_t group : order) {
    if (asked.size() == m_devices) break;
    const Open& open = m_open.at(group);
    if (!open.pauses && !is_held(open) && open.search->can_be_asked()) asked.push_back(open.search.get());
  }
  if (asked.size() < 2) return;
  util::for_each_index(asked.size(), 1, [&](std::size_t i) { asked[i]->ask_ahead(); });
}

std::optional<EndedSearch> CandidateQueue::take_finished() {
  if (m_finished.empty()) return std::nullopt;
  EndedSearch search = std::move(m_finished.front());
  m_finished.pop_front();
  return search;
}

std::vector<EndedSearch> CandidateQueue::close(model::SearchEnding ending) {
  std::vector<EndedSearch> searches;
  while (auto search = take_finished()) searches.push_back(std::move(*search));
  for (auto& [group, open] : m_open) searches.push_back({group, open.search->record(ending)});
  m_open.clear();
  return searches;
}

bool CandidateQueue::compiled(const Item& item, const search::BinaryFacts& compiled) {
  const auto open = m_open.find(item.group);
  // Once the searches are closed, strategies are not asked any more; a final may still wait for a compiler.
  return open == m_open.end() || open->second.search->compiled(item.candidate, compiled);
}

void CandidateQueue::report(const Item& item, const model::TrialRecord& record) {
  Open& open = m_open.at(item.group);
  if (model::may_win(record.role)) {
    search::Result result{record.outcome.status, std::nullopt};
    if (record.outcome.measurement)
      result.time_ns =
          by_energy(item.group, record)
              .value_of(record.outcome.measurement->median_ns,
                        record.outcome.energy ? std::optional(record.outcome.energy->mean_j) : std::nullopt);
    if (result.time_ns && is_refused_for_bits(record))
      result = {model::TrialStatus::wrong_result, std::nullopt};
    open.search->report(item.candidate, result);
    open.has_ended_one = true;
    take_share(open);
  }
  open.search->hear_of_end();
}

/// What is known of the best by now, this trial included.
const BestByEnergy& CandidateQueue::by_energy(std::size_t group, const model::TrialRecord& record) {
  BestByEnergy& best = m_by_energy.try_emplace(group, m_list.groups[group].by_energy).first->second;
  if (gives_bits(m_request, record)) best.learn(record.outcome);
  return best;
}

/// Of one that was dropped before anybody looked at its bits its time says enough.
bool CandidateQueue::is_refused_for_bits(const model::TrialRecord& record) const {
  const bool is_whole = model::has_trusted_time(record.outcome.status);
  return !gives_bits(m_request, record) && (is_whole || record.outcome.output_bits);
}

void CandidateQueue::withdraw(const Item& item) {
  m_open.at(item.group).search->withdraw(item.candidate);
  count(item.group, -1);
}

void CandidateQueue::refuse(const Item& item) {
  m_open.at(item.group).search->refuse(item.candidate);
  count(item.group, -1);
}

void CandidateQueue::refuse_rest(const Item& item) {
  if (const auto open = m_open.find(item.group); open != m_open.end())
    open->second.search->refuse_rest(item.candidate);
}

bool CandidateQueue::is_refused(const Item& item) const {
  const auto open = m_open.find(item.group);
  return open != m_open.end() && open->second.search->is_refused(item.candidate);
}

void CandidateQueue::count(std::size_t group, std::int64_t trials) {
  m_open.at(group).begun += trials;
  m_shares.count(trials);
}

}  // namespace tuner::sweep
