#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/measure/inputs.hpp"

namespace tuner::measure {

/// What looking at the memory after a run said.
struct Finding {
  model::TrialStatus status = model::TrialStatus::ok;
  std::string detail;  ///< what is wrong and where; ok: empty
  model::Verification verification;
};

/// Checks the runs of one trial. All functions throw device::DeviceFault.
class Verifier {
 public:
  /// The references must outlive the object.
  Verifier(device::Device& device, const model::TrialJob& job, const Inputs& inputs,
           const BufferTable& workspaces);

  /// Fills all that is no input as the plan says: before binding, because an upload copies what was there
  /// then.
  void fill_others();
  /// Makes memory as a run must find it: outputs and workspaces poisoned or filled as the plan says, inputs
  /// that the steps upload as a whole poisoned, so that a kernel that does not wait for its upload is found
  /// out.
  void prepare();
  /// The first that is wrong of: fences (out_of_bounds), inputs (input_modified), and with `compare_outputs`
  /// results (wrong_result); the order is DeviceTrialRunner's. The verification is about the worst output.
  Finding inspect(bool compare_outputs) const;
  /// A checksum of each output, for comparing runs.
  std::vector<std::uint64_t> output_checksums() const;
  /// `unstable`, naming the first output that differs, or ok.
  Finding compare_runs(const std::vector<std::uint64_t>& first,
                       const std::vector<std::uint64_t>& second) const;
  /// Whether a run leaves outputs as one prepared run does, however often it is repeated: not when it reads
  /// them.
  bool repeatable() const;

 private:
  const GuardedBuffer& buffer(std::size_t index) const;
  Finding inspect_fences() const;
  Finding inspect_inputs() const;
  Finding inspect_outputs() const;
  bool is_output(std::size_t index) const;

  device::Device& m_device;
  const model::TrialJob& m_job;
  const Inputs& m_inputs;
  const BufferTable& m_workspaces;
};

}  // namespace tuner::measure
