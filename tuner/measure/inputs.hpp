#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

/// What the fences of a buffer hold. Poison, a NaN, makes a read beyond the end tell in the result; it cannot
/// tell a kernel that adds to what it finds there, since a NaN plus anything may be the same NaN. Numbers
/// that differ from place to place can.
enum class Fence { poison, numbers };

/// Device memory between two fences, so that a write past either end is seen. It starts where allocations do
/// plus a multiple of 256 bytes; the back fence starts with the very next byte after the end.
class GuardedBuffer {
 public:
  /// A stray row or tile still lands in it.
  static constexpr std::int64_t fence_bytes = std::int64_t{64} << 10U;

  enum class Damage { none, before_start, past_end };

  /// Throws device::DeviceFault.
  GuardedBuffer(device::Device& device, model::ElementType type, std::int64_t elements, Fence fence,
                model::Memory memory = model::Memory::device);

  device::Address address() const { return m_memory->address() + fence_bytes; }
  std::int64_t bytes() const { return m_bytes; }
  Damage damage(device::Device& device) const;

 private:
  device::Address back_fence() const { return address() + static_cast<device::Address>(m_bytes); }

  std::int64_t m_bytes;
  std::unique_ptr<device::Buffer> m_memory;
  std::uint64_t m_front_checksum = 0;
  std::uint64_t m_back_checksum = 0;
};

/// Buffers of a plan, by their index there; absent where another owner has them.
using BufferTable = std::vector<std::optional<GuardedBuffer>>;

/// Which inputs of a problem: as BufferPlan::init says, or as `second_init` does.
enum class InputSet { first, second };

/// Writes the initial contents of plan.buffers[index] to `address`: poison for outputs, for the rest what the
/// plan says of that input set; a file must be what it was when the spec was read. Each buffer of each input
/// set has a seed of its own, derived from the trial's.
void fill_initially(device::Device& device, const model::Plan& plan, std::size_t index,
                    device::Address address, std::uint64_t seed, InputSet set);

/// The workspaces of a plan, whose sizes may depend on the configuration.
BufferTable allocate_workspaces(device::Device& device, const model::Plan& plan);

/// What all configurations of one problem share of one input set: filled buffers, and what the reference says
/// of the outputs. Their plans differ in steps, workspaces and error bounds at most (model::preparation_key).
///
/// An output is judged when the reference has an argument for its expected values. Making this object fails,
/// as a device::DeviceFault, when memory does not suffice or the reference fails.
class Inputs {
 public:
  /// What the reference says of one output.
  struct Expectation {
    std::unique_ptr<device::Buffer> expected;   ///< double per element
    std::unique_ptr<device::Buffer> magnitude;  ///< double per element
    std::uint64_t checksum = 0;                 ///< of both
    /// Where a comparison writes, a double per element, and zeros to hold that against; null without one.
    std::unique_ptr<device::Buffer> errors;
    std::unique_ptr<device::Buffer> zeros;
  };

  Inputs(device::Device& device, const model::TrialJob& job, InputSet set);

  /// Throws device::DeviceFault (wrong_result) where the job's bounds accept an output that was never
  /// written: then a kernel that does nothing would win. Fills the outputs.
  void require_judgement(device::Device& device, const model::TrialJob& job) const;
  /// Where everything lives, `workspaces` included.
  device::Bindings bindings(const BufferTable& workspaces) const;
  /// Null for workspaces, which are the trial's own.
  const GuardedBuffer* buffer(std::size_t index) const;
  /// Null for buffers that are not judged.
  const Expectation* expectation(std::size_t index) const;
  /// How to judge output `index`, which has an expectation, by the error bound and tolerance of `plan`, or by
  /// what its comparison said.
  device::CompareRequest compare_request(const model::Plan& plan, std::size_t index) const;
  /// Runs the plan's comparison, where it has one for this input set, on what outputs hold now.
  void run_comparison(device::Device& device, const model::TrialJob& job) const;
  /// Writes to `address` what buffer `index` of the job's plan, which runs change, held before any run.
  void fill_again(device::Device& device, const model::TrialJob& job, std::size_t index,
                  device::Address address) const;
  /// Whether the input `index` is as it was filled.
  bool unchanged(device::Device& device, std::size_t index) const;
  /// Whether all inputs, expectations and fences are as they were made.
  bool intact(device::Device& device, const model::Plan& plan) const;
  std::int64_t bytes() const { return m_bytes; }

 private:
  void allocate(device::Device& device, const model::Plan& plan);
  /// Runs the steps of the reference's binary, generator or reference.
  void run_steps(device::Device& device, const model::TrialJob& job, const std::vector<model::Step>& steps,
                 const char* what) const;
  void run_bound(device::Device& device, const model::TrialJob& job,
                 const std::vector<model::Step>& steps) const;
  bool is_exact(const model::Plan& plan) const;
  /// A share excuses no NaN and nothing unwritten: what a comparison calls wrong there gets no number as
  /// error.
  void excuse_no_gaps(device::Device& device, const model::Plan& plan, std::size_t index) const;
  void fill(device::Device& device, const model::TrialJob& job);
  void read_expected(device::Device& device, const model::Plan& plan);
  /// Elements of `inout` buffers that the reference leaves alone are expected to be what they were.
  void keep_unwritten(device::Device& device, const model::Plan& plan) const;
  std::uint64_t checksum_of(device::Device& device, const Expectation& expectation) const;

  BufferTable m_buffers;
  std::vector<std::optional<Expectation>> m_expectations;
  /// What buffers that runs change held first, where that came from a file, a generator or the fields of
  /// structs; else empty.
  std::vector<std::vector<std::byte>> m_images;
  std::vector<std::uint64_t> m_checksums;  ///< of the inputs; 0 for other buffers
  std::int64_t m_bytes = 0;
  InputSet m_set;
};

/// By which rule an output is judged on the first input set, for people.
std::string rule_text(const model::Plan& plan, std::size_t output);

/// Why the outputs of a plan cannot be judged at all, or nothing; see bound_factor().
std::optional<std::string> why_unjudgeable(const model::Plan& plan);

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
