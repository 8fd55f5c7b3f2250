#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

#include "tuner/model/error.hpp"
#include "tuner/sweep/candidate_queue.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/device_slots.hpp"
#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/final_stage.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_journey.hpp"
#include "tuner/util/text.hpp"

namespace tuner::sweep {
namespace {

/// How long a wait for the compiler may keep the sweep from noticing that it should stop.
constexpr std::chrono::milliseconds stop_latency{100};
/// With every device idle for so long, people wonder.
constexpr double long_wait_s = 5;
constexpr int most_standing = 20;  ///< two seconds
/// How long a job takes to reach its device, about.
constexpr std::chrono::milliseconds launch_latency{1};
/// What finals may take beyond a budget of time.
constexpr double grace_s = 1.5;
/// So long after a budget of time has ended, inputs that are still being made are given up.
constexpr double preparing_grace_s = 5;

std::vector<std::string> uuids_of(const std::vector<model::TrialRunner*>& runners) {
  std::vector<std::string> uuids;
  for (const model::TrialRunner* runner : runners) uuids.push_back(runner->device().uuid);
  return uuids;
}

/// Keeps compilers and devices busy until a sweep is over. All decisions and all records are made by the one
/// thread that calls run(); each device has a thread that does nothing but wait for it.
class Driver : SweepPart {
 public:
  Driver(const Request& request, const TrialList& list, Services& services)
      : SweepPart(request, list, services),
        m_queue(
            request, list, services,
            [this](std::optional<std::size_t> group) { return m_slots.busy_seconds(group); },
            [this] { return Assignment(m_queue, m_slots).lacks_problems(); }),
        m_compiling(services.pool, [this](CompiledTrial& trial) { return m_trials.judge(trial); }),
        m_spread(uuids_of(services.runners)),
        m_finals(request, list, services, m_compiling, m_spread),
        m_started(services.clock()),
        m_trials(request, list, services, m_queue, m_compiling, m_finals, m_spread, m_summary),
        m_reopening(request, list, services, m_trials),
        m_slots(
            services.runners, services.clock, [this] { m_wakeup.ring(); },
            [this] { return is_too_late_to_prepare(); }) {
    m_summary.planned = list.total();
    m_summary.known = list.known();
    m_services.pool.report_results_to([this] { m_wakeup.ring(); });
  }

  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() { m_services.pool.report_results_to(nullptr); }

  /// Once. Throws model::Error as sweep() says.
  Summary run() {
    m_services.observer.planned(m_summary.planned, m_summary.known, m_queue.may_end_early());
    try {
      race();
    } catch (...) {
      keep_ended();
      throw;
    }
    m_trials.commit();
    // A search whose last trial ended after the budget is still open: nothing asked it again.
    const bool is_tried = m_queue.is_begun() && left_to_come() == 0 && m_trials.under_way() == 0;
    const bool is_searched = !m_queue.has_more() || is_tried;
    record_searches();
    if (m_summary.ending == Ending::budget_spent) {
      // What is known by now deserves its final even where the budget ended the racing, but not for long.
      hold_rest();
      const bool has_more = !is_searched || has_groups_to_end() || m_finals.left();
      if (!has_more && !m_services.stop) m_summary.ending = Ending::done;
    }
    m_services.pool.cancel();
    m_summary.compiling = m_services.pool.stats();
    m_summary.measuring_seconds = m_slots.busy_seconds();
    for (DeviceSlot& slot : m_slots) {
      slot.take_time();
      m_summary.devices.push_back(slot.did);
    }
    m_summary.wall_seconds = m_services.clock() - m_started;
    return m_summary;
  }

 private:
  bool has_groups_to_end() const {
    return !m_raced.empty() || !m_interrupted.empty() || !m_reopening.empty() || m_finals.is_awaited();
  }

  /// Whatever ends the sweep, what has ended before it is written down, if that is still possible.
  void keep_ended() {
    try {
      m_trials.commit();
    } catch (const model::Error&) {  // the first error is the one to tell
    }
  }

  void race() {
    while (true) {
      hear();
      if (over()) {
        if (!m_slots.any(&DeviceSlot::is_busy)) return;
        wait();
        continue;
      }
      finish_groups();
      serve();
      // Who is about to launch something waits for us, and planning may take a while.
      if (m_slots.any(&DeviceSlot::is_launching)) {
        m_wakeup.wait(launch_latency);
        hear();
        serve();
      }
      if (m_slots.any(&DeviceSlot::is_idle)) m_trials.commit();
      fill();
      finish_groups();
      const bool is_done = m_compiling.empty() && !has_groups_to_end();
      if (!m_slots.any(&DeviceSlot::is_busy) && is_done) {
        if (m_queue.is_cut_short()) m_summary.ending = Ending::budget_spent;
        return;
      }
      if (serve()) continue;
      require_motion();
      wait();
    }
  }

  /// Throws where nothing has been under way for some rounds, so that the wait would never end: a mistake of
  /// ours, and no reason to wait for ever. One such round is usual, where the last group has no final.
  void require_motion() {
    const bool moves = m_slots.any(&DeviceSlot::is_busy) || m_slots.any(&DeviceSlot::speaks);
    const bool stands = !moves && m_compiling.empty() && !over();
    m_standing = stands ? m_standing + 1 : 0;
    if (m_standing < most_standing) return;
    throw std::logic_error(
        fmt::format("the sweep stands still after {}: nothing is under way and it is not over",
                    util::counted(m_summary.finished, "trial")));
  }

  bool over() {
    if (m_services.stop) {
      m_summary.ending = Ending::interrupted;
      return true;
    }
    const Budget& budget = m_request.budget;
    const bool late = budget.seconds && m_services.clock() - m_started >= *budget.seconds;
    const bool used = budget.device_seconds && m_slots.busy_seconds() >= *budget.device_seconds;
    if (late || used || (budget.trials && m_summary.finished >= *budget.trials)) {
      m_summary.ending = Ending::budget_spent;
      return true;
    }
    return false;
  }

  /// Called from the threads of devices.
  bool is_too_late_to_prepare() const {
    const auto& seconds = m_request.budget.seconds;
    return m_services.stop || (seconds && m_services.clock() - m_started >= *seconds + preparing_grace_s);
  }

  /// Sleeps until a device or a compiler has something.
  void wait() {
    const std::size_t idle = m_slots.count(&DeviceSlot::is_idle);
    const double before = m_services.clock();
    m_slots.note_idle(&DeviceTime::between);
    m_wakeup.wait(stop_latency);
    m_slots.note_idle(m_compiling.empty() ? &DeviceTime::others : &DeviceTime::compilers);
    if (!m_compiling.empty())
      m_summary.waiting_seconds += static_cast<double>(idle) * (m_services.clock() - before);
    say_long_wait(before);
  }

  /// A library of templates may compile for minutes, with nothing left to measure: says so, once a kernel.
  void say_long_wait(double since) {
    const model::TrialRecord* const awaited = m_compiling.oldest();
    if (awaited == nullptr || m_slots.any(&DeviceSlot::is_busy)) {
      m_idle_since.reset();
      return;
    }
    if (!m_idle_since) m_idle_since = since;
    const bool is_long = m_services.clock() - *m_idle_since >= long_wait_s;
    if (!is_long || !m_told_of.insert(awaited->kernel).second) return;
    m_services.observer.notice(
        fmt::format("waiting for a compiler: {} at {}", awaited->kernel, awaited->problem.text()));
  }

  /// Begins trials, so that the compilers are busy, but never more than the budget has room for.
  void fill() {
    m_compiling.poll();
    while (m_compiling.wants_more(left_to_come()) && !over()) {
      if (m_request.budget.trials && m_summary.finished + m_trials.under_way() >= *m_request.budget.trials)
        break;
      const auto item = m_queue.next();
      if (!item) break;
      prepare_devices();
      m_trials.start(*item);
      if (m_slots.any(&DeviceSlot::speaks)) break;
    }
    if (m_queue.is_drained()) m_compiling.finish_long_ones_first();
  }

  /// Once there is a trial: a sweep whose trials are known, all or enough of them, opens no device.
  void prepare_devices() {
    if (std::exchange(m_prepared, true)) return;
    for (model::TrialRunner* runner : m_services.runners) runner->prepare();
  }

  /// Trials that have not been begun, at most; where a search may end early, the last ones are unknown.
  std::int64_t left_to_come() const {
    if (m_queue.may_end_early()) return std::numeric_limits<std::int64_t>::max();
    return m_summary.planned + m_list.unexpected() - m_summary.known - m_summary.finished -
           m_summary.unprepared - m_summary.skipped_by_strategy - m_trials.under_way();
  }

  /// What the devices have to say.
  void hear() {
    std::vector<DeviceSlot*> launching;
    for (DeviceSlot& slot : m_slots) {
      while (slot.is_there()) {
        auto event = slot.thread->take();
        if (!event) break;
        if (std::holds_alternative<DeviceThread::Launching>(*event))
          launching.push_back(&slot);
        else
          hear(slot, std::move(*event));
      }
    }
    if (!launching.empty()) let_launch(launching);
  }

  /// While the devices load there is time to write down what has ended; attempts are written with it.
  void let_launch(const std::vector<DeviceSlot*>& slots) {
    std::vector<const model::TrialRecord*> next;
    for (const DeviceSlot* slot : slots) {
      if (const auto* trial = std::get_if<CompiledTrial>(&slot->work)) next.push_back(&trial->trial.record);
    }
    m_trials.commit(next);
    for (const model::TrialRecord* trial : next) m_services.observer.launching(*trial);
    for (DeviceSlot* slot : slots) {
      slot->launching = false;
      slot->thread->proceed();
    }
  }

  void hear(DeviceSlot& slot, DeviceThread::Event event) {
    if (const auto* broken = std::get_if<DeviceThread::Broken>(&event)) {
      std::string why = "unknown";
      try {
        std::rethrow_exception(broken->error);
      } catch (const std::exception& error) {
        why = error.what();
      } catch (...) {
      }
      return leave(slot, why, broken->error);
    }
    if (std::holds_alternative<model::NotPrepared>(event)) {
      say_unprepared(slot);
      return take_back(slot, "no time to prepare it");
    }
    const auto* trial = std::get_if<model::TrialOutcome>(&event);
    const auto* final = std::get_if<model::FinalOutcome>(&event);
    const model::TrialOutcome* failure = trial ? trial : final->complete() ? nullptr : &final->failure;
    if (failure && failure->subject == model::Subject::device) return leave(slot, failure->detail, nullptr);
    if (!trial) return end_final(slot, *final);
    if (std::holds_alternative<DeviceSlot::Comparison>(slot.work)) return end_comparison(slot, *trial);
    m_trials.end(slot, std::get<CompiledTrial>(m_slots.finish(slot)),
                 std::move(*std::get_if<model::TrialOutcome>(&event)));
  }

  /// Who only has the budget raised knows what it waits for.
  void say_unprepared(const DeviceSlot& slot) {
    const auto* trial = std::get_if<CompiledTrial>(&slot.work);
    if (trial == nullptr || m_services.stop) return;
    const model::TrialRecord& record = trial->trial.record;
    m_services.observer.notice(
        fmt::format("{} at {}: its inputs and its reference were not made in the time that the budget left",
                    record.kernel, record.problem.text()));
  }

  void end_final(DeviceSlot& slot, const model::FinalOutcome& outcome) {
    auto final = std::get<FinalStage::PreparedFinal>(m_slots.finish(slot));
    if (m_finals.conclude(std::move(final), outcome, slot.uuid)) ++m_summary.finals;
  }

  void end_comparison(DeviceSlot& slot, const model::TrialOutcome& outcome) {
    const auto comparison = std::get<DeviceSlot::Comparison>(m_slots.finish(slot));
    const auto run = outcome.trusted_ns() ? std::optional(DeviceSpread::of(outcome)) : std::nullopt;
    if (!comparison.foreign.empty()) return m_finals.end_comparison(comparison.foreign, slot.number, run);
    m_spread.add(slot.number, run);
    if (m_spread.is_under_way()) return;
    std::vector<std::string> ids;
    for (DeviceSlot& one : m_slots) ids.push_back(one.is_there() ? one.did.id : "");
    m_services.observer.notice(m_spread.text(ids));
  }

  /// What the device was at was not run: another time, or on another device.
  void take_back(DeviceSlot& slot, const std::string& why) {
    DeviceSlot::Work work = m_slots.finish(slot);
    if (auto* trial = std::get_if<CompiledTrial>(&work)) m_trials.return_unrun(std::move(*trial), why);
    if (auto* final = std::get_if<FinalStage::PreparedFinal>(&work))
      m_interrupted.push_back(std::move(*final));
    const auto* comparison = std::get_if<DeviceSlot::Comparison>(&work);
    if (comparison == nullptr) return;
    if (comparison->foreign.empty())
      m_spread.add(slot.number, std::nullopt);
    else
      m_finals.give_back_comparison(comparison->foreign);
  }

  /// The device is not to be had any more; what it was at goes to another. Throws where there is none:
  /// `error`, or a model::Error that says `why`.
  void leave(DeviceSlot& slot, const std::string& why, const std::exception_ptr& error) {
    take_back(slot, why);
    slot.take_time();
    slot.thread.reset();
    const bool is_last = !m_slots.any(&DeviceSlot::is_there);
    if (is_last && error) std::rethrow_exception(error);
    if (is_last) {
      throw model::Error(
          fmt::format("{} failed: {}", slot.did.id, why),
          "`nvidia-smi` and the system's log (Xid) may say more; what was measured is kept, and the "
          "same command goes on from there");
    }
    slot.did.left = why;
    m_spread.leave(slot.number);
    m_services.observer.notice(
        fmt::format("{} has left the sweep, and the others go on without it: {}", slot.did.id, why));
  }

  /// Gives the idle devices what there is to do. Whether any got something, or a trial ended without a
  /// device.
  bool serve() {
    bool any = false;
    open_finals();
    for (DeviceSlot& slot : m_slots) any = (slot.is_idle() && serve_final(slot)) || any;
    for (DeviceSlot& slot : m_slots)
      any = (slot.is_idle() && (serve_comparison(slot) || serve_trial(slot))) || any;
    return any;
  }

  /// Once devices are told apart, which says who is near enough to the best.
  void open_finals() {
    if (m_spread.is_under_way()) return;
    for (const std::size_t group : std::exchange(m_raced, {})) m_finals.open(group);
  }

  /// A group's final goes to who has its inputs.
  bool serve_final(DeviceSlot& slot) {
    std::optional<FinalStage::PreparedFinal> final;
    if (!m_interrupted.empty()) {
      final = std::move(m_interrupted.front());
      m_interrupted.pop_front();
    }
    if (!final)
      final = m_finals.take(
          [&](std::size_t group) { return slot.inputs.contains(group) || !m_slots.has_inputs(group); });
    if (!final) return false;
    slot.use_inputs_of(final->group);
    DeviceThread::Job job = final->job;
    m_slots.start(slot, std::move(*final), std::move(job));
    return true;
  }

  bool serve_comparison(DeviceSlot& slot) {
    if (m_spread.claim(slot.number)) {
      m_slots.start(slot, DeviceSlot::Comparison{}, m_spread.job());
      return true;
    }
    auto comparison = m_finals.claim_comparison();
    if (!comparison) return false;
    m_slots.start(slot, DeviceSlot::Comparison{std::move(comparison->gpu)}, std::move(comparison->job));
    return true;
  }

  bool serve_trial(DeviceSlot& slot) {
    bool any = false;
    while (!over()) {
      const Assignment assignment(m_queue, m_slots);
      auto trial = m_compiling.take([&](std::size_t group) { return assignment.reluctance(slot, group); });
      if (!trial) break;
      any = true;
      auto job = m_trials.job(*trial, slot);
      if (!job) continue;
      m_slots.start(slot, std::move(*trial), std::move(*job));
      break;
    }
    return any;
  }

  /// A group's final comes as soon as all its trials have raced, while its inputs are still on a device.
  void finish_groups() {
    while (const auto search = m_queue.take_finished()) {
      m_trials.commit();
      record(*search);
      end_race(search->group);
    }
    while (const auto group = m_queue.take_paused()) {
      m_trials.commit();
      m_services.observer.search_pauses(m_list.groups[*group].problem);
      end_race(*group);
    }
    for (const std::size_t group : m_reopening.take_ended()) end_race(group);
  }

  /// All trials of the group have ended, unless what was dropped is to be measured again.
  void end_race(std::size_t group) {
    const auto& most = m_request.budget.trials;
    const std::int64_t room =
        most ? *most - m_summary.finished - m_trials.under_way() : std::numeric_limits<std::int64_t>::max();
    if (m_reopening.begin(group, room) > 0) return;
    compare_devices(group);
    m_raced.push_back(group);
  }

  /// Before the first final whose best takes long enough, with that.
  void compare_devices(std::size_t group) {
    const CompiledTrial* best = m_finals.best(group);
    if (m_slots.count(&DeviceSlot::is_there) < 2 || m_spread.has_begun() || best == nullptr) return;
    if (!DeviceSpread::can_tell_by(best->trial.record.outcome)) return;
    const model::TrialRecord& record = best->trial.record;
    m_spread.begin(
        job_of(m_request, *best),
        fmt::format("{} {} at {}", record.kernel, record.configuration.text(), record.problem.size_text()));
    for (DeviceSlot& slot : m_slots) {
      if (!slot.is_there()) m_spread.leave(slot.number);
    }
  }

  void record(const EndedSearch& ended) {
    const model::SearchRecord& search = ended.record;
    if (search.parts.empty()) return;  // baselines alone, or a random draw: nothing to remember
    if (search.ending == model::SearchEnding::refused) ++m_summary.refused;
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

  void hold_rest() {
    m_compiling.abandon();
    m_finals.compile_again();
    m_spread.end();
    const auto& seconds = m_request.budget.seconds;
    const double until = seconds ? m_started + *seconds + grace_s : std::numeric_limits<double>::infinity();
    m_finals.end_by(until);
    while (true) {
      hear();
      m_compiling.poll();
      const bool may_begin = !m_services.stop && m_services.clock() < until;
      if (may_begin && !m_spread.is_under_way()) {
        open_finals();
        while (const auto group = m_finals.left()) m_finals.open(*group);
      }
      for (DeviceSlot& slot : m_slots) {
        if (may_begin && slot.is_idle() && !serve_final(slot)) serve_comparison(slot);
      }
      const bool has_more = may_begin && (m_finals.is_awaited() || !m_interrupted.empty());
      if (!m_slots.any(&DeviceSlot::is_busy) && !has_more) break;
      wait();
    }
    if (!m_services.stop) m_finals.say_unheld();
  }

  CandidateQueue m_queue;
  CompileAhead m_compiling;
  DeviceSpread m_spread;
  FinalStage m_finals;
  double m_started;
  Summary m_summary;
  TrialJourney m_trials;
  Reopening m_reopening;
  std::deque<std::size_t> m_raced;                      ///< groups whose final is to be opened
  std::deque<FinalStage::PreparedFinal> m_interrupted;  ///< finals whose device left
  Wakeup m_wakeup;
  bool m_prepared = false;             ///< whether devices were told to get ready
  std::optional<double> m_idle_since;  ///< every device, for want of a binary
  std::set<std::string> m_told_of;     ///< kernels that were waited for long
  int m_standing = 0;                  ///< rounds in a row in which nothing was under way
  DeviceSlots m_slots;                 ///< last: their threads use the above
};

}  // namespace

Summary sweep(const Request& request, const TrialList& list, Services& services) {
  const StrategyChoice known(request.strategy, request.own_strategies);  // throws before anything is written
  services.sink.begin_run(request.run);
  try {
    declare_kernels(request, services);
    Summary summary = Driver(request, list, services).run();
    services.sink.end_run(request.run.id, summary.ending == Ending::interrupted ? "interrupted" : "done");
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
