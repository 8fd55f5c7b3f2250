#pragma once
#include <map>
#include <optional>

#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// What is known of the binaries' probes, from this sweep and from before. A verdict is of a binary: whatever
/// the problem that its next trial is about, it need not be probed again, and one that failed need not run.
class ProbeVerdicts {
 public:
  /// The references must outlive the object.
  ProbeVerdicts(const Request& request, Services& services) : m_request(request), m_services(services) {}

  /// The verdict that stands; nothing where the probes are to be run. One of before by which the process died
  /// stands for no longer than it took to see it twice, and none that failed where failures are tried again.
  std::optional<model::ProbeVerdict> find(const model::Digest& probe);
  /// Keeps what running `record`'s probes said.
  void learn(const model::TrialRecord& record, const model::TrialOutcome& outcome);

 private:
  const Request& m_request;
  Services& m_services;
  std::map<model::Digest, model::ProbeVerdict> m_seen;  ///< in this sweep, or read by it
};

}  // namespace tuner::sweep
