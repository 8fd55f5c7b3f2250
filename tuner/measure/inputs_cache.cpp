#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/measure/inputs.hpp"

namespace tuner::measure {
namespace {

/// Of the device's memory, for everything kept: the rest is for fragmentation, modules and the driver itself.
constexpr double share_of_memory = 0.8;

double gibibytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0);
}

}  // namespace

model::Digest inputs_key(const model::TrialJob& job) {
  const model::Digest prepared = model::preparation_key(job.plan, job.reference_key);
  return model::DigestBuilder().add(prepared).add(static_cast<std::int64_t>(job.seed)).finish();
}

const InputSets& InputsCache::get(const model::TrialJob& job) {
  const model::Digest key = inputs_key(job);
  const auto found =
      std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.key == key; });
  if (found == m_entries.end()) {
    make(key, job);
  } else {
    const bool known_good = m_trusted && found == m_entries.begin();
    m_entries.splice(m_entries.begin(), m_entries, found);
    if (!known_good && !m_entries.front().sets.intact(m_device, job.plan)) {
      m_entries.pop_front();
      make(key, job);
    }
  }
  m_trusted = true;
  Entry& entry = m_entries.front();
  const model::Digest bounds = model::judgement_key(job.plan);
  if (entry.judged.contains(bounds)) return entry.sets;
  entry.sets.require_judgement(m_device, job);
  entry.judged.insert(bounds);
  return entry.sets;
}

void InputsCache::make(const model::Digest& key, const model::TrialJob& job) {
  make_room(job.plan);
  try {
    m_entries.push_front({key, InputSets(m_device, job), {}});
  } catch (const device::DeviceFault& fault) {
    if (fault.lost() || m_entries.empty()) throw;
    m_entries.clear();  // it may have been for want of memory; if not, the same fault comes again
    m_entries.push_front({key, InputSets(m_device, job), {}});
  }
}

bool InputsCache::holds(const model::TrialJob& job) const {
  const model::Digest key = inputs_key(job);
  return std::any_of(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.key == key; });
}

BufferTable InputsCache::workspaces(const model::Plan& plan) {
  try {
    return allocate_workspaces(m_device, plan);
  } catch (const device::DeviceFault& fault) {
    if (fault.lost() || m_entries.size() < 2) throw;
    m_entries.erase(std::next(m_entries.begin()), m_entries.end());
    return allocate_workspaces(m_device, plan);
  }
}

void InputsCache::make_room(const model::Plan& plan) {
  const model::DeviceInfo& info = m_device.info();
  const std::int64_t needed = plan.device_bytes();
  if (info.memory_bytes > 0 && needed > info.memory_bytes) {
    throw device::DeviceFault(
        model::TrialStatus::launch_error, false,
        fmt::format("the problem needs {:.2f} GiB of device memory, its reference included; {} has "
                    "{:.2f} GiB",
                    gibibytes(needed), info.name, gibibytes(info.memory_bytes)));
  }
  const std::int64_t memory = info.free_memory_bytes > 0 ? info.free_memory_bytes : info.memory_bytes;
  const auto budget = static_cast<std::int64_t>(share_of_memory * static_cast<double>(memory));
  std::int64_t kept = 0;
  for (const Entry& entry : m_entries) kept += entry.sets.bytes();
  while (!m_entries.empty() && kept + needed > budget) {
    kept -= m_entries.back().sets.bytes();
    m_entries.pop_back();
  }
}

RestoringSequence::RestoringSequence(device::Device& device, const model::TrialJob& job, const Inputs& inputs,
                                     device::Bindings bindings, std::unique_ptr<device::Sequence> inner)
    : m_device(device),
      m_job(job),
      m_inputs(inputs),
      m_bindings(std::move(bindings)),
      m_inner(std::move(inner)) {}

void RestoringSequence::restore() {
  const model::Plan& plan = m_job.plan;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].restored) m_inputs.fill_again(m_device, m_job, i, m_bindings.buffers.at(i));
  }
}

device::Timing RestoringSequence::run(int repetitions, model::Execution execution) {
  device::Timing total;
  for (int i = 0; i < repetitions; ++i) {
    restore();
    m_inner->fill_arrays();
    const device::Timing one = m_inner->run(1, execution);
    total.ns += one.ns;
    total.sm_clock_mhz += one.sm_clock_mhz / repetitions;
  }
  return total;
}

model::MeasurePolicy sampling_policy(model::MeasurePolicy policy, const model::Plan& plan) {
  if (plan.restores()) policy.batch_below_ns = 0;
  return policy;
}

}  // namespace tuner::measure
