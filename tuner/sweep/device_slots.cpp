#include "tuner/sweep/device_slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace tuner::sweep {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Reads the parts as a record's fields are read.
struct Listed {
  std::vector<std::string> parts;
  void operator()(const char* name, double seconds) {
    constexpr double least = 0.05;
    if (seconds >= least) parts.push_back(fmt::format("{} {:.1f} s", name, seconds));
  }
};

/// Thrown through a runner to keep it from launching what is not awaited any more.
struct GivenUp {};

}  // namespace

std::string DeviceTime::text() const {
  Listed listed;
  describe(listed, *this);
  return fmt::format("{}", fmt::join(listed.parts, ", "));
}

DeviceClock::DeviceClock() : m_since(seconds_now()) {}

double DeviceClock::lap() {
  const double now = seconds_now();
  return now - std::exchange(m_since, now);
}

void DeviceClock::begin_job(Part part) {
  m_idle.between += lap();
  const DeviceTime idle = std::exchange(m_idle, {});
  if (m_has_begun) {
    m_spent.compilers += idle.compilers;
    m_spent.others += idle.others;
    m_spent.between += idle.between;
  } else {
    m_spent.first = idle.compilers + idle.others + idle.between;
  }
  m_job = part;
  m_now = &DeviceTime::starting;
  m_has_begun = true;
  m_has_phases = false;
}

void DeviceClock::ask_leave() {
  m_spent.*m_now += lap();
}

void DeviceClock::enter(model::TrialPhase phase) {
  m_spent.*m_now += lap();
  m_has_phases = true;
  m_now = phase == model::TrialPhase::preparing  ? &DeviceTime::inputs
          : phase == model::TrialPhase::clearing ? &DeviceTime::starting
                                                 : m_job;
}

void DeviceClock::hold() {
  m_spent.held += lap();
}

void DeviceClock::end_job() {
  if (!m_has_phases) m_now = m_job;
  m_spent.*m_now += lap();
}

DeviceTime DeviceClock::end() {
  m_idle.between += lap();
  m_spent.last = m_idle.compilers + m_idle.others + m_idle.between;
  return m_spent;
}

DeviceThread::DeviceThread(model::TrialRunner& runner, std::function<void()> ring,
                           std::function<bool()> is_late, std::function<double()> clock)
    : m_runner(runner), m_ring(std::move(ring)), m_seconds(std::move(clock)) {
  m_runner.report_phases_to([this](model::TrialPhase phase) { enter(phase); });
  m_runner.give_up_preparing_if(std::move(is_late));
  m_thread = std::thread([this] { work(); });
}

DeviceThread::~DeviceThread() {
  change([this] { m_ending = true; });
  m_thread.join();
  m_runner.report_phases_to(nullptr);
  m_runner.give_up_preparing_if(nullptr);
}

void DeviceThread::enter(model::TrialPhase phase) {
  m_clock.enter(phase);
  if (phase == model::TrialPhase::clearing) {
    const double now = m_seconds();
    m_at_work = seconds_at_work(now, now);
    m_work_began.reset();
  } else if (!m_work_began) {
    m_work_began = m_seconds();
  }
}

double DeviceThread::seconds_at_work(double began, double now) const {
  if (m_at_work && !m_work_began) return *m_at_work;
  return m_at_work.value_or(0) + now - m_work_began.value_or(began);
}

void DeviceThread::start(Job job) {
  change([&] {
    m_job = std::move(job);
    m_may_launch = false;
  });
}

void DeviceThread::proceed() {
  change([this] { m_may_launch = true; });
}

template <typename Change>
void DeviceThread::change(const Change& what) {
  {
    const std::lock_guard lock(m_mutex);
    what();
  }
  m_changed.notify_all();
}

std::optional<DeviceThread::Event> DeviceThread::take() {
  const std::lock_guard lock(m_mutex);
  if (m_events.empty()) return std::nullopt;
  Event event = std::move(m_events.front());
  m_events.pop_front();
  return event;
}

bool DeviceThread::has_event() const {
  const std::lock_guard lock(m_mutex);
  return !m_events.empty();
}

void DeviceThread::work() {
  while (true) {
    std::optional<Job> job;
    {
      std::unique_lock lock(m_mutex);
      m_changed.wait(lock, [this] { return m_ending || m_job; });
      if (m_ending) return;
      job = std::exchange(m_job, std::nullopt);
    }
    try {
      post(run(*job));
    } catch (const GivenUp&) {
      return;
    } catch (...) {
      post(Broken{std::current_exception()});
    }
  }
}

DeviceThread::Event DeviceThread::run(const Job& job) {
  const auto* trial = std::get_if<model::TrialJob>(&job);
  const bool is_library = trial != nullptr && trial->plan.calls_library();
  m_at_work.reset();
  m_work_began.reset();
  m_clock.begin_job(trial == nullptr ? &DeviceTime::finals
                    : is_library     ? &DeviceTime::libraries
                                     : &DeviceTime::trials);
  try {
    Event event = trial != nullptr ? Event(m_runner.run_with_notice(*trial, [this] { await_proceed(); }))
                                   : Event(m_runner.run_final(std::get<model::FinalJob>(job)));
    m_clock.end_job();
    return event;
  } catch (const model::NotPrepared& given_up) {
    m_clock.end_job();
    return given_up;
  } catch (...) {
    m_clock.end_job();
    throw;
  }
}

void DeviceThread::await_proceed() {
  m_clock.ask_leave();
  post(Launching{});
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [this] { return m_ending || m_may_launch; });
  m_clock.hold();
  if (!m_may_launch) throw GivenUp{};
}

void DeviceThread::post(Event event) {
  {
    const std::lock_guard lock(m_mutex);
    m_events.push_back(std::move(event));
  }
  m_ring();
}

DeviceSlots::DeviceSlots(const std::vector<model::TrialRunner*>& runners, std::function<double()> clock,
                         const std::function<void()>& ring, const std::function<bool()>& is_late)
    : m_clock(std::move(clock)) {
  for (model::TrialRunner* runner : runners) {
    DeviceSlot& slot = m_slots.emplace_back();
    slot.number = m_slots.size() - 1;
    slot.uuid = runner->device().uuid;
    slot.did.id = runner->device().id;
    slot.thread = std::make_unique<DeviceThread>(*runner, ring, is_late, m_clock);
  }
}

std::size_t DeviceSlots::count(Is is) const {
  return static_cast<std::size_t>(
      std::count_if(m_slots.begin(), m_slots.end(), [is](const DeviceSlot& slot) { return (slot.*is)(); }));
}

std::size_t DeviceSlots::others_at(std::size_t group, const DeviceSlot& slot) const {
  return static_cast<std::size_t>(std::count_if(m_slots.begin(), m_slots.end(), [&](const DeviceSlot& other) {
    return &other != &slot && other.is_there() && other.group == group;
  }));
}

bool DeviceSlots::has_inputs(std::size_t group) const {
  return std::ranges::any_of(
      m_slots, [&](const DeviceSlot& slot) { return slot.is_there() && slot.inputs.contains(group); });
}

void DeviceSlots::start(DeviceSlot& slot, DeviceSlot::Work work, DeviceThread::Job job) {
  slot.work = std::move(work);
  slot.began = m_clock();
  slot.launching = std::holds_alternative<model::TrialJob>(job);
  slot.thread->start(std::move(job));
}

DeviceSlot::Work DeviceSlots::finish(DeviceSlot& slot) {
  const double seconds = slot.thread->seconds_at_work(slot.began, m_clock());
  slot.did.measuring_seconds += seconds;
  if (const auto* trial = std::get_if<CompiledTrial>(&slot.work))
    m_trial_seconds[trial->item.group] += seconds;
  slot.launching = false;
  return std::exchange(slot.work, std::monostate{});
}

void DeviceSlots::note_idle(DeviceClock::Part why) {
  for (DeviceSlot& slot : m_slots)
    if (slot.is_idle()) slot.thread->clock().idle(why);
}

double DeviceSlots::busy_seconds(std::optional<std::size_t> group) const {
  if (group) {
    const auto own = m_trial_seconds.find(*group);
    return own == m_trial_seconds.end() ? 0 : own->second;
  }
  double seconds = 0;
  for (const DeviceSlot& slot : m_slots) seconds += slot.did.measuring_seconds;
  return seconds;
}

Assignment::Assignment(const CandidateQueue& queue, const DeviceSlots& slots)
    : m_slots(slots), m_proposing(queue.proposing()) {
  for (const DeviceSlot& slot : slots)
    if (slot.is_there() && !has_own(slot)) ++m_lacking;
  for (const std::size_t group : m_proposing)
    if (!slots.has_inputs(group)) ++m_new;
}

bool Assignment::has_own(const DeviceSlot& slot) const {
  return std::ranges::any_of(m_proposing, [&](std::size_t group) { return slot.inputs.contains(group); });
}

bool Assignment::may_share(const DeviceSlot& slot) const {
  return m_new == 0 && !has_own(slot);
}

std::optional<std::size_t> Assignment::reluctance(const DeviceSlot& slot, std::size_t group) const {
  if (slot.inputs.contains(group)) return 0;
  if (!m_slots.has_inputs(group)) {
    const bool others_need_it = m_lacking > 0 && has_own(slot);
    return others_need_it ? std::nullopt : std::optional<std::size_t>(1);
  }
  // Of several the one that fewest are at.
  return may_share(slot) ? std::optional(2 + m_slots.others_at(group, slot)) : std::nullopt;
}

}  // namespace tuner::sweep
