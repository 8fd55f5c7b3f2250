#include "tuner/sweep/sweep.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/sweep/final_stage.hpp"
#include "tuner/sweep/trial_job.hpp"

namespace tuner::sweep {
namespace {

using model::TrialStatus;

/// Deaths of the measuring process that put a trial under quarantine.
constexpr int quarantine_deaths = 2;
constexpr std::chrono::milliseconds no_patience{0};
/// How long a wait for the compiler may keep the sweep from noticing that it should stop.
constexpr std::chrono::milliseconds stop_latency{100};

bool is_death(const model::TrialOutcome& outcome) {
  return outcome.status == TrialStatus::crashed || outcome.status == TrialStatus::timeout;
}

class Driver {
 public:
  Driver(const Request& request, const TrialList& list, Services& services)
      : m_request(request),
        m_list(list),
        m_services(services),
        m_queue(request, list),
        m_compiling(services.pool),
        m_finals(request, list, services, m_compiling),
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
    m_services.observer.planned(m_summary.planned, m_summary.known);
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
    // What is known by now deserves its final even where the budget ended the racing.
    if (m_summary.ending == Ending::budget_spent) m_summary.finals += m_finals.hold_rest();
    m_services.pool.cancel();
    m_summary.compiling = m_services.pool.stats();
    m_summary.wall_seconds = m_services.clock() - m_started;
    return m_summary;
  }

 private:
  const Work& work_of(const CandidateQueue::Item& item) const {
    return m_request.work[m_list.groups[item.group].candidates[item.candidate].work];
  }

  bool over() {
    if (m_services.stop) {
      m_summary.ending = Ending::interrupted;
      return true;
    }
    const bool late = m_request.budget.seconds && m_services.clock() - m_started >= *m_request.budget.seconds;
    if (late || (m_request.budget.trials && m_summary.finished >= *m_request.budget.trials)) {
      m_summary.ending = Ending::budget_spent;
      return true;
    }
    return false;
  }

  /// Keeps the compilers busy, but never with more than the budget has room for.
  void fill() {
    while (m_compiling.wants_more() && !over()) {
      if (m_request.budget.trials && m_summary.finished + m_under_way >= *m_request.budget.trials) return;
      const auto item = m_queue.next();
      if (!item) return;
      start(*item);
    }
  }

  void start(const CandidateQueue::Item& item) {
    const Group& group = m_list.groups[item.group];
    const Candidate& candidate = group.candidates[item.candidate];
    const Work& work = work_of(item);
    const auto& configurations = group.lists[index_in(group, candidate.work)];
    Compilable trial = compilable(
        m_request, work,
        describe(m_request, work, group.problem, configurations[candidate.configuration], candidate.key),
        item);
    if (trial.trial.record.outcome.status == TrialStatus::ok) quarantine(trial.trial);
    ++m_under_way;
    if (trial.trial.record.outcome.status == TrialStatus::ok)
      m_compiling.submit(std::move(trial));
    else
      finish(trial.trial.record, item);
  }

  static std::size_t index_in(const Group& group, std::size_t work) {
    std::size_t index = 0;
    while (group.work[index] != work) ++index;
    return index;
  }

  void quarantine(Trial& trial) {
    const int deaths = m_services.source.deaths(trial.record.key);
    if (deaths < quarantine_deaths) return;
    trial.record.outcome.status = TrialStatus::quarantined;
    trial.record.outcome.detail = fmt::format(
        "its process was seen to die or hang {} times; not launched until its source changes", deaths);
  }

  /// As soon as all trials of a problem have raced, while its inputs are still on the device.
  void hold_finals() {
    while (const auto group = m_queue.take_finished()) {
      if (over()) return;
      commit_ended();
      const double before = m_services.clock();
      if (m_finals.hold(*group)) ++m_summary.finals;
      m_summary.measuring_seconds += m_services.clock() - before;
    }
  }

  std::optional<Compiled> wait_for_ready() {
    const double before = m_services.clock();
    auto trial = m_compiling.take(stop_latency);
    m_summary.waiting_seconds += m_services.clock() - before;
    return trial;
  }

  void measure(Compiled trial) {
    model::TrialRecord& record = trial.trial.record;
    add_compilation(trial.trial, *trial.binary, m_services.oracle);
    if (record.outcome.status == TrialStatus::ok) check_reference(trial);
    const bool launched = record.outcome.status == TrialStatus::ok;
    if (launched) launch(trial);
    m_finals.remember(trial);
    // While the next trial is on its way to the GPU there is time to write this one down.
    const bool can_wait = launched && !is_death(record.outcome);
    if (can_wait)
      m_ended = Ended{std::move(trial.trial.record), trial.item};
    else
      finish(record, trial.item);
  }

  static void check_reference(Compiled& trial) {
    if (!trial.reference || trial.reference->status == TrialStatus::ok) return;
    model::TrialRecord& record = trial.trial.record;
    record.outcome.status = TrialStatus::compile_error;
    record.outcome.detail = "the reference it is verified against does not compile";
    record.compile_log = trial.reference->log;
  }

  void launch(Compiled& trial) {
    model::TrialRecord& record = trial.trial.record;
    const Work& work = work_of(trial.item);
    model::TrialJob job = job_of(m_request, trial);
    if (m_probed.insert(record.binary_key).second) job.probes = probes_of(m_request, work, record);
    job.best_ns = best_ns(trial);

    const double before = m_services.clock();
    model::TrialOutcome outcome = m_services.runner.run_with_notice(job, [&] {
      commit_ended();
      m_services.sink.open_attempt(record);
      m_services.observer.launching(record);
    });
    m_summary.measuring_seconds += m_services.clock() - before;
    if (is_death(outcome)) m_services.sink.observed_death(record.key, outcome.status, outcome.detail);
    add_outcome(trial.trial, std::move(outcome), work);
    remember_best(trial);
  }

  double best_ns(const Compiled& trial) {
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
    double& best = m_best_ns[trial.item.group];
    if (best == 0 || outcome.measurement->median_ns < best) best = outcome.measurement->median_ns;
  }

  void commit_ended() {
    if (const auto ended = std::exchange(m_ended, std::nullopt)) finish(ended->record, ended->item);
  }

  void finish(const model::TrialRecord& record, const CandidateQueue::Item& item) {
    m_services.sink.record(record);
    m_queue.report(item, record);
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
  double m_started;
  Summary m_summary;
  struct Ended {
    model::TrialRecord record;
    CandidateQueue::Item item;
  };
  std::optional<Ended> m_ended;             ///< measured, and not yet committed
  std::int64_t m_under_way = 0;             ///< begun and not finished
  std::set<model::Digest> m_probed;         ///< binaries whose probes were sent along
  std::map<std::size_t, double> m_best_ns;  ///< by group; 0: none yet
};

std::string state_of(Ending ending) {
  return ending == Ending::interrupted ? "interrupted" : "done";
}

}  // namespace

Summary sweep(const Request& request, const TrialList& list, Services& services) {
  services.sink.begin_run(request.run);
  try {
    for (const Work& work : request.work) {
      const model::KernelSpec& spec = work.kernel.spec();
      services.sink.use_source(spec.family, spec.name, work.kernel.source_key());
    }
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
