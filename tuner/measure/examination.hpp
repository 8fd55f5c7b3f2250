#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/measure/inputs_cache.hpp"
#include "tuner/measure/verify.hpp"

namespace tuner::measure {

/// As device::load_binary().
std::unique_ptr<device::Module> load_binary(device::Device& device, const model::TrialJob& job);

/// The verification of one kernel on one problem. It costs one run that is not timed, on the second input set
/// of inputs; for the rest it looks at runs that are timed. All functions throw device::DeviceFault.
///
/// A kernel that gets the second input set right by keeping what it made is found out on the first: outputs
/// are poisoned before each verified run, and the input sets have different results.
class Examination {
 public:
  /// Loads the job's binary and binds it to the first input set. All references must outlive the object.
  Examination(device::Device& device, const model::TrialJob& job, const InputSets& sets,
              BufferTable workspaces);

  const device::Module& module() const { return *m_module; }
  /// The kernel on the first input set: what is timed.
  device::Sequence& sequence() { return *m_sequence; }
  /// Runs on the second input set, which nothing has touched. It is a cold run: `timing` is no sample.
  Finding on_second_set(device::Timing& timing);
  /// Runs on the first input set and keeps a checksum of the outputs; `timing` is that of the run.
  Finding on_first_set(device::Timing& timing);
  /// After any number of further runs of sequence(): fences, inputs and outputs once more. Outputs of a plan
  /// that says deterministic must be the same bits as after on_first_set(), else `unstable`, or wrong_result
  /// where they are no longer right. Where runs read their outputs, which makes those pile up, one more run
  /// on fresh ones is looked at.
  Finding afterwards();
  /// Of a kernel that may skip work where it thinks that its results are not looked at. After it was timed,
  /// as `timed` says, single runs on fresh outputs, on both input sets in turn, must be right; and neither
  /// runs whose outputs are made already nor the timed ones may take less than such work
  /// (model::takes_less_than_its_work).
  Finding interrogate(const model::Measurement& timed);
  /// Fences and inputs of both input sets.
  Finding inspect_memory() const;
  /// What the runs on both input sets gave; nothing where the plan says that runs may differ. Whether they do
  /// all the same, afterwards() tells.
  std::optional<model::OutputBits> output_bits() const;

 private:
  /// Memory, variables and the arrays of `sequence` as a verified run on `inputs` must find them.
  void prepare(device::Sequence& sequence, Verifier& verifier, const Inputs& inputs) const;
  /// What a run left, variables and arrays included.
  Finding inspect(device::Sequence& sequence, Verifier& verifier, const Inputs& inputs,
                  bool compare_outputs) const;

  device::Device& m_device;
  const model::TrialJob& m_job;
  const InputSets& m_sets;
  BufferTable m_workspaces;
  std::unique_ptr<device::Module> m_module;
  Variables m_variables;
  Verifier m_verifier;  ///< of the first input set
  std::unique_ptr<device::Sequence> m_sequence;
  std::vector<std::uint64_t> m_outputs;         ///< checksums
  std::vector<std::uint64_t> m_second_outputs;  ///< of the second input set
};

}  // namespace tuner::measure
