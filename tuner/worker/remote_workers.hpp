#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/worker/child_process.hpp"

namespace tuner::worker {

struct RemoteCompilerSettings {
  WorkerSettings worker;
  std::chrono::milliseconds deadline = std::chrono::seconds(60);  ///< of one job, times its patience()
  std::optional<std::string>
      name;  ///< of the compiler, where known: no child is started before the first compile()
};

/// A compiler in a child process. A child that hangs is killed with its group (Compilation status timeout),
/// one that dies gives status crashed, with how it died and what it printed as the log; the next job gets a
/// new child. Throws model::Error when the child's own compiler is missing, when no child can be started, or
/// when a new child has another compiler than the first. One caller at a time per object.
class RemoteCompiler : public compile::Compiler {
 public:
  RemoteCompiler(ChildCommand command, RemoteCompilerSettings settings);

  std::string name() const override { return *m_settings.name; }
  model::Compilation compile(const model::CompileJob& job) override;
  /// Once abandoned, the child is killed with its group; the status is timeout then.
  model::Compilation compile_unless(const model::CompileJob& job,
                                    const std::atomic<bool>& abandoned) override;

 private:
  void start();

  RemoteCompilerSettings m_settings;
  WorkerSlot m_slot;
};

struct RemoteRunnerSettings {
  WorkerSettings worker;
  std::chrono::milliseconds run_deadline = std::chrono::seconds(5);  ///< the least a phase gets
  double run_deadline_factor = 20;                                   ///< times the best so far, if longer
  std::chrono::milliseconds prepare_deadline = std::chrono::seconds(120);  ///< inputs and reference
  std::optional<model::DeviceInfo> device;  ///< where known: no child is started before the first run()
};

/// How long `phase` of `job` may take, from each time it is reported. Preparing has its own deadline. Loading
/// gets the larger of run_deadline and factor * best, and so does verifying, which is reported before each
/// launch; of a library, which loads its code and may try things out, at least what preparing has. Timing
/// gets what the policy lets a trial be sampled for, plus the samples that are taken anyway.
std::chrono::nanoseconds phase_deadline(const RemoteRunnerSettings& settings, const model::TrialJob& job,
                                        model::TrialPhase phase);

/// The same for a final: a round is one sample of each finalist, and is reported as a phase of its own.
std::chrono::nanoseconds phase_deadline(const RemoteRunnerSettings& settings, const model::FinalJob& job,
                                        model::TrialPhase phase);

/// A runner in a child process. A child that passes a deadline is killed with its group (status timeout); one
/// that dies, or talks nonsense, gives crashed, with the phase, how it died and what it printed; both with
/// device_lost, and with the subject that the phase is about. A child that dies before it has said that it
/// works on a job has died of something else: the job is sent again to another, and blames nothing. One that
/// dies while it prepares may have, too: the job is sent again as often as a child is started. After
/// device_lost the next trial gets a new child. What a kernel prints is dropped, and said in the outcome.
/// Throws model::Error when no child can be started or its device is not the one before.
class RemoteRunner : public model::TrialRunner {
 public:
  RemoteRunner(ChildCommand command, RemoteRunnerSettings settings);

  const model::DeviceInfo& device() const override { return *m_settings.device; }
  void prepare() override;
  model::TrialOutcome run(const model::TrialJob& job) override;
  model::TrialOutcome run_with_notice(const model::TrialJob& job,
                                      const std::function<void()>& before_launch) override;
  /// A child that is lost in a final gives a FinalOutcome that failed as a trial would have; the culprit is
  /// who was at work then.
  model::FinalOutcome run_final(const model::FinalJob& job) override;
  model::Profile profile(const model::ProfileJob& job) override;
  void report_phases_to(std::function<void(model::TrialPhase)> listener) override {
    m_listener = std::move(listener);
  }
  /// The child is killed then.
  void give_up_preparing_if(std::function<bool()> is_late) override { m_is_late = std::move(is_late); }
  /// Children started so far.
  int starts() const { return m_slot.starts(); }

 private:
  /// What a child had to say in the end, or how it was lost.
  using Answer = std::variant<Message, model::TrialOutcome>;
  /// A child that was gone before it said a word of the job or while it prepared, and how it ended.
  struct DiedEarly {
    std::string how;
    bool prepared = false;  ///< it had begun to
  };
  using Deadlines = std::function<std::chrono::nanoseconds(model::TrialPhase)>;

  void start();
  TrialRequest request(const model::TrialJob& job);
  /// What ask() is answered. `check` says what keeps that from being true; then, and where the child is lost,
  /// it is a failure.
  template <class Outcome, class Check>
  Outcome answer_of(const std::function<Bytes()>& make_request, const Deadlines& deadlines,
                    std::function<void()> meanwhile, const Check& check);
  void add_printed(model::TrialOutcome& outcome);
  /// Sends what `make_request` makes for the child at hand, does `meanwhile`, once, tells it to proceed, and
  /// waits for the answer.
  Answer ask(const std::function<Bytes()>& make_request, const Deadlines& deadlines,
             std::function<void()> meanwhile);
  std::variant<Answer, DiedEarly> try_once(const Bytes& request, const Deadlines& deadlines,
                                           std::function<void()>& meanwhile);
  std::variant<Answer, DiedEarly> await(const Deadlines& deadlines);
  /// The child's next message. Throws model::NotPrepared as give_up_preparing_if() says.
  Received receive(model::TrialPhase phase, std::chrono::nanoseconds allowed);
  model::TrialOutcome lost(model::TrialStatus status, model::TrialPhase phase, const std::string& why);
  void enter(model::TrialPhase phase) const {
    if (m_listener) m_listener(phase);
  }
  /// As those of the slot; TrialPhase::clearing until they return.
  void discard();
  std::string collect();

  RemoteRunnerSettings m_settings;
  WorkerSlot m_slot;
  std::set<model::Digest> m_references;  ///< that the child has
  std::function<void(model::TrialPhase)> m_listener;
  std::function<bool()> m_is_late;        ///< null: never
  std::optional<std::size_t> m_finalist;  ///< who is at work in the final in hand, or was when it was lost
};

}  // namespace tuner::worker
