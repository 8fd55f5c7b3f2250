#include "tuner/worker/remote_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/model/error.hpp"

namespace tuner::worker {

using model::Compilation;
using model::TrialStatus;

namespace {

/// How soon it is noticed that a compilation was abandoned.
constexpr std::chrono::milliseconds look_up_after{50};

}  // namespace

RemoteCompiler::RemoteCompiler(ChildCommand command, RemoteCompilerSettings settings)
    : m_settings(std::move(settings)), m_slot("compile worker", std::move(command), m_settings.worker) {
  if (!m_settings.name) start();
}

void RemoteCompiler::start() {
  const Message first = m_slot.start();
  const auto* ready = std::get_if<CompilerReady>(&first);
  if (!ready) {
    m_slot.discard();
    throw model::Error("the compile worker started with an unexpected message");
  }
  if (m_settings.name && *m_settings.name != ready->compiler) {
    m_slot.discard();
    throw model::Error(fmt::format("the compiler changed from `{}` to `{}` during the sweep",
                                   *m_settings.name, ready->compiler),
                       "run the same command again: results of both compilers are kept apart");
  }
  m_settings.name = ready->compiler;
}

Compilation RemoteCompiler::compile(const model::CompileJob& job) {
  return compile_unless(job, false);
}

Compilation RemoteCompiler::compile_unless(const model::CompileJob& job, const std::atomic<bool>& abandoned) {
  if (!m_slot.occupied()) start();
  const auto begin = Clock::now();
  const auto deadline = begin + m_settings.deadline;
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
  if (abandoned && std::holds_alternative<DeadlinePassed>(received)) {
    m_slot.discard();
    return failed(TrialStatus::timeout, "compiling was given up: nobody needs the result any more");
  }

  if (std::holds_alternative<DeadlinePassed>(received)) {
    m_slot.discard();
    return failed(TrialStatus::timeout,
                  fmt::format("compiling passed its deadline of {} s and was stopped",
                              std::chrono::duration<double>(m_settings.deadline).count()));
  }
  if (auto* message = std::get_if<Message>(&received)) {
    if (auto* compilation = std::get_if<Compilation>(message)) return std::move(*compilation);
    if (auto* failure = std::get_if<Failure>(message)) {
      m_slot.discard();
      throw model::Error(failure->message, failure->hint, failure->code);
    }
    received = ProtocolError{"it answered with an unexpected message"};
  }
  const auto* nonsense = std::get_if<ProtocolError>(&received);
  const std::string why = nonsense ? nonsense->message + "; " : "";
  return failed(TrialStatus::crashed,
                fmt::format("the compiler's process died: {}{}", why, m_slot.collect()));
}

}  // namespace tuner::worker
