#include "tuner/sweep/sweep.hpp"

#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <map>

#include "tuner/model/error.hpp"
#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/trial_record.hpp"

namespace tuner::sweep {
namespace {

using model::TrialStatus;
using CompilationPtr = std::shared_ptr<const model::Compilation>;

/// Deaths of the measuring process that put a trial under quarantine.
constexpr int quarantine_deaths = 2;
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
        m_started(services.clock()) {
    m_summary.planned = list.total();
    m_summary.known = list.known();
  }

  Summary run() {
    m_services.observer.planned(m_summary.planned, m_summary.known);
    while (!over()) {
      fill();
      if (m_compiling.empty() && m_ready.empty()) break;
      if (const auto trial = next_ready()) measure(*trial);
    }
    m_services.pool.cancel();
    m_summary.compiling = m_services.pool.stats();
    m_summary.wall_seconds = m_services.clock() - m_started;
    return m_summary;
  }

 private:
  struct Pending {
    Trial trial;
    CandidateQueue::Item item;
    model::Digest reference;  ///< key of the reference's binary; empty: none
  };
  struct Compiled {
    Pending pending;
    CompilationPtr compilation;
  };

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

  /// Keeps the compilers busy: as many trials under way as there are compilers, twice, but never more than
  /// the budget.
  void fill() {
    const std::size_t ahead = 2 * static_cast<std::size_t>(m_services.pool.stats().workers) + 2;
    while (m_compiling.size() + m_ready.size() < ahead && !over()) {
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
    Pending pending{
        describe(m_request, work, group.problem, configurations[candidate.configuration], candidate.key),
        item,
        {}};
    auto job = work.kernel.compile_job(group.problem, pending.trial.record.configuration,
                                       m_request.device.architecture, m_request.compiler);
    pending.trial.record.binary_key = job.key();
    if (pending.trial.record.outcome.status == TrialStatus::ok) quarantine(pending.trial);
    if (pending.trial.record.outcome.status != TrialStatus::ok) {
      finish(pending);
      return;
    }
    pending.reference = request_reference(work, group.problem);
    m_compiling.emplace(m_services.pool.submit(std::move(job)), std::move(pending));
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

  /// Submits the reference's compilation once; its result arrives like any other.
  model::Digest request_reference(const Work& work, const model::Problem& problem) {
    auto job = work.kernel.reference_job(problem, m_request.device.architecture, m_request.compiler);
    if (!job) return {};
    const model::Digest key = job->key();
    if (m_references.emplace(key, nullptr).second)
      m_reference_tickets[m_services.pool.submit(std::move(*job))] = key;
    return key;
  }

  bool reference_ready(const Pending& pending) const {
    return pending.reference.empty() || m_references.at(pending.reference) != nullptr;
  }

  /// Waits a while for a trial whose binaries are both there.
  std::optional<Compiled> next_ready() {
    if (auto ready = take_ready()) return ready;
    const double before = m_services.clock();
    if (auto finished = m_services.pool.take_for(stop_latency)) accept(std::move(*finished));
    while (auto finished = m_services.pool.take_for(std::chrono::milliseconds(0)))
      accept(std::move(*finished));
    m_summary.waiting_seconds += m_services.clock() - before;
    return take_ready();
  }

  /// Of those ready the one of the earliest group: changing the problem changes the inputs on the device.
  std::optional<Compiled> take_ready() {
    auto chosen = m_ready.end();
    for (auto it = m_ready.begin(); it != m_ready.end(); ++it) {
      if (!reference_ready(it->pending)) continue;
      if (chosen == m_ready.end() || it->pending.item.group < chosen->pending.item.group) chosen = it;
    }
    if (chosen == m_ready.end()) return std::nullopt;
    Compiled compiled = std::move(*chosen);
    m_ready.erase(chosen);
    return compiled;
  }

  void accept(compile::CompilePool::Finished finished) {
    if (const auto reference = m_reference_tickets.find(finished.ticket);
        reference != m_reference_tickets.end()) {
      m_references[reference->second] = finished.compilation;
      m_reference_tickets.erase(reference);
      return;
    }
    const auto compiling = m_compiling.find(finished.ticket);
    m_ready.push_back({std::move(compiling->second), std::move(finished.compilation)});
    m_compiling.erase(compiling);
  }

  void measure(const Compiled& compiled) {
    Pending pending = compiled.pending;
    add_compilation(pending.trial, *compiled.compilation, m_services.oracle);
    if (pending.trial.record.outcome.status == TrialStatus::ok) check_reference(pending);
    if (pending.trial.record.outcome.status == TrialStatus::ok) launch(pending, *compiled.compilation);
    finish(pending);
  }

  void check_reference(Pending& pending) const {
    if (pending.reference.empty()) return;
    const model::Compilation& reference = *m_references.at(pending.reference);
    if (reference.status == TrialStatus::ok) return;
    pending.trial.record.outcome.status = TrialStatus::compile_error;
    pending.trial.record.outcome.detail = "the reference it is verified against does not compile";
    pending.trial.record.compile_log = reference.log;
  }

  void launch(Pending& pending, const model::Compilation& compilation) {
    model::TrialRecord& record = pending.trial.record;
    model::TrialJob job;
    job.key = record.key;
    job.plan = pending.trial.plan;
    job.binary = compilation.binary;
    job.kernels = compilation.kernels;
    if (!pending.reference.empty()) {
      const model::Compilation& reference = *m_references.at(pending.reference);
      job.reference_key = pending.reference;
      job.reference_binary = reference.binary;
      job.reference_kernels = reference.kernels;
    }
    job.policy = m_request.policy;
    job.best_ns = best_ns(pending);
    job.seed = m_request.seed;

    m_services.sink.open_attempt(record);
    m_services.observer.launching(record);
    const double before = m_services.clock();
    model::TrialOutcome outcome = m_services.runner.run(job);
    m_summary.measuring_seconds += m_services.clock() - before;
    if (is_death(outcome)) m_services.sink.observed_death(record.key, outcome.status, outcome.detail);
    add_outcome(pending.trial, std::move(outcome), work_of(pending.item));
    remember_best(pending);
  }

  double best_ns(const Pending& pending) {
    const auto known = m_best_ns.find(pending.item.group);
    if (known != m_best_ns.end()) return known->second;
    const model::TrialRecord& record = pending.trial.record;
    return m_best_ns[pending.item.group] =
               m_services.source.best_ns(record.problem, record.comparison_class).value_or(0);
  }

  void remember_best(const Pending& pending) {
    const model::TrialOutcome& outcome = pending.trial.record.outcome;
    if (!model::has_trusted_time(outcome.status) || !outcome.measurement) return;
    double& best = m_best_ns[pending.item.group];
    if (best == 0 || outcome.measurement->median_ns < best) best = outcome.measurement->median_ns;
  }

  void finish(const Pending& pending) {
    m_services.sink.record(pending.trial.record);
    m_queue.report(pending.item, pending.trial.record);
    ++m_summary.finished;
    if (model::is_failure(pending.trial.record.outcome.status)) ++m_summary.failed;
    m_services.observer.finished(pending.trial.record);
  }

  const Request& m_request;
  const TrialList& m_list;
  Services& m_services;
  CandidateQueue m_queue;
  double m_started;
  Summary m_summary;
  std::map<compile::CompilePool::Ticket, Pending> m_compiling;
  std::map<compile::CompilePool::Ticket, model::Digest> m_reference_tickets;
  std::map<model::Digest, CompilationPtr> m_references;
  std::deque<Compiled> m_ready;
  std::map<std::size_t, double> m_best_ns;  ///< by group; 0: none yet
};

std::string state_of(Ending ending) {
  return ending == Ending::interrupted ? "interrupted" : "done";
}

}  // namespace

Summary sweep(const Request& request, const TrialList& list, Services& services) {
  services.sink.begin_run(request.run);
  try {
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
