#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <set>

#include "tuner/measure/inputs.hpp"
#include "tuner/model/digest.hpp"

namespace tuner::measure {

/// The inputs of a problem, drawn twice, each with what the reference says of them. Kernels are timed on the
/// first input set; the second keeps what was right by chance, by rounding to few bits, or in an earlier run
/// from passing.
struct InputSets {
  InputSets(device::Device& device, const model::TrialJob& job)
      : first(device, job, InputSet::first), second(device, job, InputSet::second) {}

  bool intact(device::Device& device, const model::Plan& plan) const {
    return first.intact(device, plan) && second.intact(device, plan);
  }
  void require_judgement(device::Device& device, const model::TrialJob& job) const {
    first.require_judgement(device, job);
    second.require_judgement(device, job);
  }
  std::int64_t bytes() const { return first.bytes() + second.bytes(); }

  Inputs first;
  Inputs second;
};

/// Inputs of the problems measured lately, as many as fit beside a problem's own memory; the least lately
/// used go first.
class InputsCache {
 public:
  explicit InputsCache(device::Device& device) : m_device(device) {}
  InputsCache(const InputsCache&) = delete;
  InputsCache& operator=(const InputsCache&) = delete;

  /// Both input sets of `job`, made if they are not there. Another trial may have written anywhere:
  /// unless the last one had the same inputs and did not distrust() them, they are checked, and made again if
  /// they have changed. When memory does not suffice everything else is freed before trying again. Throws
  /// device::DeviceFault, also where the job's bounds cannot tell a kernel that does nothing.
  const InputSets& get(const model::TrialJob& job);
  /// Whether the inputs of `job`, got before, are still there.
  bool holds(const model::TrialJob& job) const;
  /// The workspaces of a trial whose inputs were got last; frees other problems' inputs when memory does not
  /// suffice. Throws device::DeviceFault.
  BufferTable workspaces(const model::Plan& plan);
  /// The last trial failed in a way that may have damaged any memory of the device.
  void distrust() { m_trusted = false; }

 private:
  struct Entry {
    model::Digest key;
    InputSets sets;
    std::set<model::Digest> judged;  ///< the bounds that were found to refuse what no kernel has written
  };

  void make(const model::Digest& key, const model::TrialJob& job);
  /// Frees until `plan` fits into the budget; throws where the device could not hold it even alone.
  void make_room(const model::Plan& plan);

  device::Device& m_device;
  std::list<Entry> m_entries;  ///< the last one used is the first
  bool m_trusted = true;
};

/// Identity of what an InputSets holds.
model::Digest inputs_key(const model::TrialJob& job);

/// Runs of a plan that has restored buffers: they are filled again before each repetition, outside the time.
/// Repetitions are therefore run and timed one by one, so that short ones are better sampled singly (see
/// sampling_policy()).
class RestoringSequence final : public device::Sequence {
 public:
  /// The references, and the buffers behind `bindings`, must outlive the object.
  RestoringSequence(device::Device& device, const model::TrialJob& job, const Inputs& inputs,
                    device::Bindings bindings, std::unique_ptr<device::Sequence> inner);

  device::Timing run(int repetitions, model::Execution execution) override;
  void fill_arrays() override { m_inner->fill_arrays(); }
  void collect_arrays() override { m_inner->collect_arrays(); }
  int blocks_per_multiprocessor() const override { return m_inner->blocks_per_multiprocessor(); }

 private:
  void restore();

  device::Device& m_device;
  const model::TrialJob& m_job;
  const Inputs& m_inputs;
  device::Bindings m_bindings;
  std::unique_ptr<device::Sequence> m_inner;
};

/// The policy to sample `plan` by: without batches where it restores.
model::MeasurePolicy sampling_policy(model::MeasurePolicy policy, const model::Plan& plan);

}  // namespace tuner::measure
