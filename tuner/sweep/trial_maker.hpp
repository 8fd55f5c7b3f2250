#pragma once
#include <optional>
#include <vector>

#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// A trial on its way: what it is, what must be compiled for it, and what has been found out so far.
struct Trial {
  model::TrialRecord record;
  model::Plan plan;
  model::CompileJob job;
  std::optional<model::CompileJob> reference;
  model::Digest reference_key;    ///< empty: there is nothing to verify against
  model::Digest preparation_key;  ///< of its inputs, expected results and bounds
};

/// So many identities are worth a thread to work them out.
constexpr std::size_t worth_a_thread = 256;

/// The one way from a configuration of a kernel to a trial: identity, plan and compile jobs, then what the
/// compiler and the device's limits say, then the job for the measuring process, then how it ran. Made for
/// one kernel on one problem; the references must outlive it.
class TrialMaker {
 public:
  TrialMaker(const Request& request, const Work& work, const model::Problem& problem);

  /// Identity of a configuration's trial. Needs no compiler.
  model::Digest key(const model::Configuration& configuration) const { return identify(configuration).key; }
  struct Identity {
    model::Digest key;
    /// Why it cannot be launched here, whatever it is compiled to.
    std::optional<space::Rejection> rejection;
  };
  Identity identify(const model::Configuration& configuration) const;
  /// Of all, by as many threads as they are worth.
  std::vector<Identity> identify(const space::ConfigurationList& list) const;
  /// Everything known before anything is compiled. A configuration that has no plan, or that the spec
  /// excludes from this device, already has its outcome: anything but ok.
  Trial make(const model::Configuration& configuration) const;
  /// The same binary on small awkward problems; see model::TrialJob::probes. Those on which the configuration
  /// is not valid, or which need another binary, are left out.
  std::vector<model::Plan> probes(const Trial& trial) const;
  /// Adds how it ran, and its metrics.
  void add_outcome(Trial& trial, model::TrialOutcome outcome) const;

 private:
  model::Digest key_of(const model::Configuration& configuration, const model::Digest& binary_key,
                       const model::Plan& plan) const;

  const Request& m_request;
  const Work& m_work;
  const model::Problem& m_problem;
  model::Environment m_comparison;
  std::optional<model::CompileJob> m_reference;
  model::Digest m_reference_key;
};

/// Adds what the compiler says, and what the device's limits say of that. The outcome is ok where the trial
/// may be launched.
void add_compilation(Trial& trial, const model::Compilation& compilation, const LaunchOracle& oracle);

/// The environment of trials of `type`.
model::Environment environment(const Request& request, model::ElementType type);

/// All that compete on a problem, however slow.
model::PossibleFinal all_competing(const Request& request, const model::Problem& problem,
                                   model::ResultSource& source);

/// The kernel of a trial of the past, tuned now or a rival; null where its spec is not at hand.
const Work* work_of(const Request& request, const model::TrialRecord& past);
/// A trial of the past as this sweep would do it; nothing where its kernel is another one by now.
std::optional<Trial> make_again(const Request& request, const Work& work, const model::TrialRecord& past);

/// Whether the kernel as it is now describes a trial of the past: its configuration is still in the space and
/// can be launched, and would be the same trial. Where the device it ran on is not known, its definition
/// alone is compared.
bool describes(const space::KernelSpace& kernel, const model::PastTrial& trial);
/// What only the kernel's spec says of its trials.
model::AskSpec says(const space::KernelSpace& kernel);

}  // namespace tuner::sweep
