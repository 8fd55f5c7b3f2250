#include "tuner/sweep/final_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "tuner/search/open_candidates.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tuner::sweep {
namespace {

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

/// Beside the others it may lack memory that it has alone, and one of them may have changed its inputs.
bool is_own_failure(const model::TrialOutcome& failure) {
  return failure.subject == model::Subject::trial && model::is_failure(failure.status) &&
         failure.status != model::TrialStatus::launch_error &&
         failure.status != model::TrialStatus::input_modified;
}

}  // namespace

FinalStage::FinalStage(const Request& request, const TrialList& list, Services& services,
                       CompileAhead& compiling, DeviceSpread& spread)
    : SweepPart(request, list, services),
      m_field(request, services, spread),
      m_compiler(request, services, compiling),
      m_foreign(request, services, compiling, spread) {}

void FinalStage::remember(const CompiledTrial& trial) {
  const model::TrialRecord& record = trial.trial.record;
  if (!record.outcome.trusted_ns() || !gives_bits(m_request, record)) return;
  std::vector<CompiledTrial>& best = m_best[trial.item.group];
  const auto place = std::upper_bound(
      best.begin(), best.end(), time_ns(record),
      [](double time, const CompiledTrial& other) { return time < time_ns(other.trial.record); });
  best.insert(place, trial);
  const auto most = static_cast<std::size_t>(std::max(m_request.policy.final.finalists, 1));
  if (best.size() > most) best.pop_back();
}

const CompiledTrial* FinalStage::best(std::size_t group) const {
  const auto best = m_best.find(group);
  if (best == m_best.end()) return nullptr;
  for (const CompiledTrial& compiled : best->second) {
    if (model::may_win(compiled.trial.record.role)) return &compiled;
  }
  return nullptr;
}

std::optional<std::size_t> FinalStage::left() const {
  return m_best.empty() ? std::nullopt : std::optional(m_best.begin()->first);
}

void FinalStage::open(std::size_t group) {
  const std::vector<CompiledTrial> remembered = std::exchange(m_best[group], {});
  m_best.erase(group);
  open(group, remembered);
}

void FinalStage::open(std::size_t group, const std::vector<CompiledTrial>& remembered) {
  const model::Problem& problem = m_list.groups[group].problem;
  model::PossibleFinal field = m_field.of(problem);
  if (m_foreign.begin(field)) {
    m_waiting.push_back({group, remembered});
    return;
  }
  const bool unsettled = m_field.is_unsettled(field);
  m_field.correct(field);
  m_field.add_by_objective(field, problem);
  PreparedFinal opened{group, {}, std::move(field.coverage), {}, {}};
  std::vector<bool> present;
  for (auto* list : {&field.finalists, &field.baselines}) {
    for (model::TrialRecord& record : *list) {
      const Work* work = work_of(m_request, record);
      present.push_back(work != nullptr);
      if (work == nullptr) opened.leave_out(record);
      if (work != nullptr) opened.finalists.push_back({work, std::move(record), std::nullopt});
    }
  }
  const auto knows_all_present = [&](const std::vector<bool>& considered) {
    for (std::size_t i = 0; i < present.size(); ++i) {
      if (present[i] && !considered[i]) return false;
    }
    return true;
  };
  const bool considered = std::any_of(field.considered.begin(), field.considered.end(), knows_all_present);
  const bool is_measured = std::ranges::none_of(
      opened.finalists, [&](const Finalist& finalist) { return lacks_energy(finalist); });
  if (considered && !unsettled && is_measured) return;
  for (Finalist& finalist : opened.finalists) {
    const auto known = std::find_if(remembered.begin(), remembered.end(), [&](const CompiledTrial& one) {
      return one.trial.record.key == finalist.record.key;
    });
    if (known != remembered.end()) finalist.compiled = *known;
  }
  m_opened.push_back(std::move(opened));
  compile(m_opened.back());
}

/// Whether its energy is to be measured in a final and was not yet.
bool FinalStage::lacks_energy(const Finalist& finalist) const {
  const auto& energy = finalist.record.outcome.energy;
  return m_request.policy.energy && m_request.recorded_device.empty() && !(energy && energy->runs > 1) &&
         tells_energy(finalist.work->kernel.spec());
}

void FinalStage::compile(PreparedFinal& opened) {
  std::erase_if(opened.finalists, [&](const Finalist& finalist) {
    if (finalist.compiled || m_compiler.submit(finalist)) return false;
    opened.leave_out(finalist.record);
    return true;
  });
}

void FinalStage::compile_again() {
  for (PreparedFinal& opened : m_opened) compile(opened);
  m_foreign.compile_again();
}

std::optional<ForeignDevices::Comparison> FinalStage::claim_comparison() {
  auto claimed = m_foreign.claim();
  open_waiting();
  return claimed;
}

void FinalStage::end_comparison(const std::string& gpu, std::size_t number,
                                std::optional<DeviceSpread::Taken> run) {
  m_foreign.end(gpu, number, run);
  open_waiting();
}

/// Finals that waited for a GPU to be compared are opened once all are that they wait for.
void FinalStage::open_waiting() {
  if (m_waiting.empty() || m_foreign.count() > 0) return;
  for (const Waiting& waiting : std::exchange(m_waiting, {})) open(waiting.group, waiting.remembered);
}

std::optional<FinalStage::PreparedFinal> FinalStage::take(const Suits& suits) {
  for (auto opened = m_opened.begin(); opened != m_opened.end();) {
    if (!suits(opened->group) || !is_ready(*opened)) {
      ++opened;
      continue;
    }
    PreparedFinal ready = std::move(*opened);
    opened = m_opened.erase(opened);
    const bool any_may_win = std::any_of(ready.finalists.begin(), ready.finalists.end(),
                                         [](const Finalist& one) { return model::may_win(one.record.role); });
    if (any_may_win) return make(std::move(ready));
  }
  return std::nullopt;
}

/// Takes the binaries that are there; what does not compile any more has no place.
bool FinalStage::is_ready(PreparedFinal& opened) {
  bool all = true;
  std::erase_if(opened.finalists, [&](Finalist& finalist) {
    if (finalist.compiled) return false;
    using Binary = FinalistCompiler::Binary;
    const Binary binary = m_compiler.fetch(finalist);
    if (binary == Binary::awaited) all = false;
    if (binary == Binary::unsound) opened.leave_out(finalist.record);
    return binary == Binary::unsound;
  });
  return all;
}

void FinalStage::say_unheld() const {
  for (const PreparedFinal& opened : m_opened) {
    m_services.observer.notice(
        fmt::format("no final of {}: the binaries of its finalists were not compiled in time; the same "
                    "command again holds it",
                    m_list.groups[opened.group].problem.text()));
  }
}

FinalStage::PreparedFinal FinalStage::make(PreparedFinal final) {
  std::erase_if(final.coverage, [&](const model::FinalRecord::Coverage& covered) {
    return final.absent.contains(covered.kernel);
  });
  std::size_t rivals = 0;
  final.job.seed = m_request.seed + final.group;
  for (const Finalist& finalist : final.finalists) {
    const CompiledTrial& compiled = *finalist.compiled;
    if (model::may_win(compiled.trial.record.role)) ++rivals;
    final.job.trials.push_back(job_of(m_request, compiled));
    final.job.trials.back().best_ns = time_ns(compiled.trial.record);
  }
  m_services.observer.final_begins(m_list.groups[final.group].problem, rivals);
  shorten(final.job);
  return final;
}

/// Its only finalist took longer than others raced in: with them beside it the next one tells.
void FinalStage::hold_again(std::size_t group) {
  const model::Problem& problem = m_list.groups[group].problem;
  if (!m_field.is_unsettled(m_field.of(problem)) || !m_again.insert(group).second) return;
  m_services.observer.notice(
      fmt::format("the final of {} {} did not settle: its only finalist took longer than others did in the "
                  "race; it is held again with them",
                  problem.family, problem.text()));
  open(group);
}

bool FinalStage::conclude(PreparedFinal final, const model::FinalOutcome& outcome, const std::string& gpu) {
  const model::Problem& problem = m_list.groups[final.group].problem;
  if (!outcome.complete()) {
    if (outcome.culprit && is_own_failure(outcome.failure))
      hold_without(std::move(final), *outcome.culprit, outcome.failure, gpu);
    else
      m_services.observer.notice(
          fmt::format("warning: no final of {} was held: {}", problem.text(), outcome.failure.detail));
    return false;
  }
  record(final, outcome, gpu);
  if (!final.absent.empty()) {
    m_services.observer.notice(
        fmt::format("missing from the final of {}: {}, whose spec is not at hand; name it with --kernel",
                    problem.text(), fmt::join(final.absent, ", ")));
  }
  hold_again(final.group);
  return true;
}

/// Its failure is its result; the binaries of the others are at hand.
void FinalStage::hold_without(PreparedFinal final, std::size_t culprit, const model::TrialOutcome& failure,
                              const std::string& gpu) {
  std::vector<CompiledTrial> others;
  for (std::size_t i = 0; i < final.finalists.size(); ++i)
    if (i != culprit) others.push_back(std::move(*final.finalists[i].compiled));
  model::TrialRecord failed = std::move(final.finalists[culprit].compiled->trial.record);
  failed.run = m_request.run.id;
  failed.gpu = gpu;
  failed.metrics.clear();
  failed.outcome = failure;
  if (model::is_death(failure.status)) note_death(failed);
  m_services.sink.record(failed);
  m_services.observer.notice(fmt::format(
      "warning: {} {} failed in the final of {}, which is held without it: {}: {}", failed.kernel,
      failed.configuration.text(), failed.problem.text(), model::to_string(failure.status), failure.detail));
  open(final.group, others);
}

/// What measuring the energy of a finalist takes at most, unless its launches are long.
constexpr double energy_of_each_ns = 3e9;

/// So that choosing and confirming end in time; each has six rounds however long they take.
void FinalStage::shorten(model::FinalJob& job) const {
  const double left_ns = (m_until - m_services.clock()) * 1e9;
  const double energy_ns = energy_of_each_ns * static_cast<double>(job.trials.size());
  for (model::TrialJob& trial : job.trials) {
    double& limit_ns = trial.policy.final.time_limit_ns;
    limit_ns = std::min(limit_ns, std::max(left_ns / 2, 0.0));
    trial.policy.energy = trial.policy.energy && energy_ns < left_ns / 2;
  }
}

void FinalStage::record(PreparedFinal& held, const model::FinalOutcome& outcome, const std::string& gpu) {
  std::vector<Finalist>& finalists = held.finalists;
  const auto role = [&](std::size_t i) { return finalists[i].compiled->trial.record.role; };
  const std::vector<std::size_t> order = search::ordered_by(finalists.size(), [&](std::size_t i) {
    return std::tuple(!model::may_win(role(i)), i != outcome.fastest, outcome.standings[i].ratio);
  });

  model::FinalRecord final;
  final.problem = finalists.front().compiled->trial.record.problem;
  final.environment = finalists.front().compiled->trial.record.environment;
  final.rounds = outcome.rounds;
  final.throttled_rounds = outcome.throttled_rounds;
  final.coverage = std::move(held.coverage);
  final.run = m_request.run.id;
  std::vector<model::TrialRecord> records;
  const model::TrialRecord* chosen = nullptr;
  for (const std::size_t i : order) {
    const model::Standing& standing = outcome.standings[i];
    Trial& trial = finalists[i].compiled->trial;
    trial.record.run = m_request.run.id;
    trial.record.gpu = gpu;
    model::TrialOutcome measured = trial.record.outcome;
    measured.measurement = standing.measurement;
    if (standing.energy) measured.energy = standing.energy;
    const TrialMaker maker(m_request, *finalists[i].work, trial.record.problem);
    maker.add_outcome(trial, std::move(measured));
    final.entries.push_back(
        {trial.record.key, standing.ratio, standing.ratio_low, standing.ratio_high, standing.tied});
    const bool preferred = !chosen || preference(trial.record) < preference(*chosen);
    if (model::may_win(role(i)) && may_be_chosen(standing) && preferred) chosen = &trial.record;
  }
  final.chosen = chosen ? chosen->key : final.entries.front().trial;
  for (const std::size_t i : order) records.push_back(finalists[i].compiled->trial.record);
  m_services.sink.record_final(final, records);
}

}  // namespace tuner::sweep
