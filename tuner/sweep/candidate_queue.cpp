#include "tuner/sweep/candidate_queue.hpp"

#include <algorithm>
#include <utility>

#include "tuner/search/strategy.hpp"
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
    if (!open.waits && !open.enough && !pauses(open)) groups.push_back(group);
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
  return !m_waiting.empty() && !m_shares.is_spent() && proposing().empty();
}

void CandidateQueue::begin_another() {
  if (m_begun < m_list.groups.size()) return begin_group();
  const std::size_t group = m_waiting.front();
  m_waiting.pop_front();
  begin_turn(m_open.at(group));
}

void CandidateQueue::begin_turn(Open& open) {
  open.pauses = false;
  open.is_parked = false;
  open.waits = false;
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
  open.waits = false;
  std::size_t problems = m_list.groups.size() - m_begun;
  if (open.turns > 1) problems += m_waiting.size();
  BudgetShares::Promised promised;
  for (const auto& [group, one] : m_open) {
    // One that has nothing more to propose is about to end.
    if (pauses(one) || (one.has_share && one.waits)) continue;
    ++problems;
    if (&one != &open && one.has_share) m_shares.promise(one.index, one.share, one.begun, promised);
  }
  open.share = m_shares.share(open.index, problems, promised);
}

std::size_t CandidateQueue::count_at_turn() const {
  return static_cast<std::size_t>(std::ranges::count_if(m_open, [this](const auto& item) {
    const Open& open = item.second;
    return open.has_share && !open.waits && !open.enough && !pauses(open);
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
  return open.under_way * sharing >= m_compilers;
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
  return open.has_ended_one && m_shares.is_over(open.index, open.share);
}

bool CandidateQueue::is_over(const Item& item) const {
  const auto open = item.again == nullptr ? m_open.find(item.group) : m_open.end();
  return open != m_open.end() && is_over(open->second);
}

void CandidateQueue::give_back(const Item& item) {
  Open& open = m_open.at(item.group);
  open.returned.push_back(item);
  --open.begun;
  m_shares.count(-1);
  hear_of_end(open);
}

std::optional<std::size_t> CandidateQueue::take_paused() {
  for (auto& [group, open] : m_open) {
    if (open.is_parked || open.under_way > 0 || !note_share(open)) continue;
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
  std::ranges::stable_sort(order, {}, [this](std::size_t group) { return m_open.at(group).under_way; });
  return order;
}

std::optional<CandidateQueue::Item> CandidateQueue::next_of_open() {
  const std::vector<std::size_t> order = order_of_open();
  if (m_devices > 1) ask_side_by_side(order);
  for (const std::size_t group : order) {
    Open& open = m_open.at(group);
    if (note_share(open)) continue;
    if (is_held(open)) {
      open.waits = true;
      continue;
    }
    if (auto proposal = next_proposal(open)) {
      ++open.under_way;
      ++open.begun;
      m_shares.count(1);
      return Item{group, proposal->candidate, std::move(proposal->origin), nullptr};
    }
    if (open.under_way > 0) {
      open.waits = open.under_way < strategy_of(open).lookahead();
      continue;
    }
    const auto with_rest = open.enough ? model::SearchEnding::until : model::SearchEnding::gave_up;
    m_finished.push_back(ended(group, open, with_rest));
    m_open.erase(group);
  }
  return std::nullopt;
}

bool CandidateQueue::is_drained() const {
  return m_begun == m_list.groups.size() && std::all_of(m_open.begin(), m_open.end(), [](const auto& item) {
           return item.second.waits || item.second.pauses;
         });
}

std::optional<search::Proposal> CandidateQueue::next_proposal(Open& open) {
  if (!open.returned.empty()) {
    const Item item = std::move(open.returned.front());
    open.returned.pop_front();
    return search::Proposal{item.candidate, item.origin};
  }
  if (!open.baselines.empty()) {
    const std::size_t candidate = open.baselines.back();
    open.baselines.pop_back();
    return search::Proposal{candidate, ""};
  }
  if (open.answer) return *std::exchange(open.answer, std::nullopt);
  return ask(open);
}

void CandidateQueue::ask_side_by_side(const std::vector<std::size_t>& order) {
  std::vector<Open*> asked;
  for (const std::size_t group : order) {
    if (asked.size() == m_devices) break;
    Open& open = m_open.at(group);
    const bool can_say = !is_settled(open) && !is_held(open) && !open.waits && !open.pauses &&
                         open.under_way < strategy_of(open).lookahead();
    if (open.baselines.empty() && !open.answer && can_say) asked.push_back(&open);
  }
  if (asked.size() < 2) return;
  util::for_each_index(asked.size(), 1, [&](std::size_t i) { asked[i]->answer = ask(*asked[i]); });
}

bool CandidateQueue::asks(Open& open) {
  if (is_settled(open) || open.waits || open.under_way >= strategy_of(open).lookahead()) return false;
  if (is_stopped(open)) return false;
  const bool asks_now = open.news >= results_an_outlook || (open.news > 0 && open.under_way == 0);
  if (open.until && asks_now && open.has_time) {
    // Anew where it was enough before: what compiles longest may come last, and be the best.
    if (auto outlook = strategy_of(open).outlook()) {
      open.enough.reset();
      if (outlook->high < *open.until) open.enough = std::move(outlook);
    }
    open.news = 0;
  }
  return !open.enough;
}

/// Making one costs as much as it has to learn from: where a search has ended before, it is not asked.
search::Strategy& CandidateQueue::strategy_of(Open& open) {
  if (!open.strategy) {
    const std::size_t size = m_list.groups[open.index].count_competing(m_request);
    open.strategy = m_choice.make(size, *open.space, m_request.seed + open.index);
  }
  return *open.strategy;
}

CandidateQueue::Answer CandidateQueue::ask(Open& open) {
  if (!asks(open)) return std::nullopt;
  while (auto proposal = default_or_proposal(open)) {
    if (is_late()) return std::nullopt;
    if (!open.space->offers || open.space->offers(proposal->candidate)) return proposal;
    ++open.refused;
    strategy_of(open).report(proposal->candidate, {model::TrialStatus::skipped, std::nullopt});
  }
  return std::nullopt;
}

bool CandidateQueue::is_settled(const Open& open) {
  return open.enough && open.news == 0;
}

CandidateQueue::Answer CandidateQueue::default_or_proposal(Open& open) {
  const std::vector<std::size_t>& defaults = open.space->begun;
  if (open.defaults == defaults.size()) return strategy_of(open).next();
  return search::Proposal{defaults[open.defaults++], "default"};
}

bool CandidateQueue::is_late() const {
  return m_services.stop || m_shares.is_late();
}

/// Whether every kernel that may win is refused.
bool CandidateQueue::is_stopped(const Open& open) {
  if (open.refused_kernels.empty()) return false;
  for (std::size_t kernel = 0; kernel < open.space->kernels.size(); ++kernel) {
    const bool may_win = model::may_win(open.space->kernels[kernel].spec->role);
    if (may_win && !open.refused_kernels.contains(kernel)) return false;
  }
  return true;
}

bool CandidateQueue::is_baseline(const Item& item) const {
  return !model::may_win(m_list.groups[item.group].work_of(m_request, item.candidate).kernel.spec().role);
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
  for (auto& [group, open] : m_open) searches.push_back(ended(group, open, ending));
  m_open.clear();
  return searches;
}

EndedSearch CandidateQueue::ended(std::size_t index, Open& open, model::SearchEnding with_rest) {
  const Group& group = m_list.groups[index];
  model::SearchRecord record;
  record.problem = group.problem;
  record.environment = environment(m_request, group.problem.type);
  record.run = m_request.run.id;
  record.strategy = open.strategy_text;
  m_results[index].for_each([&](std::size_t i, const search::Result& result) {
    if (is_baseline({index, i, {}})) return;
    ++record.tried;
    if (model::is_failure(result.status)) ++record.failed;
  });
  if (record.tried + open.refused == static_cast<std::int64_t>(group.count_competing(m_request))) {
    if (!group.is_whole()) record.ending = model::SearchEnding::gave_up;
  } else if (open.is_refused) {
    record.ending = model::SearchEnding::refused;
  } else {
    // What is enough of some bits, or of another objective, is not enough of all.
    const bool is_enough_of_some = m_request.is_own_question() && with_rest == model::SearchEnding::until;
    record.ending = is_enough_of_some ? model::SearchEnding::gave_up : with_rest;
    // What a shard expects of the rest it expects of its own.
    if (group.is_whole() && !m_request.is_own_question())
      record.outlook = open.enough ? open.enough : strategy_of(open).outlook();
    // All was proposed, and not all of it was tried.
    if (record.outlook == search::exhausted()) record.outlook.reset();
  }
  for (std::size_t i = 0; i < group.work.size(); ++i) {
    const space::KernelSpace& kernel = group.work_of_kernel(m_request, i).kernel;
    if (!model::may_win(kernel.spec().role) || group.launchable[i] == 0) continue;
    record.parts.push_back({kernel.spec().name, kernel.spec_digest(), group.launchable[i]});
  }
  std::ranges::sort(record.parts, {}, &model::SearchRecord::Part::kernel);
  return {index, std::move(record)};
}

bool CandidateQueue::compiled(const Item& item, const search::BinaryFacts& compiled) {
  const auto open = m_open.find(item.group);
  // Once the searches are closed, strategies are not asked any more; a final may still wait for a compiler.
  if (open == m_open.end() || is_baseline(item)) return true;
  const bool is_worth_it = strategy_of(open->second).compiled(item.candidate, compiled);
  // Who asks for the whole space gets it: a strategy only predicts.
  return is_worth_it || !open->second.until;
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
    m_results[item.group][item.candidate] = result;
    strategy_of(open).report(item.candidate, note(open, result));
    open.has_ended_one = true;
    take_share(open);
  }
  hear_of_end(open);
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
  Open& open = m_open.at(item.group);
  if (!is_baseline(item))
    strategy_of(open).report(item.candidate, {model::TrialStatus::skipped, std::nullopt});
  --open.begun;
  m_shares.count(-1);
  hear_of_end(open);
}

void CandidateQueue::refuse(const Item& item) {
  m_open.at(item.group).is_refused = m_open.at(item.group).is_refused || !is_baseline(item);
  withdraw(item);
}

void CandidateQueue::refuse_rest(const Item& item) {
  const auto open = m_open.find(item.group);
  if (open == m_open.end() || is_baseline(item)) return;
  open->second.is_refused = true;
  open->second.refused_kernels.insert(m_list.groups[item.group].candidates[item.candidate].kernel);
}

bool CandidateQueue::is_refused(const Item& item) const {
  const auto open = m_open.find(item.group);
  return open != m_open.end() &&
         open->second.refused_kernels.contains(m_list.groups[item.group].candidates[item.candidate].kernel);
}

/// Where all were dropped, it was for a rival outside of the search: their times are what tells them apart.
search::Result CandidateQueue::note(Open& open, search::Result result) {
  open.has_time = open.has_time || result.time_ns;
  open.has_trusted = open.has_trusted || model::has_trusted_time(result.status);
  if (!open.has_trusted && result.status == model::TrialStatus::dropped)
    result.status = model::TrialStatus::ok;
  return result;
}

void CandidateQueue::hear_of_end(Open& open) {
  --open.under_way;
  open.waits = false;
  ++open.news;
  if (open.answer && !*open.answer) open.answer.reset();  // it had nothing to say without this
}

void CandidateQueue::begin_group() {
  const std::size_t index = m_order[m_begun++];
  const Group& group = m_list.groups[index];
  auto space = std::make_unique<search::SearchSpace>();
  space->problem = group.problem;
  for (std::size_t i = 0; i < group.work.size(); ++i)
    space->kernels.push_back({&group.work_of_kernel(m_request, i).kernel.spec(), &group.lists[i]});
  space->candidates = group.candidates;
  space->known = group.known;
  space->priors = [this, index] { return m_priors.of(index, m_results); };
  std::vector<std::size_t> baselines;
  if (group.has_unseen())
    space->offers = [this, &group](std::size_t candidate) { return group.offers(m_request, candidate); };
  for (std::size_t i = 0; i < group.candidates.told(); ++i) {
    if (!is_baseline({index, i, {}})) continue;
    if (!group.known[i]) baselines.push_back(i);
    space->known[i] = search::Result{model::TrialStatus::skipped, std::nullopt};  // nothing to search by
    m_results[index][i].reset();
  }
  space->begun = defaults_of(m_request, group);
  // Each group has an order of its own, so that no configuration is always measured on a cold device.
  const std::size_t size = group.count_competing(m_request);
  Open open{std::move(space),
            index,
            nullptr,
            std::move(baselines),
            0,
            m_choice.text(size),
            m_choice.until(size, m_request.until)};
  search::Results& known = open.space->known;
  known.for_each([&](std::size_t, const search::Result& result) { note(open, result); });
  group.known.for_each([&](std::size_t i, const search::Result&) { known[i] = note(open, *known[i]); });
  if (open.until && open.has_time && !m_request.retry_failed) {
    const auto before = outlook_of_before(group);
    if (before && before->high < *open.until) {
      open.enough = before;
      open.news = 0;
    }
  }
  begin_turn(m_open.emplace(index, std::move(open)).first->second);
}

std::optional<search::Outlook> CandidateQueue::outlook_of_before(const Group& group) const {
  if (m_request.fresh || m_request.is_own_question() || group.reopened > 0) return std::nullopt;
  const auto searched = m_services.source.searched(group.problem, environment(m_request, group.problem.type));
  const auto size = static_cast<std::int64_t>(group.count_competing(m_request));
  const bool is_as_then =
      searched && searched->candidates == size && searched->tried == searched->outlook_tried;
  return is_as_then ? searched->outlook : std::nullopt;
}

}  // namespace tuner::sweep
