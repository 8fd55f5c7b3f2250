#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "tuner/model/trial.hpp"

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
  bool unprepared(std::size_t group, std::size_t kernel);
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

}  // namespace tuner::sweep
