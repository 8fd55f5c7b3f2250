#include "tuner/worker/remote_runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/model/error.hpp"

namespace tuner::worker {
namespace {

using model::TrialOutcome;
using model::TrialPhase;
using model::TrialStatus;
using std::chrono::nanoseconds;

/// References a child keeps before it is told to forget them all: a sweep uses one an element type and
/// family.
constexpr std::size_t kept_references = 16;
/// Runs of the kernel while verifying: two to compare with each other, fresh inputs, one to spare.
constexpr double verifying_launches = 4;

/// Of nonsense 0, of more than thirty years thirty years.
nanoseconds from_ns(double ns) {
  return nanoseconds(ns > 0 ? static_cast<nanoseconds::rep>(std::min(ns, 1e18)) : 0);
}

}  // namespace

nanoseconds phase_deadline(const RemoteRunnerSettings& settings, const model::TrialJob& job,
                           TrialPhase phase) {
  const auto allowed = [&](double launches) {
    return std::max<nanoseconds>(settings.run_deadline,
                                 from_ns(settings.run_deadline_factor * job.best_ns * launches));
  };
  switch (phase) {
    case TrialPhase::preparing:
      return settings.prepare_deadline;
    case TrialPhase::loading:
      return allowed(1);
    case TrialPhase::verifying:
      return allowed(verifying_launches);
    case TrialPhase::timing:
      break;
  }
  return allowed(job.policy.least_samples + 1.0) + from_ns(job.policy.time_limit_ns);
}

RemoteRunner::RemoteRunner(ChildCommand command, RemoteRunnerSettings settings)
    : m_settings(std::move(settings)), m_slot("measuring worker", std::move(command), m_settings.worker) {
  if (!m_settings.device) start();
}

void RemoteRunner::start() {
  m_references.clear();
  const Message first = m_slot.start();
  const auto* ready = std::get_if<RunnerReady>(&first);
  if (!ready) {
    m_slot.discard();
    throw model::Error("the measuring worker started with an unexpected message");
  }
  if (m_settings.device && m_settings.device->uuid != ready->device.uuid) {
    m_slot.discard();
    throw model::Error(
        fmt::format("device {} was {} ({}) and is now {} ({})", m_settings.device->id,
                    m_settings.device->name, m_settings.device->uuid, ready->device.name, ready->device.uuid),
        "name the device that is meant with --device");
  }
  if (!m_settings.device) m_settings.device = ready->device;
}

TrialOutcome RemoteRunner::run(const model::TrialJob& job) {
  if (!m_slot.occupied()) start();
  m_slot.child().output().clear();
  const Sent sent = send(job);
  if (std::holds_alternative<DeadlinePassed>(sent)) {
    return lost(TrialStatus::timeout, TrialPhase::loading, "it did not take the job in time");
  }
  // A child that died is asked all the same: its last words may still be in the socket.
  TrialOutcome outcome = await(job);
  if (!m_slot.occupied()) return outcome;
  if (const std::int64_t printed = m_slot.child().output().printed_bytes(); printed > 0) {
    if (!outcome.detail.empty()) outcome.detail += "; ";
    outcome.detail += fmt::format("printed {} bytes, which were dropped", printed);
  }
  if (outcome.device_lost) m_slot.discard();
  return outcome;
}

Sent RemoteRunner::send(const model::TrialJob& job) {
  const auto deadline = Clock::now() + phase_deadline(m_settings, job, TrialPhase::loading);
  // A key of zeros names nothing, so nothing can be kept under it.
  const bool carries = job.reference_key.empty() || !m_references.contains(job.reference_key);
  const bool forget = carries && m_references.size() >= kept_references;
  if (forget) m_references.clear();
  if (carries && !job.reference_key.empty()) m_references.insert(job.reference_key);
  return m_slot.child().send(encode(job, carries, forget), deadline);
}

TrialOutcome RemoteRunner::await(const model::TrialJob& job) {
  TrialPhase phase = TrialPhase::loading;
  for (;;) {
    const nanoseconds allowed = phase_deadline(m_settings, job, phase);
    Received received = m_slot.child().receive(Clock::now() + allowed);
    if (std::holds_alternative<DeadlinePassed>(received)) {
      const double seconds = std::chrono::duration<double>(allowed).count();
      return lost(TrialStatus::timeout, phase, fmt::format("passed its deadline of {:.3g} s", seconds));
    }
    if (const auto* nonsense = std::get_if<ProtocolError>(&received)) {
      return lost(TrialStatus::crashed, phase, nonsense->message);
    }
    auto* message = std::get_if<Message>(&received);
    if (!message) return lost(TrialStatus::crashed, phase, "");
    if (auto* outcome = std::get_if<TrialOutcome>(message)) return std::move(*outcome);
    if (const auto* failure = std::get_if<Failure>(message)) {
      m_slot.discard();
      throw model::Error(failure->message, failure->hint, failure->code);
    }
    const auto* report = std::get_if<PhaseReport>(message);
    if (!report) return lost(TrialStatus::crashed, phase, "it answered with an unexpected message");
    phase = report->phase;
    if (m_listener) m_listener(phase);
  }
}

TrialOutcome RemoteRunner::lost(TrialStatus status, TrialPhase phase, const std::string& why) {
  TrialOutcome outcome;
  outcome.status = status;
  outcome.device_lost = true;
  if (status == TrialStatus::timeout) {
    const std::string printed = m_slot.child().output().text();
    m_slot.discard();
    outcome.detail = fmt::format("{} while {}; its process was killed", why, model::to_string(phase));
    if (!printed.empty()) outcome.detail += "; it printed:\n" + printed;
    return outcome;
  }
  const std::string how = m_slot.collect();
  outcome.detail = fmt::format("the measuring process died while {}: {}{}", model::to_string(phase),
                               why.empty() ? "" : why + "; ", how);
  return outcome;
}

}  // namespace tuner::worker
