#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tuner/measure/examination.hpp"
#include "tuner/measure/final.hpp"
#include "tuner/measure/restoring_sequence.hpp"
#include "tuner/measure/runner.hpp"
#include "tuner/measure/sampler.hpp"

namespace tuner::measure {
namespace {

using model::TrialPhase;
using model::TrialStatus;

/// Another contestant's sample leaves its own code and data in the caches. Filling an L2 cache again takes
/// some ten microseconds, too much of what is shorter than this.
constexpr double rewarm_below_ns = 1e6;

/// What a sample lasts at least. Events and the gaps around a sample take some two microseconds, however many
/// launches are in it: of contestants near each other one must not carry more of that than the other. This
/// makes it less than what counts as no difference.
constexpr double sample_ns = 2e6;

/// Without work for so long a GPU at its power limit raises its clock again.
constexpr std::chrono::milliseconds cooling{10};

/// One contestant, ready to be sampled. Its parts refer to each other: it stays where it is.
class Contestant {
 public:
  Contestant(device::Device& device, const model::TrialJob& job, const Draws& draws)
      : m_device(device),
        m_job(job),
        m_draws(draws),
        m_workspaces(allocate_workspaces(device, job.plan)),
        m_module(load_binary(device, job)),
        m_examination(device, job, draws, m_workspaces, *m_module) {}
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  Examination& examination() { return m_examination; }
  FinalTask::Contestant prepare(const device::Timing& warm_run) {
    m_single_ns = warm_run.ns;
    model::MeasurePolicy policy = m_job.policy;
    policy.batch_below_ns = policy.batch_ns = sample_ns;
    policy = sampling_policy(std::move(policy), m_job.plan);
    m_batch = choose_batch(m_examination.sequence(), policy, m_single_ns);
    if (m_batch > 1) m_examination.sequence().run(m_batch);  // makes the graph
    return {m_batch, count_kernels(m_job.plan.steps), model::may_win(m_job.role)};
  }
  device::Timing sample() {
    if (!m_job.policy.flush_l2 && m_single_ns < rewarm_below_ns) m_examination.sequence().run(1);
    return take_sample(m_device, m_examination.sequence(), m_job.policy, m_batch);
  }
  Finding inspect_memory() const {
    Finding finding = Verifier(m_device, m_job, m_draws.first, m_workspaces).inspect(false);
    if (finding.status != TrialStatus::ok) return finding;
    return Verifier(m_device, m_job, m_draws.second, m_workspaces).inspect(false);
  }

 private:
  device::Device& m_device;
  const model::TrialJob& m_job;
  const Draws& m_draws;
  BufferTable m_workspaces;
  std::unique_ptr<device::Module> m_module;
  Examination m_examination;
  double m_single_ns = 0;
  int m_batch = 1;
};

void fail(model::FinalOutcome& outcome, TrialStatus status, const std::string& detail) {
  outcome.failure.status = status;
  outcome.failure.detail = detail;
}

/// What differs between contestants is their own business; what they have in common must all be there.
std::vector<const Draws*> get_all(InputsCache& inputs, const std::vector<model::TrialJob>& trials) {
  std::vector<const Draws*> out;
  out.reserve(trials.size());
  for (const model::TrialJob& trial : trials) out.push_back(&inputs.get(trial));
  for (const model::TrialJob& trial : trials) {
    if (inputs.holds(trial)) continue;
    throw device::DeviceFault(TrialStatus::launch_error, false,
                              "the inputs of all contestants do not fit into the device's memory together");
  }
  return out;
}

}  // namespace

model::FinalOutcome DeviceTrialRunner::run_final(const model::FinalJob& job) {
  model::FinalOutcome outcome;
  if (m_lost) {
    outcome.failure = lost_before();
    return outcome;
  }
  try {
    attempt_final(job, outcome);
  } catch (const device::DeviceFault& fault) {
    outcome.standings.clear();
    note(fault, outcome.failure);
  }
  if (!outcome.complete()) m_inputs.distrust();
  m_last_active_ns = m_surroundings.now_ns();
  return outcome;
}

/// Whatever is thrown, outcome.culprit is whose work was under way.
void DeviceTrialRunner::attempt_final(const model::FinalJob& job, model::FinalOutcome& outcome) {
  wake_up();
  enter(TrialPhase::preparing);
  const std::vector<const Draws*> draws = get_all(m_inputs, job.trials);
  FinalTask task;
  std::vector<std::unique_ptr<Contestant>> contestants;
  for (std::size_t i = 0; i < job.trials.size(); ++i) {
    outcome.culprit = i;
    enter(TrialPhase::loading);
    contestants.push_back(std::make_unique<Contestant>(*m_device, job.trials[i], *draws[i]));
    Examination& examination = contestants.back()->examination();
    warm_up(examination.sequence());
    enter(TrialPhase::verifying);
    device::Timing warm_run;
    const Finding finding = examination.on_first_draw(warm_run);
    if (finding.status != TrialStatus::ok)
      return fail(outcome, finding.status, "before a final: " + finding.detail);
    task.contestants.push_back(contestants.back()->prepare(warm_run));
  }

  task.policy = job.trials.front().policy.final;
  task.seed = job.seed;
  task.max_sm_clock_mhz = m_surroundings.max_sm_clock_mhz;
  task.begin_round = [this] { enter(TrialPhase::timing); };
  task.rest = [] { std::this_thread::sleep_for(cooling); };
  task.sample = [&](std::size_t contestant) {
    outcome.culprit = contestant;
    return contestants[contestant]->sample();
  };
  model::FinalOutcome result = Final(std::move(task)).run();

  outcome.culprit.reset();
  for (const auto& contestant : contestants) {
    const Finding finding = contestant->inspect_memory();
    if (finding.status != TrialStatus::ok)
      return fail(outcome, finding.status, "after a final: " + finding.detail);
  }
  for (model::Standing& standing : result.standings) add_reading(standing.measurement);
  outcome = std::move(result);
}

}  // namespace tuner::measure
