#include "tuner/worker/worker_slot.hpp"

#include <fmt/format.h>

#include <thread>

namespace tuner::worker {
namespace {

using std::chrono::milliseconds;

/// `: it printed "…"`, or nothing.
std::string quote_output(OutputTail& output) {
  const std::string text = output.text();
  return text.empty() ? "" : fmt::format("; it printed:\n{}", text);
}

}  // namespace

WorkerSlot::WorkerSlot(std::string what, ChildCommand command, WorkerSettings settings)
    : m_what(std::move(what)), m_command(std::move(command)), m_settings(std::move(settings)) {}

void WorkerSlot::log(const std::string& line) const {
  if (m_settings.log) m_settings.log(line);
}

std::variant<Message, std::string> WorkerSlot::attempt() {
  const auto begin = Clock::now();
  m_child = std::make_unique<ChildProcess>(m_command, m_settings.limits);
  Received received = m_child->receive(begin + m_settings.start_deadline);
  if (auto* message = std::get_if<Message>(&received)) {
    const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - begin).count();
    log(fmt::format("{} {} ready after {} ms", m_what, m_child->pid(), took));
    return std::move(*message);
  }
  if (std::holds_alternative<DeadlinePassed>(received)) {
    std::string why = fmt::format("not ready after {} s{}",
                                  std::chrono::duration<double>(m_settings.start_deadline).count(),
                                  quote_output(m_child->output()));
    discard();
    return why;
  }
  const auto* nonsense = std::get_if<ProtocolError>(&received);
  std::string why = nonsense ? nonsense->message + "; " : "";
  return why + collect();
}

Message WorkerSlot::start() {
  std::string why;
  for (int i = 0; i < m_settings.start_attempts; ++i) {
    // A driver that has just lost a context may need a moment.
    if (i > 0) std::this_thread::sleep_for(milliseconds(100 * i));
    auto result = attempt();
    if (auto* message = std::get_if<Message>(&result)) {
      const auto* failure = std::get_if<Failure>(message);
      if (!failure) {
        ++m_starts;
        return std::move(*message);
      }
      const model::Error error(failure->message, failure->hint, failure->code);
      collect();
      if (m_starts == 0 || i + 1 == m_settings.start_attempts) throw error;
      why = error.what();
    } else {
      why = std::get<std::string>(result);
    }
    log(fmt::format("{} failed to start: {}", m_what, why));
  }
  throw model::Error(
      fmt::format("the {} did not start in {} attempts: {}", m_what, m_settings.start_attempts, why));
}

void WorkerSlot::discard() {
  if (!m_child) return;
  const std::unique_ptr<ChildProcess> child = std::move(m_child);
  if (!child->kill()) {
    throw model::Error(
        fmt::format("the {} (process {}) cannot be killed: it is stuck in the kernel, most likely in the "
                    "GPU's driver",
                    m_what, child->pid()),
        "reset the GPU (nvidia-smi --gpu-reset) or reboot, then run the same command to resume");
  }
}

void WorkerSlot::give_up(const Failure& failure) {
  discard();
  throw model::Error(failure.message, failure.hint, failure.code);
}

std::string WorkerSlot::collect() {
  m_child->collect();
  std::string how = m_child->exit_text() + quote_output(m_child->output());
  discard();
  return how;
}

}  // namespace tuner::worker
