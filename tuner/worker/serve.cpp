#include "tuner/worker/serve.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/worker/child_process.hpp"

namespace tuner::worker {

bool ChildLink::send(const Message& message) const {
  const Bytes frame = make_frame(encode(message));
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t taken = ::send(m_fd, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (taken > 0)
      sent += static_cast<std::size_t>(taken);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

std::optional<Message> ChildLink::receive() {
  std::array<std::uint8_t, 65536> piece;
  for (;;) {
    if (auto next = m_messages.next()) {
      if (auto* message = std::get_if<Message>(&*next)) return std::move(*message);
      m_error = std::get<ProtocolError>(*next).message;
      return std::nullopt;
    }
    const ssize_t got = ::recv(m_fd, piece.data(), piece.size(), 0);
    if (got > 0)
      m_messages.feed({piece.data(), static_cast<std::size_t>(got)});
    else if (got == 0 || errno != EINTR)
      return std::nullopt;
  }
}

namespace {

/// Time to end by itself for a worker that was idle when the parent closed its end: enough to release a GPU
/// context.
constexpr int grace_ms = 500;

[[noreturn]] void end_group() {
  // Only as the leader of its own group: started by hand from a shell, the group is the shell's job.
  if (::getpgrp() == ::getpid()) {
    std::error_code ignored;  // no other process is left to remove it
    if (const char* folder = std::getenv(folder_variable)) std::filesystem::remove_all(folder, ignored);
    ::kill(0, SIGKILL);
  }
  ::_exit(EXIT_FAILURE);
}

bool hung_up(int socket) {
  pollfd watched = {socket, POLLRDHUP, 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLHUP | POLLERR | POLLNVAL | POLLRDHUP)) != 0;
}

void watch(int socket, int stop) {
  for (;;) {
    std::array<pollfd, 2> watched = {pollfd{socket, POLLRDHUP, 0}, pollfd{stop, POLLIN, 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0) return;
    if (watched[0].revents == 0) continue;
    if (::poll(&watched[1], 1, grace_ms) > 0) return;
    end_group();
  }
}

}  // namespace

ParentWatch::ParentWatch(int socket) : m_stop(::eventfd(0, EFD_CLOEXEC)) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (hung_up(socket)) end_group();  // the parent died before the line above
  if (!m_stop) throw model::Error(fmt::format("a worker cannot watch its parent: {}", std::strerror(errno)));
  for (const int ours_to_ignore : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(ours_to_ignore, SIG_IGN);
  const rlimit no_core = {0, 0};  // a crash of a process with a GPU context would write gigabytes
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  m_thread = std::thread(watch, socket, m_stop.get());
  ::prctl(PR_SET_PDEATHSIG, 0);
}

ParentWatch::~ParentWatch() {
  const std::uint64_t one = 1;
  if (::write(m_stop.get(), &one, sizeof one) == sizeof one)
    m_thread.join();
  else
    m_thread.detach();
}

namespace {

int unexpected(const std::string& what) {
  fmt::print(stderr, "worker: {}\n", what);
  return EXIT_FAILURE;
}

/// The binaries of references, kept between trials under their keys.
class ReferenceCache {
 public:
  void complete(TrialRequest& request) {
    if (request.forget_references) m_kept.clear();
    model::TrialJob& job = request.job;
    if (request.carries_reference) {
      if (!job.reference_key.empty())
        m_kept[job.reference_key] = {job.reference_binary, job.reference_kernels};
      return;
    }
    const auto kept = m_kept.find(job.reference_key);
    if (kept == m_kept.end()) throw model::Error("a trial relies on a reference that was never sent");
    job.reference_binary = kept->second.binary;
    job.reference_kernels = kept->second.kernels;
  }

 private:
  struct Reference {
    std::vector<std::byte> binary;
    std::vector<model::KernelResources> kernels;
  };
  std::map<model::Digest, Reference> m_kept;
};

model::FinalJob job_of(FinalRequest& request, ReferenceCache& references) {
  model::FinalJob job;
  job.seed = request.seed;
  for (TrialRequest& trial : request.trials) {
    references.complete(trial);
    job.trials.push_back(std::move(trial.job));
  }
  return job;
}

void await_proceed(ChildLink& link) {
  const auto message = link.receive();
  if (!message || !std::holds_alternative<Proceed>(*message))
    throw model::Error("a trial was sent and then not allowed to be launched");
}

/// What `run` returns; what it throws is a failure, after which the device's state is unknown.
template <class Outcome, class Run>
Outcome outcome_of(const Run& run) {
  try {
    return run();
  } catch (const model::Error&) {
    throw;
  } catch (const std::exception& error) {
    Outcome outcome;
    model::TrialOutcome& failure = failure_of(outcome);
    failure.status = model::TrialStatus::crashed;
    failure.detail = error.what();
    failure.device_lost = true;
    return outcome;
  }
}

/// Has `work` talk to the parent until either of them ends; returns the exit code.
int serve(int fd, const FrameLimits& limits, const std::function<void(ChildLink&)>& work) {
  const ParentWatch watch(fd);
  ChildLink link(fd, limits);
  try {
    work(link);
  } catch (const model::Error& error) {
    link.send(Failure{error.what(), error.hint(), error.code()});
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    return unexpected(error.what());
  }
  return link.error().empty() ? EXIT_SUCCESS : unexpected(link.error());
}

}  // namespace

int serve_compiler(int fd, const std::function<std::unique_ptr<compile::Compiler>()>& make,
                   const FrameLimits& limits) {
  return serve(fd, limits, [&](ChildLink& link) {
    const std::unique_ptr<compile::Compiler> compiler = make();
    bool is_there = link.send(CompilerReady{compiler->name()});
    while (is_there) {
      const auto message = link.receive();
      if (!message) return;
      const auto* job = std::get_if<model::CompileJob>(&*message);
      if (!job) throw std::runtime_error("a compile worker got a message that is no compile job");
      is_there = link.send(compiler->compile(*job));
    }
  });
}

int serve_runner(int fd, const std::function<std::unique_ptr<model::TrialRunner>()>& make,
                 const FrameLimits& limits) {
  return serve(fd, limits, [&](ChildLink& link) {
    const std::unique_ptr<model::TrialRunner> runner = make();
    bool may_launch = true;
    runner->report_phases_to([&](model::TrialPhase phase) {
      link.send(PhaseReport{phase});
      const bool launches = phase == model::TrialPhase::probing || phase >= model::TrialPhase::verifying;
      if (launches && !std::exchange(may_launch, true)) await_proceed(link);
    });
    // What a kernel printed belongs to its own trial. False where nothing more can be run, or told.
    const auto answer = [&](auto outcome) {
      std::fflush(stdout);
      return link.send(outcome) && !failure_of(outcome).device_lost;
    };
    ReferenceCache references;
    bool goes_on = link.send(RunnerReady{runner->device()});
    while (goes_on) {
      auto message = link.receive();
      if (!message) return;
      if (std::holds_alternative<Prepare>(*message)) {
        runner->prepare();
      } else if (auto* trial = std::get_if<TrialRequest>(&*message)) {
        references.complete(*trial);
        may_launch = false;
        auto outcome = outcome_of<model::TrialOutcome>([&] { return runner->run(trial->job); });
        if (!std::exchange(may_launch, true)) await_proceed(link);  // it ended before its first launch
        goes_on = answer(std::move(outcome));
      } else if (auto* final_request = std::get_if<FinalRequest>(&*message)) {
        const model::FinalJob job = job_of(*final_request, references);
        goes_on = answer(outcome_of<model::FinalOutcome>([&] {
          return runner->run_final_with_notice(
              job, [&](std::size_t finalist) { link.send(FinalistReport{finalist}); });
        }));
      } else if (auto* counted = std::get_if<ProfileRequest>(&*message)) {
        references.complete(counted->trial);
        const model::ProfileJob job{std::move(counted->trial.job), std::move(counted->metrics)};
        goes_on = answer(outcome_of<model::Profile>([&] { return runner->profile(job); }));
      } else {
        throw std::runtime_error("a measuring worker got a message that is no trial");
      }
    }
  });
}

}  // namespace tuner::worker
