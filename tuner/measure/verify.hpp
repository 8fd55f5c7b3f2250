#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
/// with the unit roundoff v of `type`, gamma(n) + v * (1 + gamma(n)). 0 and nothing as above. A `type` that
/// rounds no more than `accumulator` has the bound of its own operations.
inline std::optional<double> bound_factor(double rounding_terms, model::ElementType accumulator,
                                          model::ElementType type) {
  const double last = model::unit_roundoff(type);
  if (last <= model::unit_roundoff(accumulator)) return bound_factor(rounding_terms, type);
  const std::optional<double> gamma = bound_factor(rounding_terms, accumulator);
  if (!gamma || rounding_terms == 0) return gamma;
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

/// Where the wrong numbers of an output lie, told from the output alone: rows are what repeats at one
/// distance. Numbers that the reference left alone count with the wrong ones before them, so that padding
/// behind the last column is part of the edge.
class WrongPlace {
 public:
  enum class Kind {
    all,        ///< every number that the reference wrote
    edges,      ///< the end of each row, the last rows, or both; less than half of the rows and of each
    one_tile,   ///< one piece of the output: runs of one length at one distance
    repeated,   ///< such runs throughout
    elsewhere,  ///< none of these
  };

  /// `rows`: the distances at which rows may begin, in numbers.
  explicit WrongPlace(std::vector<std::int64_t> rows) : m_rows(std::move(rows)) {}
  /// The next number. `judged`: the reference wrote it.
  void add(bool wrong, bool judged);
  Kind kind() const;
  /// For people: `the last 7`, `8 rows of 16, 1024 apart`; empty where it is elsewhere.
  std::string text() const;

 private:
  struct Run {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t length() const { return end - begin; }
  };
  /// Whether the first `count` runs have one length, and all of them one distance.
  bool is_regular(std::size_t count) const;
  /// Whether the runs are the ends of all rows, and maybe whole rows behind them.
  bool is_ends_of_rows() const;
  std::int64_t distance() const { return m_runs[1].begin - m_runs[0].begin; }

  std::vector<std::int64_t> m_rows;
  std::int64_t m_seen = 0;
  std::int64_t m_judged = 0;
  std::int64_t m_wrong = 0;
  bool m_in_run = false;
  bool m_too_many = false;
  std::vector<Run> m_runs;
};

/// Reads output `index`, which was found wrong, and what was expected of it, and tells for people the first
/// few wrong numbers, where all of them lie, and what that suggests: `y[0] = 1.93, expected 0.93 ± 2e-07`.
/// Empty where order does not count, since numbers then have no places. Of an output of more than 16 Mi
/// numbers the first so many from `first_wrong` on are read, and nothing is told of where they lie. Throws
/// device::DeviceFault.
std::string wrong_values(device::Device& device, const model::Plan& plan, const Inputs& inputs,
                         std::size_t index, std::int64_t first_wrong);

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
