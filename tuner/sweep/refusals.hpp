#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tuner/model/trial.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// Refusals that have nothing to do with the configuration. Where the first ones of a kernel on a problem are
/// all refused alike before anything of them is measured, so are the others: there is no use in asking each.
class Refusals {
 public:
  /// So many in a row, and no other outcome among them. Preparing a problem owes little to a configuration.
  static constexpr int enough_unprepared = 16;
  /// A driver's refusal to take what a probe gives it may owe something to one: of a space where 97 of 100
  /// are refused for their own sake one in seven would be given up after these, were they drawn from it
  /// alone.
  static constexpr int enough_on_probes = 64;

  /// Whether an outcome is the driver's refusal of a probe, before it was run.
  static bool is_of_probe(const model::TrialOutcome& outcome) {
    return outcome.subject == model::Subject::binary && outcome.status == model::TrialStatus::launch_error;
  }
  /// Of the kernel (by number) of the group: its inputs or reference cannot be made. Returns whether that is
  /// enough, once.
  bool unprepared(std::size_t group, std::size_t kernel) {
    return add(m_rows[{group, kernel}], "", enough_unprepared);
  }
  /// It was refused on a probe, and that is why.
  bool on_probe(std::size_t group, std::size_t kernel, const std::string& why);
  /// It has another outcome.
  void other(std::size_t group, std::size_t kernel) { m_rows[{group, kernel}].differs = true; }

 private:
  struct Row {
    std::string why;
    int length = 0;
    bool differs = false;
  };
  bool add(Row& row, const std::string& why, int enough);

  std::map<std::pair<std::size_t, std::size_t>, Row> m_rows;
};

/// Problems whose inputs or reference cannot be made: a failure of the problem's and not of its
/// configurations, said once, and nothing of it counts as tried.
class Unprepared {
 public:
  /// `observer` must outlive the object.
  explicit Unprepared(Observer& observer) : m_observer(observer) {}

  bool contains(const Trial& trial) const { return m_problems.contains(trial.preparation_key); }
  /// The same of a trial that is compiled, which may be the first whose reference was not.
  bool contains(const CompiledTrial& trial);
  void add(const Trial& trial, const std::string& why);

 private:
  Observer& m_observer;
  std::set<model::Digest> m_problems;        ///< by preparation key
  std::set<model::Digest> m_bad_references;  ///< that do not compile, and were told
};

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
