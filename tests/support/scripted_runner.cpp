#include "tests/support/scripted_runner.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>

#include "tests/support/simple_final.hpp"
#include "tuner/model/error.hpp"
#include "tuner/worker/message.hpp"

namespace tuner::test {
namespace {

using model::TrialPhase;
using model::TrialStatus;

void put(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) ::_exit(1);
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

void put(int fd, const char* text) {
  put(fd, {reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)});
}

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void print_flood() {
  const std::string line(1023, 'x');
  for (int i = 0; i < 8192; ++i) std::puts(line.c_str());
}

/// Behaviours that never answer, or answer nonsense. `answer` is a good one, to be cut in half.
void misbehave(Behaviour behaviour, int fd, const worker::Bytes& answer) {
  const std::span<const std::uint8_t> half(answer.data(), answer.size() / 2);
  switch (behaviour) {
    case Behaviour::crash:
      ::signal(SIGSEGV, SIG_DFL);  // a sanitizer would report it and exit
      ::raise(SIGSEGV);
      break;
    case Behaviour::abort:
      std::fputs("scripted last words\n", stderr);
      ::signal(SIGABRT, SIG_DFL);
      std::abort();
    case Behaviour::exit:
      ::_exit(3);
    case Behaviour::hang:
      hang();
    case Behaviour::slow:
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      break;
    case Behaviour::nap:
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      break;
    case Behaviour::flood:
      print_flood();
      break;
    case Behaviour::throw_exception:
      throw std::runtime_error("scripted exception");
    case Behaviour::throw_error:
      throw model::Error("scripted error", "scripted hint", model::ExitCode::no_device);
    case Behaviour::garbage:
      put(fd, "Segmentation fault (core dumped)\n");
      break;
    case Behaviour::half_frame:
      put(fd, half);
      ::_exit(0);
    case Behaviour::half_frame_hang:
      put(fd, half);
      hang();
    case Behaviour::huge_frame:
      put(fd, "TNR\x01\xff\xff\xff\xff");
      break;
    case Behaviour::deep_frame:
      put(fd, worker::make_frame(worker::Bytes(100'000, 0x81)));
      break;
    case Behaviour::leave:
      put(fd, answer);
      ::_exit(0);
    case Behaviour::wrong_message:
      put(fd, worker::make_frame(worker::encode(worker::CompilerReady{"?"})));
      break;
    default:
      break;
  }
}

std::uint64_t hash(const std::string& text, std::uint64_t seed) {
  std::uint64_t state = seed + 0x9E3779B97F4A7C15U;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  state ^= state >> 31U;
  return state * 0xBF58476D1CE4E5B9U >> 16U;
}

model::Measurement scripted_measurement(const model::TrialJob& job, const std::string& entry,
                                        std::uint64_t seed) {
  model::Measurement measurement;
  // The digest of the plan: its grid and block differ between configurations that share a binary.
  model::DigestBuilder identity;
  job.plan.add_to(identity);
  const std::string text = entry + job.key.hex() + identity.finish().hex();
  double base = 10'000.0 + static_cast<double>(hash(text, seed) % 1'000'000);
  if (behaviour_of(entry) == Behaviour::wrong_on_probes) base = 5'000;
  for (int i = 0; i < job.policy.samples; ++i) {
    measurement.samples_ns.push_back(base * (1 + 1e-3 * static_cast<double>(hash(text, seed + 1 + i) % 16)));
  }
  measurement.median_ns = base * 1.007;
  measurement.low_ns = base * 1.006;
  measurement.high_ns = base * 1.008;
  measurement.min_ns = base;
  return measurement;
}

model::TrialOutcome scripted_outcome(const model::TrialJob& job, const std::string& entry,
                                     std::uint64_t seed) {
  model::TrialOutcome outcome;
  outcome.status = status_of(entry);
  if (outcome.status == TrialStatus::ok) {
    outcome.verification.checked = true;
    outcome.verification.error_ratio = 0.25;
  } else {
    outcome.detail = "scripted " + entry;
  }
  if (outcome.status == TrialStatus::ok || outcome.status == TrialStatus::dropped) {
    outcome.measurement = scripted_measurement(job, entry, seed);
  }
  outcome.device_lost = behaviour_of(entry) == Behaviour::lose_device;
  outcome.probes_passed = outcome.status == TrialStatus::ok && !job.probes.empty();
  return outcome;
}

/// What goes wrong before anything is launched; nothing where nothing does.
std::optional<model::TrialOutcome> prepare_problem(const model::TrialJob& job, Behaviour behaviour) {
  model::TrialOutcome outcome;
  switch (behaviour) {
    case Behaviour::crash_preparing_once: {
      const char* const file = std::getenv("TUNER_TEST_CRASH");
      if (file == nullptr || std::remove(file) != 0) break;
      [[fallthrough]];
    }
    case Behaviour::crash_preparing:
      ::signal(SIGSEGV, SIG_DFL);
      ::raise(SIGSEGV);
      break;
    case Behaviour::hang_preparing:
      std::fputs("scripted thoughts\n", stderr);
      hang();
    case Behaviour::unprepared:
      outcome.status = TrialStatus::skipped;
      outcome.subject = model::Subject::problem;
      outcome.detail = "scripted inputs do not fit";
      return outcome;
    case Behaviour::wrong_on_probes:
      if (job.probes.empty()) break;
      outcome.status = TrialStatus::wrong_result;
      outcome.subject = model::Subject::binary;
      outcome.detail = "scripted probe";
      return outcome;
    default:
      break;
  }
  return std::nullopt;
}

Behaviour compile_behaviour(const std::string& entry) {
  if (entry == "slow_compile") return Behaviour::hang;
  const std::string prefix = "compile_";
  return entry.starts_with(prefix) ? behaviour_of(entry.substr(prefix.size())) : Behaviour::good;
}

}  // namespace

model::DeviceInfo scripted_device() {
  model::DeviceInfo device;
  device.id = "scripted";
  device.kind = "cuda";
  device.name = "Scripted GPU";
  device.uuid = "GPU-5c819fed";
  device.architecture = "sm_90";
  device.compute_major = 9;
  device.driver = "1.0";
  device.memory_bytes = std::int64_t{16} << 30U;
  device.limits.multiprocessors = 132;
  device.limits.shared_bytes_per_block_optin = 232448;
  device.limits.shared_bytes_per_multiprocessor = 233472;
  device.limits.reserved_shared_bytes_per_block = 1024;
  return device;
}

ScriptedRunner::ScriptedRunner(int fd, std::uint64_t seed)
    : m_fd(fd), m_seed(seed), m_device(scripted_device()) {}

model::TrialOutcome ScriptedRunner::run(const model::TrialJob& job) {
  const std::string entry = job.plan.steps.empty() ? "" : job.plan.steps.front().entry;
  if (behaviour_of(entry) == Behaviour::vanish) ::_exit(3);
  enter(TrialPhase::preparing);
  if (auto failed = prepare_problem(job, behaviour_of(entry))) return *failed;
  if (behaviour_of(entry) == Behaviour::crash_probing) {
    enter(TrialPhase::probing);
    misbehave(Behaviour::crash, m_fd, {});
  }
  for (const TrialPhase phase : {TrialPhase::loading, TrialPhase::verifying}) enter(phase);
  model::TrialOutcome outcome = scripted_outcome(job, entry, m_seed);
  if (behaviour_of(entry) == Behaviour::tell_reference) {
    outcome.detail = std::to_string(job.reference_binary.size()) + " bytes";
    for (const model::KernelResources& kernel : job.reference_kernels) outcome.detail += " " + kernel.entry;
  }
  enter(TrialPhase::timing);
  misbehave(behaviour_of(entry), m_fd, worker::make_frame(worker::encode(outcome)));
  return outcome;
}

model::FinalOutcome ScriptedRunner::run_final_with_notice(
    const model::FinalJob& job, const std::function<void(std::size_t)>& before_work) {
  std::size_t next = 0;
  model::FinalOutcome outcome = simple_final(
      [&](const model::TrialJob& trial) {
        before_work(next++);
        return run(trial);
      },
      job);
  outcome.throttled_rounds = static_cast<int>(job.seed % 7);  // so that a seed lost on the way is seen
  for (std::size_t i = 0; i < job.trials.size(); ++i) {
    const Behaviour behaviour = behaviour_of(job.trials[i].plan.steps.front().entry);
    if (behaviour == Behaviour::odd_culprit) outcome.culprit = job.trials.size();
    if (behaviour == Behaviour::odd_fastest) outcome.fastest = job.trials.size();
    if (behaviour == Behaviour::odd_standings) outcome.standings.pop_back();
    if (behaviour == Behaviour::odd_winner) outcome.fastest = i;
  }
  return outcome;
}

model::Profile ScriptedRunner::profile(const model::ProfileJob& job) {
  model::Profile profile;
  profile.outcome = run(job.trial);
  if (profile.outcome.status != TrialStatus::ok) return profile;
  for (const std::string& metric : job.metrics)
    profile.counters.push_back({metric, static_cast<double>(metric.size()), "byte"});
  profile.passes = 4;
  return profile;
}

model::Compilation ScriptedCompiler::compile(const model::CompileJob& job) {
  const std::string entry = job.entries.empty() ? "" : job.entries.front();
  model::Compilation compilation;
  const TrialStatus status = status_of(entry);
  if (status == TrialStatus::compile_error || entry == "too_much_static_shared") {
    compilation.status = status;
    compilation.log = entry + ".cu(3): error: scripted";
    return compilation;
  }
  for (const std::string& name : job.entries) {
    model::KernelResources kernel;
    kernel.entry = name;
    kernel.symbol = name;
    kernel.registers = name == "too_many_registers" ? 255 : 16 + static_cast<int>(hash(name, 0) % 48);
    compilation.kernels.push_back(kernel);
  }
  for (const std::uint8_t byte : job.key().bytes) compilation.binary.push_back(static_cast<std::byte>(byte));
  compilation.compile_ms = 1;
  misbehave(compile_behaviour(entry), m_fd, worker::make_frame(worker::encode(compilation)));
  return compilation;
}

}  // namespace tuner::test
