#include "tuner/sweep/group_search.hpp"

#include <algorithm>
#include <utility>

#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {

GroupSearch::GroupSearch(const SweepPart& sweep, const StrategyChoice& choice, std::size_t group,
                         search::Results& results, AskPriors priors, std::function<bool()> is_late)
    : SweepPart(sweep), m_choice(choice), m_group(group), m_results(results), m_is_late(std::move(is_late)) {
  const Group& own = listed();
  m_until = m_choice.until(own.count_competing(m_request), m_request.until);
  m_space.problem = own.problem;
  for (std::size_t i = 0; i < own.work.size(); ++i)
    m_space.kernels.push_back({&own.work_of_kernel(m_request, i).kernel.spec(), &own.lists[i]});
  m_space.candidates = own.candidates;
  m_space.known = own.known;
  m_space.priors = std::move(priors);
  if (own.has_unseen())
    m_space.offers = [this](std::size_t candidate) { return listed().offers(m_request, candidate); };
  for (std::size_t i = 0; i < own.candidates.told(); ++i) {
    if (!is_baseline(i)) continue;
    if (!own.known[i]) m_baselines.push_back(i);
    m_space.known[i] = search::Result{model::TrialStatus::skipped, std::nullopt};  // nothing to search by
    m_results[i].reset();
  }
  m_space.begun = defaults_of(m_request, own);
  m_space.known.for_each([&](std::size_t, const search::Result& result) { note(result); });
  own.known.for_each(
      [&](std::size_t i, const search::Result&) { m_space.known[i] = note(*m_space.known[i]); });
  if (!m_until || !m_has_time || m_request.retry_failed) return;
  if (const auto before = outlook_of_before(); before && before->high < *m_until) {
    m_enough = before;
    m_news = 0;
  }
}

std::optional<search::Outlook> GroupSearch::outlook_of_before() const {
  const Group& own = listed();
  if (m_request.fresh || m_request.is_own_question() || own.reopened > 0) return std::nullopt;
  const auto searched = m_services.source.searched(own.problem, environment(m_request, own.problem.type));
  const auto size = static_cast<std::int64_t>(own.count_competing(m_request));
  const bool is_as_then =
      searched && searched->candidates == size && searched->tried == searched->outlook_tried;
  return is_as_then ? searched->outlook : std::nullopt;
}

GroupSearch::Answer GroupSearch::next() {
  Answer proposal = next_proposal();
  if (proposal)
    ++m_under_way;
  else if (m_under_way > 0)
    m_waits = m_under_way < strategy().lookahead();
  return proposal;
}

GroupSearch::Answer GroupSearch::next_proposal() {
  if (!m_returned.empty()) {
    search::Proposal proposal = std::move(m_returned.front());
    m_returned.pop_front();
    return proposal;
  }
  if (!m_baselines.empty()) {
    const std::size_t candidate = m_baselines.back();
    m_baselines.pop_back();
    return search::Proposal{candidate, ""};
  }
  if (m_answer) return *std::exchange(m_answer, std::nullopt);
  return ask();
}

bool GroupSearch::can_be_asked() {
  return m_baselines.empty() && !m_answer && !is_settled() && !m_waits &&
         m_under_way < strategy().lookahead();
}

bool GroupSearch::asks() {
  if (is_settled() || m_waits || m_under_way >= strategy().lookahead()) return false;
  if (is_stopped()) return false;
  const bool asks_now = m_news >= results_an_outlook || (m_news > 0 && m_under_way == 0);
  if (m_until && asks_now && m_has_time) {
    // Anew where it was enough before: what compiles longest may come last, and be the best.
    if (auto outlook = strategy().outlook()) {
      m_enough.reset();
      if (outlook->high < *m_until) m_enough = std::move(outlook);
    }
    m_news = 0;
  }
  return !m_enough;
}

/// Making one costs as much as it has to learn from: where a search has ended before, it is not asked.
/// Each group has an order of its own, so that no configuration is always measured on a cold device.
search::Strategy& GroupSearch::strategy() {
  if (!m_strategy)
    m_strategy = m_choice.make(listed().count_competing(m_request), m_space, m_request.seed + m_group);
  return *m_strategy;
}

GroupSearch::Answer GroupSearch::ask() {
  if (!asks() || is_in_vain()) return std::nullopt;
  while (auto proposal = default_or_proposal()) {
    if (m_is_late() || is_in_vain()) return std::nullopt;
    if (!m_space.offers || m_space.offers(proposal->candidate)) {
      m_in_vain = 0;
      return proposal;
    }
    ++m_unlaunchable;
    ++m_in_vain;
    strategy().report(proposal->candidate, {model::TrialStatus::skipped, std::nullopt});
  }
  return std::nullopt;
}

bool GroupSearch::is_in_vain() const {
  constexpr std::int64_t enough = 1 << 18;  // under a second's worth
  const bool is_whole_wanted = m_request.strategy == "exhaustive" || m_request.until == 0;
  return !is_whole_wanted && m_in_vain >= enough * (m_request.shard ? m_request.shard->of : 1);
}

GroupSearch::Answer GroupSearch::default_or_proposal() {
  if (m_defaults == m_space.begun.size()) return strategy().next();
  return search::Proposal{m_space.begun[m_defaults++], "default"};
}

bool GroupSearch::is_stopped() const {
  if (m_refused_kernels.empty()) return false;
  for (std::size_t kernel = 0; kernel < m_space.kernels.size(); ++kernel) {
    const bool may_win = model::may_win(m_space.kernels[kernel].spec->role);
    if (may_win && !m_refused_kernels.contains(kernel)) return false;
  }
  return true;
}

bool GroupSearch::is_baseline(std::size_t candidate) const {
  return !model::may_win(listed().work_of(m_request, candidate).kernel.spec().role);
}

bool GroupSearch::compiled(std::size_t candidate, const search::BinaryFacts& facts) {
  if (is_baseline(candidate)) return true;
  const bool is_worth_it = strategy().compiled(candidate, facts);
  // Who asks for the whole space gets it: a strategy only predicts.
  return is_worth_it || !m_until;
}

void GroupSearch::report(std::size_t candidate, const search::Result& result) {
  m_results[candidate] = result;
  strategy().report(candidate, note(result));
}

/// Where all were dropped, it was for a rival outside of the search: their times are what tells them apart.
search::Result GroupSearch::note(search::Result result) {
  m_has_time = m_has_time || result.time_ns;
  m_has_trusted = m_has_trusted || model::has_trusted_time(result.status);
  if (!m_has_trusted && result.status == model::TrialStatus::dropped) result.status = model::TrialStatus::ok;
  return result;
}

void GroupSearch::withdraw(std::size_t candidate) {
  if (!is_baseline(candidate)) strategy().report(candidate, {model::TrialStatus::skipped, std::nullopt});
  hear_of_end();
}

void GroupSearch::refuse(std::size_t candidate) {
  m_is_refused = m_is_refused || !is_baseline(candidate);
  withdraw(candidate);
}

void GroupSearch::refuse_rest(std::size_t candidate) {
  if (is_baseline(candidate)) return;
  m_is_refused = true;
  m_refused_kernels.insert(listed().candidates[candidate].kernel);
}

bool GroupSearch::is_refused(std::size_t candidate) const {
  return m_refused_kernels.contains(listed().candidates[candidate].kernel);
}

void GroupSearch::give_back(search::Proposal proposal) {
  m_returned.push_back(std::move(proposal));
  hear_of_end();
}

void GroupSearch::hear_of_end() {
  --m_under_way;
  m_waits = false;
  ++m_news;
  if (m_answer && !*m_answer) m_answer.reset();  // it had nothing to say without this
}

model::SearchRecord GroupSearch::record(model::SearchEnding with_rest) {
  const Group& own = listed();
  model::SearchRecord record;
  record.problem = own.problem;
  record.environment = environment(m_request, own.problem.type);
  record.run = m_request.run.id;
  record.strategy = m_choice.text(own.count_competing(m_request));
  m_results.for_each([&](std::size_t i, const search::Result& result) {
    if (is_baseline(i)) return;
    ++record.tried;
    if (model::is_failure(result.status)) ++record.failed;
  });
  if (record.tried + m_unlaunchable == static_cast<std::int64_t>(own.count_competing(m_request))) {
    if (!own.is_whole()) record.ending = model::SearchEnding::gave_up;
  } else if (m_is_refused) {
    record.ending = model::SearchEnding::refused;
  } else {
    // What is enough of some bits, or of another objective, is not enough of all.
    const bool is_enough_of_some = m_request.is_own_question() && with_rest == model::SearchEnding::until;
    record.ending = is_enough_of_some ? model::SearchEnding::gave_up : with_rest;
    // What a shard expects of the rest it expects of its own.
    if (own.is_whole() && !m_request.is_own_question())
      record.outlook = m_enough ? m_enough : strategy().outlook();
    // All was proposed, and not all of it was tried.
    if (record.outlook == search::exhausted()) record.outlook.reset();
  }
  if (own.is_drawn()) return record;  // of how many nobody knows: no share of a space was searched
  for (std::size_t i = 0; i < own.work.size(); ++i) {
    const space::KernelSpace& kernel = own.work_of_kernel(m_request, i).kernel;
    if (!model::may_win(kernel.spec().role) || own.launchable[i] == 0) continue;
    record.parts.push_back({kernel.spec().name, kernel.spec_digest(), own.launchable[i]});
  }
  std::ranges::sort(record.parts, {}, &model::SearchRecord::Part::kernel);
  return record;
}

}  // namespace tuner::sweep
