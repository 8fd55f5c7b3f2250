#pragma once
#include <set>
#include <string>

#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/observer.hpp"

namespace tuner::sweep {

/// Problems whose inputs or reference cannot be made: a failure of the problem's and not of its
/// configurations, said once, and nothing of it counts as tried.
class Unprepared {
 public:
  /// `observer` must outlive the object.
  explicit Unprepared(Observer& observer) : m_observer(observer) {}

  bool contains(const Trial& trial) const { return m_problems.contains(trial.preparation_key); }
  /// The same of a trial that is compiled, which may be the first whose reference was not.
  bool contains(const Compiled& trial);
  void add(const Trial& trial, const std::string& why);

 private:
  Observer& m_observer;
  std::set<model::Digest> m_problems;        ///< by preparation key
  std::set<model::Digest> m_bad_references;  ///< that do not compile, and were told
};

}  // namespace tuner::sweep
