#include "tuner/measure/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tuner/device/host_library.hpp"
#include "tuner/measure/examination.hpp"
#include "tuner/measure/final.hpp"
#include "tuner/measure/inputs_cache.hpp"
#include "tuner/measure/sampler.hpp"

namespace tuner::measure {
namespace {

using model::TrialPhase;
using model::TrialStatus;

/// A GPU that idles lowers its clocks; how soon and how far depends on the board.
constexpr double idle_ns = 500e6;
constexpr double warm_up_ns = 50e6;
constexpr int most_warm_up_runs = 10'000;

double steady_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

/// How the detail of a probe's failure begins.
std::string describe_probe(const model::Plan& plan) {
  std::vector<std::string> sizes;
  for (const model::BufferPlan& buffer : plan.buffers) {
    const bool is_field = buffer.name.find('.') != std::string::npos;  // as large as its structs
    if (is_field) continue;
    const std::int64_t unit = std::max<std::int64_t>(buffer.struct_bytes, 1);
    sizes.push_back(fmt::format("{} of {}", buffer.name, buffer.elements / unit));
  }
  const std::string of = plan.problem.empty() ? "" : fmt::format(" of {},", plan.problem);
  return fmt::format("on a probe{} with buffers {}: ", of, fmt::join(sizes, ", "));
}

/// Notes what the driver says of occupancy; false where not one block fits, which ends the trial.
bool can_launch(Examination& examination, model::TrialOutcome& outcome) {
  outcome.driver_blocks_per_multiprocessor = examination.sequence().blocks_per_multiprocessor();
  if (outcome.driver_blocks_per_multiprocessor != 0) return true;
  outcome.status = TrialStatus::unlaunchable;
  outcome.detail = "the driver says that a multiprocessor cannot hold one block";
  return false;
}

/// What the first launch of a binary, on inputs that no cache holds, may take longer than the next.
constexpr double most_cold_ns = 100'000;

/// Whether a single cold run says enough: that of a kernel which no warmth brings within the first cut.
bool is_hopeless(const model::TrialJob& job, const device::Timing& cold_run) {
  const model::MeasurePolicy& policy = job.policy;
  const auto first = std::find_if(policy.cuts.begin(), policy.cuts.end(),
                                  [](const model::Cut& cut) { return cut.samples <= 1; });
  return first != policy.cuts.end() && !policy.flush_l2 && policy.execution != model::Execution::eager &&
         job.best_ns > 0 && cold_run.ns > job.best_ns * first->factor + most_cold_ns;
}

/// Whether `finding` ends the trial; then it is the outcome.
bool ends(const Finding& finding, model::TrialOutcome& outcome) {
  if (finding.status == TrialStatus::ok) return false;
  outcome.status = finding.status;
  outcome.detail = finding.detail;
  return true;
}

}  // namespace

DeviceTrialRunner::DeviceTrialRunner(std::unique_ptr<device::Device> device, Surroundings surroundings)
    : m_device(std::move(device)), m_surroundings(std::move(surroundings)), m_inputs(*m_device) {
  if (!m_surroundings.now_ns) m_surroundings.now_ns = steady_ns;
}

void DeviceTrialRunner::report_phases_to(std::function<void(TrialPhase)> listener) {
  m_listener = std::move(listener);
}

void DeviceTrialRunner::enter(TrialPhase phase) const {
  const bool of_probe = m_probing && phase != TrialPhase::preparing;
  if (m_listener) m_listener(of_probe ? TrialPhase::probing : phase);
}

/// What a problem lacks is not its configurations' fault.
const InputSets& DeviceTrialRunner::inputs_for(const model::TrialJob& job, model::TrialOutcome& outcome) {
  enter(TrialPhase::preparing);
  outcome.subject = model::Subject::problem;
  const InputSets& sets = m_inputs.get(job);
  outcome.subject = m_probing ? model::Subject::binary : model::Subject::trial;
  return sets;
}

model::TrialOutcome DeviceTrialRunner::run(const model::TrialJob& job) {
  model::TrialOutcome outcome;
  if (m_lost) return lost_before();
  try {
    attempt(job, outcome);
  } catch (const device::DeviceFault& fault) {
    note(fault, outcome);
  }
  if (outcome.status != TrialStatus::ok && outcome.status != TrialStatus::dropped) m_inputs.distrust();
  m_last_active_ns = m_surroundings.now_ns();
  return outcome;
}

model::TrialOutcome DeviceTrialRunner::lost_before() {
  model::TrialOutcome outcome;
  outcome.status = TrialStatus::crashed;
  outcome.detail = "the device was lost in an earlier trial of this process";
  outcome.device_lost = true;
  return outcome;
}

void DeviceTrialRunner::note(const device::DeviceFault& fault, model::TrialOutcome& outcome) {
  outcome.status = fault.status();
  outcome.detail = fault.what();
  outcome.device_lost = m_lost = fault.lost();
  if (fault.broken()) outcome.subject = model::Subject::device;
  outcome.measurement.reset();
}

void DeviceTrialRunner::attempt(const model::TrialJob& job, model::TrialOutcome& outcome) {
  if (auto reason = why_unjudgeable(job.plan)) {
    outcome.status = TrialStatus::skipped;
    outcome.detail = std::move(*reason);
    return;
  }
  wake_up();
  load_library(job);
  for (const model::Plan& plan : job.probes) {
    if (!probe(job, plan, outcome)) return;
  }
  outcome.probes_passed = !job.probes.empty();
  const InputSets& sets = inputs_for(job, outcome);
  BufferTable workspaces = m_inputs.workspaces(job.plan);

  enter(TrialPhase::loading);
  Examination examination(*m_device, job, sets, std::move(workspaces));
  if (!can_launch(examination, outcome)) return;

  const bool was_idle = is_idle();
  device::Timing cold_run;
  device::Timing warm_run;
  if (!verify_second_set(examination, cold_run, outcome)) return;
  if (!was_idle && is_hopeless(job, cold_run)) {
    outcome.status = TrialStatus::dropped;
    outcome.measurement = summarise({cold_run}, 1, count_kernels(job.plan.steps));
    return;
  }
  if (!verify_first_set(examination, warm_run, outcome)) return;

  enter(TrialPhase::timing);
  time(job, examination, warm_run, outcome);
  if (outcome.status == TrialStatus::ok) outcome.detail = device::library_version(examination.module());
}

/// That a library is not there is no verdict of the probes.
void DeviceTrialRunner::load_library(const model::TrialJob& job) {
  const bool by_probe =
      std::ranges::any_of(job.probes, [](const model::Plan& plan) { return plan.calls_library(); });
  if (!by_probe && !job.plan.calls_library()) return;
  enter(TrialPhase::loading);
  device::HostLibrary(job.library.empty() ? job.binary : job.library);
}

/// Whether the trial goes on. A probe that passes leaves no trace in `outcome`.
bool DeviceTrialRunner::probe(const model::TrialJob& job, const model::Plan& plan,
                              model::TrialOutcome& outcome) {
  if (why_unjudgeable(plan)) return true;
  model::TrialJob probing = job;
  probing.plan = plan;
  probing.probes.clear();
  m_probing = true;
  try {
    const InputSets& sets = inputs_for(probing, outcome);
    BufferTable workspaces = m_inputs.workspaces(plan);
    enter(TrialPhase::loading);
    Examination examination(*m_device, probing, sets, std::move(workspaces));
    device::Timing ignored;
    const bool passed = can_launch(examination, outcome) &&
                        verify_second_set(examination, ignored, outcome) &&
                        verify_first_set(examination, ignored, outcome);
    m_probing = false;
    if (passed) {
      outcome.verification = {};
      outcome.subject = model::Subject::trial;
    } else {
      outcome.detail = describe_probe(plan) + outcome.detail;
    }
    return passed;
  } catch (const device::DeviceFault& fault) {
    m_probing = false;
    throw device::DeviceFault(fault.status(), fault.lost(), describe_probe(plan) + fault.what());
  }
}

/// Whether the trial goes on, as for the next.
bool DeviceTrialRunner::verify_second_set(Examination& examination, device::Timing& cold_run,
                                          model::TrialOutcome& outcome) {
  enter(TrialPhase::verifying);
  const Finding second = examination.on_second_set(cold_run);
  outcome.verification = second.verification;
  return !ends(second, outcome);
}

bool DeviceTrialRunner::verify_first_set(Examination& examination, device::Timing& warm_run,
                                         model::TrialOutcome& outcome) {
  warm_up(examination.sequence());
  enter(TrialPhase::verifying);
  const Finding first = examination.on_first_set(warm_run);
  outcome.verification = first.verification;
  return !ends(first, outcome);
}

void DeviceTrialRunner::time(const model::TrialJob& job, Examination& examination,
                             const device::Timing& warm_run, model::TrialOutcome& outcome) {
  SamplingTask task;
  task.policy = sampling_policy(job.policy, job.plan);
  task.best_ns = job.best_ns;
  task.kernels = count_kernels(job.plan.steps);
  task.warm_runs = {warm_run};
  task.max_sm_clock_mhz = m_surroundings.max_sm_clock_mhz;
  Samples samples = Sampler(*m_device, examination.sequence(), std::move(task)).run();
  add_reading(samples.measurement);

  enter(TrialPhase::timing);
  const Finding after = examination.afterwards();
  if (after.verification.checked) outcome.verification = after.verification;
  if (ends(after, outcome)) return;
  if (job.distrusted && ends(examination.interrogate(samples.measurement), outcome)) return;
  outcome.output_bits = examination.output_bits();
  outcome.status = samples.dropped ? TrialStatus::dropped : TrialStatus::ok;
  outcome.measurement = std::move(samples.measurement);
}

model::Profile DeviceTrialRunner::profile(const model::ProfileJob& job) {
  if (!m_surroundings.counters) return TrialRunner::profile(job);
  model::Profile profile;
  if (m_lost) {
    profile.outcome = lost_before();
    return profile;
  }
  try {
    attempt_profile(job, profile);
  } catch (const device::DeviceFault& fault) {
    note(fault, profile.outcome);
  }
  return profile;
}

void DeviceTrialRunner::attempt_profile(const model::ProfileJob& job, model::Profile& profile) {
  const std::unique_ptr<device::Counters> counters = m_surroundings.counters();
  load_library(job.trial);
  const InputSets& sets = inputs_for(job.trial, profile.outcome);
  BufferTable workspaces = m_inputs.workspaces(job.trial.plan);
  enter(TrialPhase::loading);
  Examination examination(*m_device, job.trial, sets, std::move(workspaces));
  device::Timing ignored;
  if (!can_launch(examination, profile.outcome) ||
      !verify_second_set(examination, ignored, profile.outcome) ||
      !verify_first_set(examination, ignored, profile.outcome))
    return;
  device::Sequence& sequence = examination.sequence();
  const auto before_each = [&] {
    enter(TrialPhase::timing);
    if (job.trial.policy.flush_l2)
      m_device->flush_l2();
    else
      sequence.run_alone();
  };
  model::Profile counted = counters->count(job.metrics, before_each, [&] { sequence.run_alone(); });
  profile.counters = std::move(counted.counters);
  profile.passes = counted.passes;
}

void DeviceTrialRunner::add_reading(model::Measurement& measurement) const {
  if (!m_surroundings.reading) return;
  const Reading reading = m_surroundings.reading();
  if (measurement.sm_clock_mhz == 0) measurement.sm_clock_mhz = reading.sm_clock_mhz;
  measurement.temperature_c = reading.temperature_c;
  measurement.power_w = reading.power_w;
}

bool DeviceTrialRunner::is_idle() const {
  return !m_last_active_ns || m_surroundings.now_ns() - *m_last_active_ns > idle_ns;
}

void DeviceTrialRunner::wake_up() {
  if (is_idle()) m_woken_ns = m_surroundings.now_ns();
}

/// Making inputs and running the reference are warming too.
void DeviceTrialRunner::warm_up(device::Sequence& sequence) {
  if (!is_idle()) return;
  enter(TrialPhase::verifying);
  const double warm_at = m_woken_ns + warm_up_ns;
  for (int i = 0; i < most_warm_up_runs && m_surroundings.now_ns() < warm_at; ++i) sequence.run(1);
  m_last_active_ns = m_surroundings.now_ns();
}

namespace {

/// Another finalist's sample leaves its own code and data in the caches. Filling an L2 cache again takes
/// some ten microseconds, too much of what is shorter than this.
constexpr double rewarm_below_ns = 1e6;

/// What a sample lasts at least. Events and the gaps around a sample take some two microseconds, however many
/// launches are in it: of finalists near each other one must not carry more of that than the other. This
/// makes it less than the difference that is a tie.
constexpr double sample_ns = 2e6;

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
    m_single_ns = warm_run.ns;
    model::MeasurePolicy policy = m_job.policy;
    policy.batch_below_ns = policy.batch_ns = sample_ns;
    policy = sampling_policy(std::move(policy), m_job.plan);
    m_batch = choose_batch(m_examination.sequence(), policy, m_single_ns);
    if (m_batch > 1) m_examination.sequence().run(m_batch, policy.execution);  // makes the graph
    return {m_batch, count_kernels(m_job.plan.steps), model::may_win(m_job.role)};
  }
  device::Timing sample() {
    if (!m_job.policy.flush_l2 && m_single_ns < rewarm_below_ns) m_examination.sequence().run(1);
    return take_sample(m_device, m_examination.sequence(), m_job.policy, m_batch);
  }

 private:
  device::Device& m_device;
  const model::TrialJob& m_job;
  Examination m_examination;
  double m_single_ns = 0;
  int m_batch = 1;
};

void fail(model::FinalOutcome& outcome, TrialStatus status, const std::string& detail) {
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
    throw device::DeviceFault(TrialStatus::launch_error, false,
                              "the inputs of all finalists do not fit into the device's memory together");
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

/// On every exception outcome.culprit is the finalist whose work was under way.
void DeviceTrialRunner::attempt_final(const model::FinalJob& job, model::FinalOutcome& outcome) {
  wake_up();
  enter(TrialPhase::preparing);
  const std::vector<const InputSets*> sets = get_all(m_inputs, job.trials);
  FinalTask task;
  std::vector<std::unique_ptr<Finalist>> finalists;
  for (std::size_t i = 0; i < job.trials.size(); ++i) {
    outcome.culprit = i;
    enter(TrialPhase::loading);
    finalists.push_back(std::make_unique<Finalist>(*m_device, job.trials[i], *sets[i]));
    Examination& examination = finalists.back()->examination();
    warm_up(examination.sequence());
    enter(TrialPhase::verifying);
    device::Timing warm_run;
    const Finding finding = examination.on_first_set(warm_run);
    if (finding.status != TrialStatus::ok)
      return fail(outcome, finding.status, "before a final: " + finding.detail);
    task.finalists.push_back(finalists.back()->prepare(warm_run));
  }

  task.policy = job.trials.front().policy.final;
  task.seed = job.seed;
  task.max_sm_clock_mhz = m_surroundings.max_sm_clock_mhz;
  task.begin_round = [this] { enter(TrialPhase::timing); };
  task.rest = [] { std::this_thread::sleep_for(cooling); };
  task.sample = [&](std::size_t finalist) {
    outcome.culprit = finalist;
    return finalists[finalist]->sample();
  };
  model::FinalOutcome result = Final(std::move(task)).run();

  outcome.culprit.reset();
  for (const auto& finalist : finalists) {
    const Finding finding = finalist->examination().inspect_memory();
    if (finding.status != TrialStatus::ok)
      return fail(outcome, finding.status, "after a final: " + finding.detail);
  }
  for (model::Standing& standing : result.standings) add_reading(standing.measurement);
  outcome = std::move(result);
}

}  // namespace tuner::measure
