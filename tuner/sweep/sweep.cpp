#include "tuner/sweep/sweep.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/sweep/declare.hpp"
#include "tuner/sweep/final_stage.hpp"
#include "tuner/sweep/probe_verdicts.hpp"
#include "tuner/sweep/search_record.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {
namespace {

using model::TrialStatus;

constexpr std::chrono::milliseconds no_patience{0};
/// How long a wait for the compiler may keep the sweep from noticing that it should stop.
constexpr std::chrono::milliseconds stop_latency{100};
/// What finals may take beyond a budget of time.
constexpr double grace_s = 1.5;

search::Compiled compiled_facts(const model::TrialRecord& record, const model::DeviceLimits& limits) {
  search::Compiled facts;
  facts.status = record.outcome.status;
  facts.compile_ms = record.compile_ms;
  facts.threads = record.block.count();
  facts.blocks = record.grid.count();
  facts.shared_bytes = record.dynamic_shared_bytes;
  if (record.resources) {
    facts.registers = record.resources->registers;
    facts.spilled_bytes = record.resources->spill_store_bytes;
    facts.shared_bytes += record.resources->static_shared_bytes;
  }
  if (!record.occupancy) return facts;
  facts.occupancy = record.occupancy->fraction;
  const double at_once = static_cast<double>(record.occupancy->blocks_per_multiprocessor) *
                         static_cast<double>(limits.multiprocessors);
  if (at_once > 0) facts.waves = static_cast<double>(facts.blocks) / at_once;
  return facts;
}

class Driver {
 public:
  Driver(const Request& request, const TrialList& list, Services& services)
      : m_request(request),
        m_list(list),
        m_services(services),
        m_queue(request, list, services),
        m_compiling(services.pool, [this](Compiled& trial) { return judge(trial); }),
        m_finals(request, list, services, m_compiling),
        m_verdicts(request, services),
        m_started(services.clock()) {
    m_summary.planned = list.total();
    m_summary.known = list.known();
    // The GPU is at work then, and what comes next can be planned.
    m_services.runner.report_phases_to([this](model::TrialPhase phase) {
      if (phase == model::TrialPhase::verifying) fill();
    });
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() { m_services.runner.report_phases_to(nullptr); }

  Summary run() {
    m_services.observer.planned(m_summary.planned, m_summary.known, m_queue.may_end_early());
    if (m_summary.planned > m_summary.known) m_services.runner.prepare();
    while (!over()) {
      hold_finals();
      if (auto trial = m_compiling.take(no_patience)) {
        measure(std::move(*trial));
        continue;
      }
      commit_ended();
      fill();
      hold_finals();
      if (m_compiling.empty()) break;
      if (auto trial = wait_for_ready()) measure(std::move(*trial));
    }
    commit_ended();
    record_searches();
    // What is known by now deserves its final even where the budget ended the racing, but not for long.
    if (m_summary.ending == Ending::budget_spent) {
      m_compiling.abandon();
      const auto& seconds = m_request.budget.seconds;
      m_summary.finals += m_finals.hold_rest(seconds ? m_started + *seconds + grace_s
                                                     : std::numeric_limits<double>::infinity());
    }
    m_services.pool.cancel();
    m_summary.compiling = m_services.pool.stats();
    m_summary.wall_seconds = m_services.clock() - m_started;
    return m_summary;
  }

 private:
  const Work& work_of(const CandidateQueue::Item& item) const {
    const Group& group = m_list.groups[item.group];
    return m_request.work[group.work[group.candidates[item.candidate].kernel]];
  }

  /// One for each kernel and group, made when it is first needed.
  const TrialMaker& maker_of(const CandidateQueue::Item& item) {
    const Group& group = m_list.groups[item.group];
    const std::size_t kernel = group.candidates[item.candidate].kernel;
    return m_makers.try_emplace({item.group, kernel}, m_request, work_of(item), group.problem).first->second;
  }

  bool over() {
    if (m_services.stop) {
      m_summary.ending = Ending::interrupted;
      return true;
    }
    const Budget& budget = m_request.budget;
    const bool late = budget.seconds && m_services.clock() - m_started >= *budget.seconds;
    const bool used = budget.device_seconds && m_summary.measuring_seconds >= *budget.device_seconds;
    if (late || used || (budget.trials && m_summary.finished >= *budget.trials)) {
      m_summary.ending = Ending::budget_spent;
      return true;
    }
    return false;
  }

  /// Keeps the compilers busy, but never with more than the budget has room for.
  void fill() {
    m_compiling.poll();
    while (m_compiling.wants_more(left_to_come()) && !over()) {
      if (m_request.budget.trials && m_summary.finished + m_under_way >= *m_request.budget.trials) break;
      const auto item = m_queue.next();
      if (!item) break;
      start(*item);
    }
    if (m_queue.is_drained()) m_compiling.finish_long_ones_first();
  }

  /// Trials that have not been begun, at most; where a search may end early nobody knows which are the last.
  std::int64_t left_to_come() const {
    if (m_queue.may_end_early()) return std::numeric_limits<std::int64_t>::max();
    return m_summary.planned - m_summary.known - m_summary.finished - m_summary.unprepared -
           m_summary.passed_over - m_under_way;
  }

  void start(const CandidateQueue::Item& item) {
    const Group& group = m_list.groups[item.group];
    const auto& candidate = group.candidates[item.candidate];
    Trial trial = maker_of(item).make(group.lists[candidate.kernel][candidate.configuration]);
    trial.record.idea = item.idea;
    ++m_under_way;
    if (trial.record.outcome.status == TrialStatus::ok && m_unprepared.contains(trial.preparation_key))
      return leave_out(trial.record, item);
    if (trial.record.outcome.status == TrialStatus::ok) quarantine(trial);
    if (trial.record.outcome.status == TrialStatus::ok)
      m_compiling.submit(std::move(trial), item);
    else
      finish(trial.record, item);
  }

  void quarantine(Trial& trial) {
    if (m_request.retry_failed) return;
    const int deaths = m_services.source.deaths(trial.record.key);
    if (deaths < quarantine_deaths) return;
    trial.record.outcome.status = TrialStatus::quarantined;
    trial.record.outcome.detail = fmt::format(
        "its process was seen to die or hang {} times; not run again unless it changes, or with "
        "--retry-failed",
        deaths);
  }

  /// As soon as all trials of a problem have raced, while its inputs are still on the device.
  void hold_finals() {
    while (const auto search = m_queue.take_finished()) {
      commit_ended();
      record(*search);
      if (over()) return;
      const double before = m_services.clock();
      if (m_finals.hold(search->group)) ++m_summary.finals;
      m_summary.measuring_seconds += m_services.clock() - before;
    }
  }

  void record(const EndedSearch& ended) {
    const model::SearchRecord search = search_record(m_request, m_list, ended);
    if (search.parts.empty()) return;  // baselines alone: nothing was searched
    m_services.sink.record_search(search);
    m_services.observer.search_ended(search);
  }

  /// Of the groups that are left with something to do.
  void record_searches() {
    const auto ending = m_summary.ending == Ending::budget_spent  ? model::SearchEnding::budget
                        : m_summary.ending == Ending::interrupted ? model::SearchEnding::interrupted
                                                                  : model::SearchEnding::gave_up;
    for (const EndedSearch& ended : m_queue.close(ending)) record(ended);
  }

  std::optional<Compiled> wait_for_ready() {
    const double before = m_services.clock();
    auto trial = m_compiling.take(stop_latency);
    m_summary.waiting_seconds += m_services.clock() - before;
    return trial;
  }

  /// What the compiler says of a trial, and the strategy of that. Returns whether it is still wanted: what
  /// failed is, since it is a result.
  bool judge(Compiled& trial) {
    model::TrialRecord& record = trial.trial.record;
    add_compilation(trial.trial, *trial.binary, m_services.oracle);
    const bool worth = m_queue.compiled(trial.item, compiled_facts(record, m_request.device.limits));
    if (worth || record.outcome.status != TrialStatus::ok) return true;
    pass_over(record, trial.item);
    return false;
  }

  void measure(Compiled trial) {
    model::TrialRecord& record = trial.trial.record;
    if (!is_prepared(trial)) return leave_out(record, trial.item);
    if (is_death(record.outcome.status)) note_death(record);  // the compiler's
    const bool launched = record.outcome.status == TrialStatus::ok && !is_condemned(trial) && launch(trial);
    if (record.outcome.subject == model::Subject::problem) return leave_out(record, trial.item);
    m_finals.remember(trial);
    // While the next trial is on its way to the GPU there is time to write this one down.
    const bool can_wait = launched && !record.outcome.device_lost;
    if (can_wait)
      m_ended = Ended{std::move(trial.trial.record), trial.item};
    else
      finish(record, trial.item);
  }

  /// Whether inputs and expected results can be made, as far as that is known.
  bool is_prepared(const Compiled& trial) {
    const model::Digest& key = trial.trial.preparation_key;
    if (m_unprepared.contains(key)) return false;
    if (!trial.reference || trial.reference->status == TrialStatus::ok) return true;
    if (m_bad_references.insert(trial.trial.reference_key).second) {
      give_up(
          trial.trial,
          fmt::format("the reference it is verified against does not compile, at this size or any other:\n{}",
                      trial.reference->log));
    }
    m_unprepared.insert(key);
    return false;
  }

  /// The problem's failure, not a configuration's: said once, and nothing of it is recorded as tried.
  void give_up(const Trial& trial, const std::string& why) {
    if (!m_unprepared.insert(trial.preparation_key).second) return;
    const model::TrialRecord& record = trial.record;
    m_services.observer.notice(fmt::format("left out: {} {} as {} has it: {}", record.problem.family,
                                           record.problem.text(), record.kernel, why));
  }

  void leave_out(const model::TrialRecord& record, const CandidateQueue::Item& item) {
    m_queue.withdraw(item);
    --m_under_way;
    ++m_summary.unprepared;
    m_services.observer.left_out(record);
  }

  /// What the compiler said of it was enough for the strategy. Nothing is recorded: it was not tried.
  void pass_over(const model::TrialRecord& record, const CandidateQueue::Item& item) {
    m_queue.withdraw(item);
    --m_under_way;
    ++m_summary.passed_over;
    m_services.observer.left_out(record);
  }

  /// Whether its binary is known to be wrong; then that is the outcome. Else it has its probes' identity.
  bool is_condemned(Compiled& trial) {
    model::TrialRecord& record = trial.trial.record;
    m_probes = maker_of(trial.item).probes(trial.trial);
    if (m_probes.empty()) return false;
    record.probe_key =
        model::probe_key(record.binary_key, m_probes, trial.trial.reference_key, record.comparison_class);
    const auto verdict = m_verdicts.find(record.probe_key);
    if (!verdict) return false;
    m_probes.clear();
    if (verdict->status == TrialStatus::ok) return false;
    record.outcome.status = verdict->status;
    record.outcome.detail = verdict->detail;
    return true;
  }

  /// Returns true: it was launched, or its process died on the way there.
  bool launch(Compiled& trial) {
    model::TrialRecord& record = trial.trial.record;
    model::TrialJob job = job_of(m_request, trial.trial, *trial.binary, trial.reference.get());
    job.probes = std::exchange(m_probes, {});
    job.best_ns = best_ns(trial);

    const double before = m_services.clock();
    model::TrialOutcome outcome = m_services.runner.run_with_notice(job, [&] {
      commit_ended();
      m_services.sink.open_attempt(record);
      m_services.observer.launching(record);
    });
    m_summary.measuring_seconds += m_services.clock() - before;
    if (outcome.subject == model::Subject::problem) {
      m_services.sink.close_attempt(record, TrialStatus::skipped, outcome.detail);
      give_up(trial.trial, outcome.detail);
      record.outcome = std::move(outcome);
      return true;
    }
    if (!job.probes.empty()) m_verdicts.learn(record, outcome);
    maker_of(trial.item).add_outcome(trial.trial, std::move(outcome));
    add_settings(trial.item, record);
    if (is_death(record.outcome.status)) note_death(record);
    remember_best(trial);
    return true;
  }

  /// A library's version says little without the settings it was called with.
  void add_settings(const CandidateQueue::Item& item, model::TrialRecord& record) const {
    const std::string& settings = work_of(item).kernel.spec().description;
    model::TrialOutcome& outcome = record.outcome;
    if (record.role != model::Role::baseline || outcome.status != TrialStatus::ok || settings.empty()) return;
    outcome.detail += (outcome.detail.empty() ? "" : "; ") + settings;
  }

  /// Counts it, and says so where it was one too many.
  void note_death(model::TrialRecord& record) {
    m_services.sink.close_attempt(record, record.outcome.status, record.outcome.detail);
    const int deaths = m_services.source.deaths(record.key);
    if (deaths < quarantine_deaths) return;
    record.outcome.detail = fmt::format(
        "{} ({}; seen {} times: not run again unless it changes, or with "
        "--retry-failed)",
        record.outcome.detail, model::to_string(record.outcome.status), deaths);
    record.outcome.status = TrialStatus::quarantined;
  }

  /// What a trial may be dropped for: never a baseline, and never for one.
  double best_ns(const Compiled& trial) {
    if (!model::may_win(trial.trial.record.role)) return 0;
    const auto known = m_best_ns.find(trial.item.group);
    if (known != m_best_ns.end()) return known->second;
    const model::TrialRecord& record = trial.trial.record;
    return m_best_ns[trial.item.group] =
               m_request.fresh
                   ? 0
                   : m_services.source.best_ns(record.problem, record.comparison_class).value_or(0);
  }

  void remember_best(const Compiled& trial) {
    const model::TrialOutcome& outcome = trial.trial.record.outcome;
    if (!model::has_trusted_time(outcome.status) || !outcome.measurement) return;
    if (!model::may_win(trial.trial.record.role)) return;
    double& best = m_best_ns[trial.item.group];
    if (best == 0 || outcome.measurement->median_ns < best) best = outcome.measurement->median_ns;
  }

  /// A baseline that cannot be had is missed at every size for the same reason, which is said once.
  void say_missing(const model::TrialRecord& record) {
    const model::TrialOutcome& outcome = record.outcome;
    if (outcome.status == TrialStatus::ok || !m_missing.insert(record.kernel + outcome.detail).second) return;
    m_services.observer.notice(fmt::format("no times of {}: {}: {}", record.kernel,
                                           model::to_string(outcome.status), outcome.detail));
  }

  void commit_ended() {
    if (const auto ended = std::exchange(m_ended, std::nullopt)) finish(ended->record, ended->item);
  }

  void finish(const model::TrialRecord& record, const CandidateQueue::Item& item) {
    m_services.sink.record(record);
    m_queue.report(item, record);
    if (record.role == model::Role::baseline) say_missing(record);
    --m_under_way;
    ++m_summary.finished;
    if (model::is_failure(record.outcome.status)) ++m_summary.failed;
    m_services.observer.finished(record);
  }

  const Request& m_request;
  const TrialList& m_list;
  Services& m_services;
  CandidateQueue m_queue;
  CompileAhead m_compiling;
  FinalStage m_finals;
  ProbeVerdicts m_verdicts;
  double m_started;
  Summary m_summary;
  struct Ended {
    model::TrialRecord record;
    CandidateQueue::Item item;
  };
  std::optional<Ended> m_ended;              ///< measured, and not yet committed
  std::int64_t m_under_way = 0;              ///< begun and not finished
  std::vector<model::Plan> m_probes;         ///< to be sent with the trial in hand
  std::set<model::Digest> m_unprepared;      ///< inputs and references that could not be made
  std::set<model::Digest> m_bad_references;  ///< that do not compile, and were told
  std::set<std::string> m_missing;           ///< baselines without times, with the reasons that were told
  std::map<std::pair<std::size_t, std::size_t>, TrialMaker> m_makers;  ///< by group and kernel
  std::map<std::size_t, double> m_best_ns;                             ///< by group; 0: none yet
};

std::string state_of(Ending ending) {
  return ending == Ending::interrupted ? "interrupted" : "done";
}

}  // namespace

Summary sweep(const Request& request, const TrialList& list, Services& services) {
  const StrategyChoice known(request.strategy, request.own_strategies);  // throws before anything is written
  services.sink.begin_run(request.run);
  try {
    declare_kernels(request, services);
    Summary summary = Driver(request, list, services).run();
    services.sink.end_run(request.run.id, state_of(summary.ending));
    return summary;
  } catch (...) {
    try {
      services.sink.end_run(request.run.id, "failed");
    } catch (const model::Error&) {
      // The first error is the one to tell; a run without an end is recognised by its missing end time.
    }
    throw;
  }
}

}  // namespace tuner::sweep
