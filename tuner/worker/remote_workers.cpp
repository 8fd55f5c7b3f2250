#include "tuner/worker/remote_workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/model/error.hpp"

namespace tuner::worker {

using model::Compilation;
using model::TrialOutcome;
using model::TrialPhase;
using model::TrialStatus;
using std::chrono::nanoseconds;

RemoteCompiler::RemoteCompiler(ChildCommand command, RemoteCompilerSettings settings)
    : m_settings(std::move(settings)), m_slot("compile worker", std::move(command), m_settings.worker) {
  if (!m_settings.name) start();
}

void RemoteCompiler::start() {
  const auto ready = m_slot.start_as<CompilerReady>();
  if (m_settings.name && *m_settings.name != ready.compiler) {
    m_slot.discard();
    throw model::Error(fmt::format("the compiler changed from `{}` to `{}` during the sweep",
                                   *m_settings.name, ready.compiler),
                       "run the same command again: results of both compilers are kept apart");
  }
  m_settings.name = ready.compiler;
}

Compilation RemoteCompiler::compile(const model::CompileJob& job) {
  return compile_unless(job, false);
}

Compilation RemoteCompiler::compile_unless(const model::CompileJob& job, const std::atomic<bool>& abandoned) {
  constexpr std::chrono::milliseconds look_up_after{50};  // at whether it was abandoned
  if (!m_slot.occupied()) start();
  const auto begin = Clock::now();
  const auto limit = job.patience() * m_settings.deadline;
  const auto deadline = begin + limit;
  const auto failed = [&](TrialStatus status, std::string log) {
    Compilation compilation;
    compilation.status = status;
    compilation.log = std::move(log);
    compilation.compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    return compilation;
  };
  m_slot.child().output().clear();
  const Sent sent = m_slot.child().send(encode(job), deadline);
  Received received = ChildGone{};
  if (std::holds_alternative<DeadlinePassed>(sent)) received = DeadlinePassed{};
  if (std::holds_alternative<std::monostate>(sent)) {
    do {
      received = m_slot.child().receive(std::min(deadline, Clock::now() + look_up_after));
    } while (std::holds_alternative<DeadlinePassed>(received) && Clock::now() < deadline && !abandoned);
  }
  if (std::holds_alternative<DeadlinePassed>(received)) {
    m_slot.discard();
    return failed(TrialStatus::timeout,
                  abandoned ? "compiling was given up: the result is not needed any more"
                            : fmt::format("compiling passed its deadline of {} s and was stopped",
                                          std::chrono::duration<double>(limit).count()));
  }
  if (auto* message = std::get_if<Message>(&received)) {
    if (auto* compilation = std::get_if<Compilation>(message)) return std::move(*compilation);
    if (const auto* failure = std::get_if<Failure>(message)) m_slot.give_up(*failure);
    received = ProtocolError{"it answered with an unexpected message"};
  }
  const auto* nonsense = std::get_if<ProtocolError>(&received);
  const std::string why = nonsense ? nonsense->message + "; " : "";
  return failed(TrialStatus::crashed,
                fmt::format("the compiler's process died: {}{}", why, m_slot.collect()));
}

namespace {

/// References a child keeps before it is told to forget them all: a sweep uses one an element type and
/// family.
constexpr std::size_t kept_references = 16;

/// Of nonsense 0, of more than thirty years thirty years.
nanoseconds from_ns(double ns) {
  return nanoseconds(ns > 0 ? static_cast<nanoseconds::rep>(std::min(ns, 1e18)) : 0);
}

/// Samples that are taken whatever the policy's time: six, and those that settle whether a trial is dropped.
double least_samples(const model::MeasurePolicy& policy) {
  int most = 6;
  for (const model::Cut& cut : policy.cuts) most = std::max(most, cut.samples);
  return most;
}

/// What keeps `told` from being the outcome of `job`; empty where nothing does. Indices come from another
/// process.
std::string objection_to(const model::FinalOutcome& told, const model::FinalJob& job) {
  const std::size_t trials = job.trials.size();
  if (told.culprit && *told.culprit >= trials)
    return fmt::format("finalist {} of {} as the culprit", *told.culprit, trials);
  if (!told.complete()) return "";
  if (told.standings.size() != trials)
    return fmt::format("{} standings of {} finalists", told.standings.size(), trials);
  if (told.fastest >= trials) return fmt::format("finalist {} of {} as the fastest", told.fastest, trials);
  return model::may_win(job.trials[told.fastest].role) ? "" : "a baseline as the fastest";
}

/// How often who prepares is asked whether it is too late.
constexpr std::chrono::milliseconds look_interval{100};
/// So long it may still go on then: most are ready by that time.
constexpr std::chrono::seconds late_patience{1};

/// Of a child that is gone; what its phase is about is to blame.
TrialOutcome gone(TrialStatus status, TrialPhase phase) {
  TrialOutcome outcome;
  outcome.status = status;
  outcome.device_lost = true;
  if (phase == TrialPhase::preparing) outcome.subject = model::Subject::problem;
  if (phase == TrialPhase::probing) outcome.subject = model::Subject::binary;
  return outcome;
}

TrialOutcome died(TrialPhase phase, const std::string& how) {
  TrialOutcome outcome = gone(TrialStatus::crashed, phase);
  outcome.detail = fmt::format("the measuring process died while {}: {}", model::to_string(phase), how);
  return outcome;
}

TrialOutcome unexpected_answer(const std::string& what) {
  TrialOutcome outcome;
  outcome.status = TrialStatus::crashed;
  outcome.detail = "the measuring process answered with " + what;
  outcome.device_lost = true;
  return outcome;
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
    case TrialPhase::probing:
    case TrialPhase::loading:
    case TrialPhase::verifying:
      return job.plan.calls_library() ? std::max<nanoseconds>(allowed(1), settings.prepare_deadline)
                                      : allowed(1);
    case TrialPhase::timing:
    case TrialPhase::clearing:
      break;
  }
  return allowed(least_samples(job.policy) + 1.0) + from_ns(job.policy.time_limit_ns);
}

nanoseconds phase_deadline(const RemoteRunnerSettings& settings, const model::FinalJob& job,
                           TrialPhase phase) {
  double all_ns = 0;
  for (const model::TrialJob& trial : job.trials)
    all_ns += static_cast<double>(phase_deadline(settings, trial, phase).count());
  return from_ns(all_ns);
}

RemoteRunner::RemoteRunner(ChildCommand command, RemoteRunnerSettings settings)
    : m_settings(std::move(settings)), m_slot("measuring worker", std::move(command), m_settings.worker) {
  if (!m_settings.device) start();
}

void RemoteRunner::start() {
  m_references.clear();
  const auto ready = m_slot.start_as<RunnerReady>();
  if (m_settings.device && m_settings.device->uuid != ready.device.uuid) {
    m_slot.discard();
    throw model::Error(
        fmt::format("device {} was {} ({}) and is now {} ({})", m_settings.device->id,
                    m_settings.device->name, m_settings.device->uuid, ready.device.name, ready.device.uuid),
        "name the device that is meant with --device");
  }
  if (!m_settings.device) m_settings.device = ready.device;
}

void RemoteRunner::prepare() {
  if (!m_slot.occupied()) start();
  // A child that does not take it is found out with the first trial.
  static_cast<void>(m_slot.child().send(encode(Prepare{}), Clock::now() + m_settings.run_deadline));
}

TrialOutcome RemoteRunner::run(const model::TrialJob& job) {
  return run_with_notice(job, [] {});
}

TrialOutcome RemoteRunner::run_with_notice(const model::TrialJob& job,
                                           const std::function<void()>& before_launch) {
  return answer_of<TrialOutcome>([&] { return encode(request(job)); },
                                 [&](TrialPhase phase) { return phase_deadline(m_settings, job, phase); },
                                 before_launch,
                                 [this](TrialOutcome& told) {
                                   add_printed(told);
                                   return std::string();
                                 });
}

model::FinalOutcome RemoteRunner::run_final(const model::FinalJob& job) {
  const auto make_request = [&] {
    FinalRequest request;
    request.seed = job.seed;
    for (const model::TrialJob& trial : job.trials) request.trials.push_back(this->request(trial));
    return encode(request);
  };
  m_finalist.reset();
  auto outcome = answer_of<model::FinalOutcome>(
      make_request, [&](TrialPhase phase) { return phase_deadline(m_settings, job, phase); }, nullptr,
      [&](const model::FinalOutcome& told) { return objection_to(told, job); });
  if (m_finalist && *m_finalist < job.trials.size()) outcome.culprit = m_finalist;
  return outcome;
}

model::Profile RemoteRunner::profile(const model::ProfileJob& job) {
  return answer_of<model::Profile>(
      [&] {
        return encode(ProfileRequest{request(job.trial), job.metrics});
      },
      [&](TrialPhase phase) { return phase_deadline(m_settings, job.trial, phase); }, nullptr,
      [](const model::Profile&) { return std::string(); });
}

template <class Outcome, class Check>
Outcome RemoteRunner::answer_of(const std::function<Bytes()>& make_request, const Deadlines& deadlines,
                                std::function<void()> meanwhile, const Check& check) {
  Answer answer = ask(make_request, deadlines, std::move(meanwhile));
  Outcome outcome;
  if (auto* lost = std::get_if<TrialOutcome>(&answer)) {
    failure_of(outcome) = std::move(*lost);
    return outcome;
  }
  auto* told = std::get_if<Outcome>(&std::get<Message>(answer));
  const std::string objection = told ? check(*told) : "an unexpected message";
  if (objection.empty())
    outcome = std::move(*told);
  else
    failure_of(outcome) = unexpected_answer(objection);
  if (failure_of(outcome).device_lost) discard();
  return outcome;
}

void RemoteRunner::add_printed(TrialOutcome& outcome) {
  const auto bytes = m_slot.child().output().printed_bytes();
  if (bytes == 0) return;
  outcome.detail +=
      fmt::format("{}printed {} bytes, which were dropped", outcome.detail.empty() ? "" : "; ", bytes);
}

TrialRequest RemoteRunner::request(const model::TrialJob& job) {
  TrialRequest request;
  request.job = job;
  // A key of zeros names nothing, so nothing can be kept under it.
  request.carries_reference = job.reference_key.empty() || !m_references.contains(job.reference_key);
  request.forget_references = request.carries_reference && m_references.size() >= kept_references;
  if (request.forget_references) m_references.clear();
  if (request.carries_reference && !job.reference_key.empty()) m_references.insert(job.reference_key);
  return request;
}

void RemoteRunner::discard() {
  enter(TrialPhase::clearing);
  m_slot.discard();
}

std::string RemoteRunner::collect() {
  enter(TrialPhase::clearing);
  return m_slot.collect();
}

RemoteRunner::Answer RemoteRunner::ask(const std::function<Bytes()>& make_request, const Deadlines& deadlines,
                                       std::function<void()> meanwhile) {
  DiedEarly early;
  for (int attempt = 0; attempt < m_settings.worker.start_attempts; ++attempt) {
    if (!m_slot.occupied()) start();
    auto answer = try_once(make_request(), deadlines, meanwhile);
    if (auto* got = std::get_if<Answer>(&answer)) return std::move(*got);
    early = std::get<DiedEarly>(answer);
    if (m_settings.worker.log) {
      m_settings.worker.log(fmt::format("the measuring process died {}: {}",
                                        early.prepared ? "while preparing" : "before it began a trial",
                                        early.how));
    }
  }
  if (early.prepared) return died(TrialPhase::preparing, early.how);
  throw model::Error(
      fmt::format("the measuring process died {} times before it began a trial: {}",
                  m_settings.worker.start_attempts, early.how),
      "something kills it: look at the system's log (out of memory?); run the same command to resume");
}

std::variant<RemoteRunner::Answer, RemoteRunner::DiedEarly> RemoteRunner::try_once(
    const Bytes& request, const Deadlines& deadlines, std::function<void()>& meanwhile) {
  m_slot.child().output().clear();
  const Sent sent = m_slot.child().send(request, Clock::now() + deadlines(TrialPhase::loading));
  if (std::holds_alternative<ChildGone>(sent)) return DiedEarly{collect()};
  if (std::holds_alternative<DeadlinePassed>(sent)) {
    return lost(TrialStatus::timeout, TrialPhase::loading, "it did not take the job in time");
  }
  if (!meanwhile) return await(deadlines);
  try {
    std::exchange(meanwhile, [] {})();  // once, however many children are asked
  } catch (...) {
    discard();  // it has a job whose answer is not wanted
    throw;
  }
  // A child that is gone by now is asked all the same: its last words may still be in the socket.
  static_cast<void>(m_slot.child().send(encode(Proceed{}), Clock::now() + m_settings.run_deadline));
  return await(deadlines);
}

std::variant<RemoteRunner::Answer, RemoteRunner::DiedEarly> RemoteRunner::await(const Deadlines& deadlines) {
  bool began = false;
  TrialPhase phase = TrialPhase::loading;
  for (;;) {
    const nanoseconds allowed = deadlines(phase);
    Received received = receive(phase, allowed);
    if (std::holds_alternative<DeadlinePassed>(received)) {
      const double seconds = std::chrono::duration<double>(allowed).count();
      return lost(TrialStatus::timeout, phase, fmt::format("passed its deadline of {:.3g} s", seconds));
    }
    if (const auto* nonsense = std::get_if<ProtocolError>(&received))
      return lost(TrialStatus::crashed, phase, nonsense->message);
    auto* message = std::get_if<Message>(&received);
    if (!message && (!began || phase == TrialPhase::preparing)) return DiedEarly{collect(), began};
    if (!message) return lost(TrialStatus::crashed, phase, "");
    if (const auto* failure = std::get_if<Failure>(message)) m_slot.give_up(*failure);
    if (std::holds_alternative<TrialOutcome>(*message) ||
        std::holds_alternative<model::FinalOutcome>(*message) ||
        std::holds_alternative<model::Profile>(*message)) {
      m_finalist.reset();  // it tells the culprit itself
      return Answer(std::move(*message));
    }
    if (const auto* next = std::get_if<FinalistReport>(message)) {
      m_finalist = next->finalist;
      continue;
    }
    const auto* report = std::get_if<PhaseReport>(message);
    if (!report) return lost(TrialStatus::crashed, phase, "it answered with an unexpected message");
    began = true;
    phase = report->phase;
    enter(phase);
  }
}

Received RemoteRunner::receive(TrialPhase phase, nanoseconds allowed) {
  const auto deadline = Clock::now() + allowed;
  if (phase != TrialPhase::preparing || !m_is_late) return m_slot.child().receive(deadline);
  std::optional<Clock::time_point> late_since;
  for (;;) {
    if (!m_is_late())
      late_since.reset();
    else if (!late_since)
      late_since = Clock::now();
    else if (Clock::now() - *late_since >= late_patience) {
      discard();
      throw model::NotPrepared{};
    }
    const auto next_look = std::min(Clock::now() + look_interval, deadline);
    Received received = m_slot.child().receive(next_look);
    if (!std::holds_alternative<DeadlinePassed>(received) || Clock::now() >= deadline) return received;
  }
}

TrialOutcome RemoteRunner::lost(TrialStatus status, TrialPhase phase, const std::string& why) {
  if (status == TrialStatus::timeout) {
    TrialOutcome outcome = gone(status, phase);
    const std::string printed = m_slot.child().output().text();
    discard();
    outcome.detail = fmt::format("{} while {}; its process was killed", why, model::to_string(phase));
    if (phase == TrialPhase::preparing) outcome.detail += "; --prepare-timeout-s sets how long that may take";
    if (!printed.empty()) outcome.detail += "; it printed:\n" + printed;
    return outcome;
  }
  return died(phase, (why.empty() ? "" : why + "; ") + collect());
}

}  // namespace tuner::worker
