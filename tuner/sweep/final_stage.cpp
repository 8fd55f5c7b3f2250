#include "tuner/sweep/final_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "tuner/sweep/trial_identity.hpp"
#include "tuner/sweep/trial_job.hpp"

namespace tuner::sweep {
namespace {

double time_ns(const model::TrialRecord& trial) {
  return trial.outcome.measurement->median_ns;
}

/// A tied trial with a wide interval may be much slower: only those are chosen from that are surely not.
bool may_be_chosen(const model::Standing& standing) {
  constexpr double most_lost = 1.01;
  return standing.tied && standing.ratio_high <= most_lost;
}

/// What they are chosen by, the least first: registers leave room for a neighbour or a later change, a
/// small block for small problems, and names make the choice the same everywhere.
auto preference(const model::TrialRecord& trial) {
  const int registers = trial.resources ? trial.resources->registers : std::numeric_limits<int>::max();
  return std::tuple(registers, trial.block.count(), trial.kernel, trial.configuration.text());
}

}  // namespace

FinalStage::FinalStage(const Request& request, const TrialList& list, Services& services,
                       CompileAhead& compiling)
    : m_request(request), m_list(list), m_services(services), m_compiling(compiling) {}

void FinalStage::remember(const Compiled& trial) {
  const model::TrialRecord& record = trial.trial.record;
  if (!model::has_trusted_time(record.outcome.status) || !record.outcome.measurement) return;
  std::vector<Compiled>& best = m_best[trial.item.group];
  const auto place =
      std::upper_bound(best.begin(), best.end(), time_ns(record),
                       [](double time, const Compiled& other) { return time < time_ns(other.trial.record); });
  best.insert(place, trial);
  const auto most = static_cast<std::size_t>(std::max(m_request.policy.final.contestants, 1));
  if (best.size() > most) best.pop_back();
}

bool FinalStage::hold(std::size_t group) {
  std::vector<Contestant> field = contestants(group);
  m_best.erase(group);
  if (field.empty()) return false;
  m_services.observer.final_begins(m_list.groups[group].problem, field.size());
  model::FinalJob job;
  job.seed = m_request.seed + group;
  const double best_ns = time_ns(field.front().compiled.trial.record);
  for (const Contestant& contestant : field) {
    job.trials.push_back(job_of(m_request, contestant.compiled));
    job.trials.back().best_ns = best_ns;
  }
  const model::FinalOutcome outcome = m_services.runner.run_final(job);
  if (outcome.complete()) {
    record(field, outcome);
    return true;
  }
  const std::string culprit =
      outcome.culprit ? fmt::format(" ({} {})", field[*outcome.culprit].compiled.trial.record.kernel,
                                    field[*outcome.culprit].compiled.trial.record.configuration.text())
                      : "";
  m_services.observer.notice(fmt::format("the best of {} could not be measured again{}: {}",
                                         m_list.groups[group].problem.text(), culprit,
                                         outcome.failure.detail));
  return false;
}

int FinalStage::hold_rest() {
  int held = 0;
  while (!m_best.empty() && !m_services.stop) held += hold(m_best.begin()->first) ? 1 : 0;
  return held;
}

std::vector<FinalStage::Contestant> FinalStage::contestants(std::size_t group) {
  const model::Problem& problem = m_list.groups[group].problem;
  const model::FinalPolicy& policy = m_request.policy.final;
  const std::vector<model::TrialRecord> records = m_services.source.contenders(
      problem, comparison_class(m_request, problem.type), policy.within, policy.contestants);
  std::vector<Contestant> field;
  for (const model::TrialRecord& record : records) {
    auto contestant = again(group, record);
    // A final that leaves out who may be the best would crown somebody else.
    if (!contestant) return {};
    field.push_back(std::move(*contestant));
  }
  return field;
}

std::optional<FinalStage::Contestant> FinalStage::again(std::size_t group, const model::TrialRecord& record) {
  for (const std::size_t index : m_list.groups[group].work) {
    const Work& work = m_request.work[index];
    if (work.kernel.spec().name != record.kernel) continue;
    const IdentityMaker identities(m_request, work, record.problem, record.comparison_class);
    if (identities.trial(record.configuration) != record.key) return std::nullopt;
    for (const Compiled& known : m_best[group]) {
      if (known.trial.record.key == record.key) return Contestant{&work, known};
    }
    Trial trial = describe(m_request, work, record.problem, record.configuration, record.key);
    if (trial.record.outcome.status != model::TrialStatus::ok) return std::nullopt;
    Compiled compiled = m_compiling.compile_now(compilable(m_request, work, std::move(trial), {group, 0}));
    add_compilation(compiled.trial, *compiled.binary, m_services.oracle);
    const bool sound = compiled.trial.record.outcome.status == model::TrialStatus::ok &&
                       (!compiled.reference || compiled.reference->status == model::TrialStatus::ok);
    if (!sound) return std::nullopt;
    compiled.trial.record.outcome = record.outcome;
    return Contestant{&work, std::move(compiled)};
  }
  return std::nullopt;
}

void FinalStage::record(std::vector<Contestant>& contestants, const model::FinalOutcome& outcome) {
  std::vector<std::size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto place = [&](std::size_t i) {
      return std::pair(i != outcome.fastest, outcome.standings[i].ratio);
    };
    return place(a) < place(b);
  });

  model::FinalRecord final;
  final.problem = contestants.front().compiled.trial.record.problem;
  final.comparison_class = contestants.front().compiled.trial.record.comparison_class;
  final.rounds = outcome.rounds;
  final.throttled_rounds = outcome.throttled_rounds;
  final.run = m_request.run.id;
  std::vector<model::TrialRecord> records;
  const model::TrialRecord* chosen = nullptr;
  for (const std::size_t i : order) {
    const model::Standing& standing = outcome.standings[i];
    Trial& trial = contestants[i].compiled.trial;
    trial.record.run = m_request.run.id;
    model::TrialOutcome measured = trial.record.outcome;
    measured.measurement = standing.measurement;
    add_outcome(trial, std::move(measured), *contestants[i].work);
    final.entries.push_back(
        {trial.record.key, standing.ratio, standing.ratio_low, standing.ratio_high, standing.tied});
    const bool preferred = !chosen || preference(trial.record) < preference(*chosen);
    if (may_be_chosen(standing) && preferred) chosen = &trial.record;
  }
  final.chosen = chosen ? chosen->key : final.entries.front().trial;
  for (const std::size_t i : order) records.push_back(contestants[i].compiled.trial.record);
  m_services.sink.record_final(final, records);
}

}  // namespace tuner::sweep
