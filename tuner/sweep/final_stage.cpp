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

/// Beside the others it may lack memory that it has alone, and one of them may have changed its inputs.
bool is_own_failure(const model::TrialOutcome& failure) {
  return failure.subject == model::Subject::trial && model::is_failure(failure.status) &&
         failure.status != model::TrialStatus::launch_error &&
         failure.status != model::TrialStatus::input_modified;
}

/// How long a finalist that was alone in its final took there, where others that give the bits raced faster
/// and were never in a final with it. 0: there is none.
double contradicted_by_same_bits(const Request& request, const model::PossibleFinal& all) {
  const auto gives = [&](std::size_t i) { return gives_bits(request, all.finalists[i]); };
  const auto met = [&](std::size_t a, std::size_t b) {
    return std::ranges::any_of(all.sampled, [&](const auto& sampled) { return sampled[a] && sampled[b]; });
  };
  double slowest_ns = 0;
  for (std::size_t final = 0; final < all.sampled.size(); ++final) {
    const double alone_ns = all.contradicted_ns[final];
    const auto only =
        static_cast<std::size_t>(std::ranges::find(all.sampled[final], true) - all.sampled[final].begin());
    if (alone_ns == 0 || only == all.finalists.size() || !gives(only)) continue;
    for (std::size_t i = 0; i < all.finalists.size(); ++i)
      if (all.raced_ns[i] < alone_ns && gives(i) && !met(i, only))
        slowest_ns = std::max(slowest_ns, alone_ns);
  }
  return slowest_ns;
}

}  // namespace

FinalStage::FinalStage(const Request& request, const TrialList& list, Services& services,
                       CompileAhead& compiling, DeviceSpread& spread)
    : SweepPart(request, list, services), m_compiling(compiling), m_spread(spread) {}

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
  model::PossibleFinal field = field_of(problem);
  if (begin_comparisons(field)) {
    m_waiting.push_back({group, remembered});
    return;
  }
  const bool unsettled = is_unsettled(field);
  correct(field);
  add_by_objective(field, problem);
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

/// Trials near the best by another objective take part too: the final tells which is the fastest, and
/// what each of them takes.
void FinalStage::add_by_objective(model::PossibleFinal& field, const model::Problem& problem) const {
  const model::Objective objective = m_request.policy.objective;
  const model::FinalPolicy& policy = m_request.policy.final;
  if (objective == model::Objective::time) return;
  std::vector<model::TrialRecord> all = all_competing(m_request, problem, m_services.source).finalists;
  std::erase_if(all, [&](const model::TrialRecord& record) {
    return !record.outcome.energy || !gives_bits(m_request, record);
  });
  const auto value = [&](const model::TrialRecord& record) {
    const auto of = [&](DeviceSpread::What what) {
      return m_spread.correction_of(record.gpu, what).value_or(1);
    };
    return model::objective_value(objective, time_ns(record) / of(&DeviceSpread::Taken::ns),
                                  record.outcome.energy->mean_j / of(&DeviceSpread::Taken::j));
  };
  std::ranges::stable_sort(all, {}, value);
  const std::size_t fastest = field.finalists.size();
  for (std::size_t i = 0; i < all.size() && i < static_cast<std::size_t>(policy.finalists); ++i) {
    if (value(all[i]) > value(all.front()) * policy.within) break;
    const auto same = [&](const model::TrialRecord& one) { return one.key == all[i].key; };
    if (std::ranges::none_of(field.finalists, same)) field.finalists.push_back(all[i]);
  }
  // By time these have nothing to win.
  for (std::vector<bool>& considered : field.considered)
    considered.insert(considered.begin() + static_cast<std::ptrdiff_t>(fastest),
                      field.finalists.size() - fastest, true);
}

/// Whether its energy is to be measured in a final and was not yet.
bool FinalStage::lacks_energy(const Finalist& finalist) const {
  const auto& energy = finalist.record.outcome.energy;
  return m_request.policy.energy && m_request.recorded_device.empty() && !(energy && energy->runs > 1) &&
         tells_energy(finalist.work->kernel.spec());
}

/// Who may be in a final, as today's specs have it.
model::PossibleFinal FinalStage::field_of(const model::Problem& problem) {
  hold_declarations(m_request, m_services);
  if (m_request.same_bits) return field_of_same_bits(problem);
  // Seen from the slowest device, the fastest may look so much better than it is.
  const double widest = std::max(m_spread.widest(), DeviceSpread::unlike);
  const model::FinalPolicy& policy = m_request.policy.final;
  return m_services.source.possible_final(problem, environment(m_request, problem.type),
                                          policy.within * widest, 4 * policy.finalists);
}

/// Of all trials those that give the bits asked for. It speaks of its finalists alone: what gives others has
/// a final of its own. One of before settles it only where all were sampled in it.
model::PossibleFinal FinalStage::field_of_same_bits(const model::Problem& problem) {
  model::PossibleFinal all = all_competing(m_request, problem, m_services.source);
  model::PossibleFinal field;
  const double contradicted_ns = contradicted_by_same_bits(m_request, all);
  field.unsettled = contradicted_ns > 0;
  field.considered.resize(all.sampled.size());
  for (std::size_t i = 0; i < all.finalists.size(); ++i) {
    if (!gives_bits(m_request, all.finalists[i])) continue;
    const bool is_faster = field.raced_ns.empty() || all.raced_ns[i] < contradicted_ns ||
                           all.raced_ns[i] <= field.raced_ns.front() * m_request.policy.final.within;
    if (field.unsettled && !is_faster) continue;
    field.finalists.push_back(std::move(all.finalists[i]));
    field.raced_ns.push_back(all.raced_ns[i]);
    for (std::size_t final = 0; final < all.sampled.size(); ++final)
      field.considered[final].push_back(all.sampled[final][i]);
  }
  for (std::vector<bool>& considered : field.considered)
    considered.insert(considered.end(), all.baselines.size(), true);
  field.baselines = std::move(all.baselines);
  return field;
}

bool FinalStage::submit(const Finalist& finalist) {
  auto trial = make_again(m_request, *finalist.work, finalist.record);
  if (trial) m_compiling.submit_apart(std::move(*trial));
  return trial.has_value();
}

void FinalStage::compile(PreparedFinal& opened) {
  std::erase_if(opened.finalists, [&](const Finalist& finalist) {
    if (finalist.compiled || submit(finalist)) return false;
    opened.leave_out(finalist.record);
    return true;
  });
}

void FinalStage::compile_again() {
  for (PreparedFinal& opened : m_opened) compile(opened);
  for (const auto& [gpu, foreign] : m_foreign)
    if (!foreign.best.compiled) submit(foreign.best);
}

bool FinalStage::begin_comparisons(const model::PossibleFinal& field) {
  bool any = false;
  for (const model::TrialRecord& record : field.finalists) {
    const Work* work = work_of(m_request, record);
    if (work == nullptr || m_spread.correction_of(record.gpu)) continue;
    if (!DeviceSpread::can_tell_by(record.outcome)) continue;
    any = true;
    if (m_foreign.contains(record.gpu)) continue;
    Foreign foreign{{work, record, std::nullopt}, 0, {}, false};
    foreign.is_hopeless = !submit(foreign.best);
    m_foreign.emplace(record.gpu, std::move(foreign));
  }
  return any;
}

std::optional<FinalStage::Comparison> FinalStage::claim_comparison() {
  std::vector<std::string> ended;
  std::optional<Comparison> claimed;
  for (auto& [gpu, foreign] : m_foreign) {
    if (!foreign.is_hopeless && !foreign.best.compiled)
      foreign.is_hopeless = fetch(foreign.best) == Binary::unsound;
    if (foreign.is_hopeless && foreign.claimed == 0) ended.push_back(gpu);
    if (claimed || foreign.is_hopeless || !foreign.best.compiled) continue;
    if (foreign.runs.size() + foreign.claimed >= DeviceSpread::runs) continue;
    ++foreign.claimed;
    claimed = Comparison{gpu, job_of(m_request, *foreign.best.compiled)};
  }
  for (const std::string& gpu : ended) end_comparisons(gpu);
  return claimed;
}

void FinalStage::end_comparison(const std::string& gpu, std::size_t number,
                                std::optional<DeviceSpread::Taken> run) {
  Foreign& foreign = m_foreign.at(gpu);
  --foreign.claimed;
  if (run)
    foreign.runs.push_back({run->ns / m_spread.correction(number),
                            run->j / m_spread.correction(number, &DeviceSpread::Taken::j)});
  foreign.is_hopeless = foreign.is_hopeless || !run;
  const bool has_all = foreign.is_hopeless || foreign.runs.size() >= DeviceSpread::runs;
  if (has_all && foreign.claimed == 0) end_comparisons(gpu);
}

/// Says what came of it; the finals that waited for it are opened.
void FinalStage::end_comparisons(const std::string& gpu) {
  Foreign foreign = std::move(m_foreign.at(gpu));
  m_foreign.erase(gpu);
  const model::TrialRecord& record = foreign.best.record;
  if (foreign.is_hopeless) {
    m_spread.add_foreign(gpu, {1, 1});
    m_services.observer.notice(fmt::format(
        "results of another {} ({}) are compared without correction: its best trial could not run here",
        record.environment.device, gpu));
  } else {
    const double own_j = DeviceSpread::middle_of(foreign.runs, &DeviceSpread::Taken::j);
    m_spread.add_foreign(gpu,
                         {time_ns(record) / DeviceSpread::middle_of(foreign.runs, &DeviceSpread::Taken::ns),
                          own_j > 0 && record.outcome.energy ? record.outcome.energy->mean_j / own_j : 0});
    const double ratio = *m_spread.correction_of(gpu);
    m_services.observer.notice(fmt::format(
        "another {} ({}) compared by {} {} at {}: {}", record.environment.device, gpu, record.kernel,
        record.configuration.text(), record.problem.size_text(),
        ratio == 1
            ? "it differs by no more than what counts as tied"
            : fmt::format("it takes {:.3f} of the time here, so its results are corrected by that", ratio)));
  }
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
    const Binary binary = fetch(finalist);
    if (binary == Binary::awaited) all = false;
    if (binary == Binary::unsound) opened.leave_out(finalist.record);
    return binary == Binary::unsound;
  });
  return all;
}

FinalStage::Binary FinalStage::fetch(Finalist& finalist) {
  auto compiled = m_compiling.take_apart(finalist.record.key);
  if (!compiled) return Binary::awaited;
  add_compilation(compiled->trial, *compiled->binary, m_services.oracle);
  const bool sound = compiled->trial.record.outcome.status == model::TrialStatus::ok &&
                     (!compiled->reference || compiled->reference->status == model::TrialStatus::ok);
  if (!sound) return Binary::unsound;
  compiled->trial.record.outcome = finalist.record.outcome;
  finalist.compiled = std::move(compiled);
  return Binary::there;
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
  if (!is_unsettled(field_of(problem)) || !m_again.insert(group).second) return;
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

bool FinalStage::are_apart(const model::PossibleFinal& field) const {
  return m_spread.corrects() ||
         std::any_of(field.finalists.begin(), field.finalists.end(), [&](const model::TrialRecord& record) {
           return m_spread.correction_of(record.gpu).value_or(1) != 1;
         });
}

void FinalStage::correct(model::PossibleFinal& field) const {
  const model::FinalPolicy& policy = m_request.policy.final;
  // Where the last final is contradicted, they are all who raced faster than it says.
  const double within = is_unsettled(field) ? std::numeric_limits<double>::infinity() : policy.within;
  const auto correction = [&](const model::TrialRecord& record) {
    return m_spread.correction_of(record.gpu).value_or(1);
  };
  // A final's time is of the GPU that its record names; what its finalists raced on is not known any more.
  const bool apart = are_apart(field);
  std::vector<double> times_ns;
  for (std::size_t i = 0; i < field.finalists.size(); ++i) {
    const model::TrialRecord& record = field.finalists[i];
    times_ns.push_back(apart ? time_ns(record) / correction(record) : field.raced_ns[i]);
  }
  std::vector<std::size_t> order =
      search::ordered_by(times_ns.size(), [&](std::size_t i) { return times_ns[i]; });
  while (!order.empty() && (times_ns[order.back()] > times_ns[order.front()] * within ||
                            order.size() > static_cast<std::size_t>(policy.finalists))) {
    order.pop_back();
  }
  std::vector<model::TrialRecord> finalists;
  for (const std::size_t i : order) finalists.push_back(std::move(field.finalists[i]));
  for (std::vector<bool>& considered : field.considered) {
    std::vector<bool> kept;
    for (const std::size_t i : order) kept.push_back(considered[i]);
    kept.insert(kept.end(), considered.begin() + static_cast<std::ptrdiff_t>(times_ns.size()),
                considered.end());
    considered = std::move(kept);
  }
  field.finalists = std::move(finalists);
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
