#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/measure/inputs.hpp"
#include "tuner/measure/runner.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/measure/verify.hpp"

namespace tuner::measure {
namespace {

/// Another finalist's sample leaves its own code and data in the caches. Filling an L2 cache again takes
/// some ten microseconds, too much of what is shorter than this.
constexpr double rewarm_below_ns = 1e6;

/// What a sample lasts at least. Events and the gaps around a sample take some two microseconds, however many
/// launches are in it: of finalists near each other one must not carry more of that than the other. This
/// makes it less than the difference that is a tie.
constexpr double sample_ns = 2e6;

/// How often it is looked how many launches fill a sample.
constexpr int looks = 3;

/// Without work for so long a GPU at its power limit raises its clock again.
constexpr std::chrono::milliseconds cooling{10};

/// One finalist, ready to be sampled. Its parts refer to each other: it stays where it is.
class Finalist {
 public:
  Finalist(device::Device& device, const model::TrialJob& job, const InputSets& sets)
      : m_device(device),
        m_job(job),
        m_examination(device, job, sets, allocate_workspaces(device, job.plan)) {}
  Finalist(const Finalist&) = delete;
  Finalist& operator=(const Finalist&) = delete;

  Examination& examination() { return m_examination; }
  FinalTask::Finalist prepare(const device::Timing& warm_run) {
    // Other work may have slowed a run, which makes its batch too short: a race has many.
    m_single_ns = m_job.best_ns > 0 ? std::min(m_job.best_ns, warm_run.ns) : warm_run.ns;
    model::MeasurePolicy policy = m_job.policy;
    policy.batch_below_ns = policy.batch_ns = sample_ns;
    policy = sampling_policy(std::move(policy), m_job.plan);
    for (int look = 0; look < looks; ++look)
      m_batch = std::max(m_batch, choose_batch(m_examination.sequence(), policy, m_single_ns));
    if (m_batch > 1) m_examination.sequence().run(m_batch, policy.execution);  // makes the graph
    return {m_batch, count_kernels(m_job.plan.steps), model::may_win(m_job.role)};
  }
  device::Timing sample() {
    if (!m_job.policy.flush_l2 && m_single_ns < rewarm_below_ns) m_examination.sequence().run(1);
    return take_sample(m_device, m_examination.sequence(), m_job.policy, m_batch);
  }
  EnergyLoad load(std::function<void()> before_each) {
    return energy_load(m_examination.sequence(), m_job.policy, m_single_ns, std::move(before_each));
  }

 private:
  device::Device& m_device;
  const model::TrialJob& m_job;
  Examination m_examination;
  double m_single_ns = 0;
  int m_batch = 1;
};

void fail(model::FinalOutcome& outcome, model::TrialStatus status, const std::string& detail) {
  outcome.failure.status = status;
  outcome.failure.detail = detail;
}

/// What differs between finalists is their own business; what they have in common must all be there.
std::vector<const InputSets*> get_all(InputsCache& inputs, const std::vector<model::TrialJob>& trials) {
  std::vector<const InputSets*> out;
  out.reserve(trials.size());
  for (const model::TrialJob& trial : trials) out.push_back(&inputs.get(trial));
  for (const model::TrialJob& trial : trials) {
    if (inputs.holds(trial)) continue;
    throw device::DeviceFault(model::TrialStatus::launch_error, false,
                              "the inputs of all finalists do not fit into the device's memory together");
  }
  return out;
}

}  // namespace

model::FinalOutcome DeviceTrialRunner::run_final_with_notice(
    const model::FinalJob& job, const std::function<void(std::size_t)>& before_work) {
  model::FinalOutcome outcome;
  if (!attempt(outcome.failure, [&] { attempt_final(job, before_work, outcome); })) return outcome;
  if (!outcome.complete()) m_inputs.distrust();
  m_last_active_ns = m_surroundings.now_ns();
  return outcome;
}

/// On every exception outcome.culprit is the finalist whose work was under way.
void DeviceTrialRunner::attempt_final(const model::FinalJob& job,
                                      const std::function<void(std::size_t)>& before_work,
                                      model::FinalOutcome& outcome) {
  const auto begin = [&](std::size_t finalist) {
    outcome.culprit = finalist;
    before_work(finalist);
  };
  wake_up();
  enter(model::TrialPhase::preparing);
  outcome.failure.subject = model::Subject::problem;
  const std::vector<const InputSets*> sets = get_all(m_inputs, job.trials);
  outcome.failure.subject = model::Subject::trial;
  FinalTask task;
  std::vector<std::unique_ptr<Finalist>> finalists;
  for (std::size_t i = 0; i < job.trials.size(); ++i) {
    begin(i);
    enter(model::TrialPhase::loading);
    finalists.push_back(std::make_unique<Finalist>(*m_device, job.trials[i], *sets[i]));
    Examination& examination = finalists.back()->examination();
    warm_up(examination.sequence());
    enter(model::TrialPhase::verifying);
    device::Timing warm_run;
    const Finding finding = examination.on_first_set(warm_run);
    if (finding.status != model::TrialStatus::ok)
      return fail(outcome, finding.status, "before a final: " + finding.detail);
    task.finalists.push_back(finalists.back()->prepare(warm_run));
  }

  task.policy = job.trials.front().policy.final;
  task.seed = job.seed;
  task.max_sm_clock_mhz = max_sm_clock_mhz(job.trials.front().policy);
  task.begin_round = [this] { enter(model::TrialPhase::timing); };
  task.rest = [] { std::this_thread::sleep_for(cooling); };
  task.sample = [&](std::size_t finalist) {
    begin(finalist);
    return finalists[finalist]->sample();
  };
  model::FinalOutcome result = Final(std::move(task)).run();
  EnergyMeter* meter = nullptr;
  std::vector<EnergyLoad> loads;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    EnergyMeter* const own = job.trials[i].policy.energy ? meter_for(job.trials[i]) : nullptr;
    if (own == nullptr) continue;
    meter = own;
    begin(i);
    loads.push_back(finalists[i]->load([this] { enter(model::TrialPhase::timing); }));
    whose.push_back(i);
  }
  if (meter != nullptr) {
    const auto energies = meter->in_turn(loads, [&](std::size_t load) { begin(whose[load]); });
    for (std::size_t i = 0; i < energies.size(); ++i) result.standings[whose[i]].energy = energies[i];
  }

  outcome.culprit.reset();
  for (const auto& finalist : finalists) {
    const Finding finding = finalist->examination().inspect_memory();
    if (finding.status != model::TrialStatus::ok)
      return fail(outcome, finding.status, "after a final: " + finding.detail);
  }
  for (model::Standing& standing : result.standings) add_reading(standing.measurement);
  outcome = std::move(result);
}

}  // namespace tuner::measure
