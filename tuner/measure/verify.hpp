#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/measure/inputs.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

/// The factor of the error bound, gamma(n) = n*u / (1 - n*u) for n = `rounding_terms` and the type's unit
/// roundoff u (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1); 0, which asks
/// for equality, for integers and for n = 0. Nothing where n*u >= 1/2 or n is no number: from there on the
/// factor is at least 1, and as |expected| is at most the magnitude, an output of zeros would pass. Such a
/// problem cannot be judged in that type.
inline std::optional<double> bound_factor(double rounding_terms, model::ElementType type) {
  const double spread = rounding_terms * model::unit_roundoff(type);
  if (!(rounding_terms >= 0) || !(spread < 0.5)) return std::nullopt;
  return spread / (1 - spread);
}

/// Of operations that are rounded in the type `accumulator`, whose result is then rounded once to `type`:
/// with the unit roundoff v of `type`, gamma(n) + v * (1 + gamma(n)). Where `type` holds all that
/// `accumulator` does, gamma(n) alone. 0 and nothing as above.
inline std::optional<double> bound_factor(double rounding_terms, model::ElementType accumulator,
                                          model::ElementType type) {
  const std::optional<double> gamma = bound_factor(rounding_terms, accumulator);
  const double last = model::unit_roundoff(type);
  if (!model::is_floating(type)) return gamma ? std::optional(0.0) : std::nullopt;
  if (!gamma || rounding_terms == 0 || last <= model::unit_roundoff(accumulator)) return gamma;
  return *gamma + last * (1 + *gamma);
}

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

/// The variables of a loaded binary that buffers of its plan stand for (BufferPlan::symbol). What they hold
/// lives in buffers like any other, where the reference finds it and all comparing looks; it is copied into
/// the variables before a run and out of them behind it. What a variable has behind its buffer's elements is
/// poison for that time, and its fence. All functions throw device::DeviceFault.
class Variables {
 public:
  /// Finds them; one that is smaller than its buffer is a launch_error. The references must outlive the
  /// object.
  Variables(device::Device& device, const model::TrialJob& job, const device::Module& module);

  /// What a run is given: the variables in place of their buffers.
  device::Bindings placed(device::Bindings bindings) const;
  /// Copies the buffers of `bindings` into the variables.
  void fill(const device::Bindings& bindings) const;
  /// Copies the variables into the buffers of `bindings`; out_of_bounds where something was written behind.
  Finding collect(const device::Bindings& bindings) const;

 private:
  struct Entry {
    std::size_t buffer = 0;
    device::Variable variable;
  };

  device::Device& m_device;
  const model::TrialJob& m_job;
  std::vector<Entry> m_entries;
};

}  // namespace tuner::measure
