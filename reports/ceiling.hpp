#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/ceiling.hpp"
#include "tuner/model/trial.hpp"

namespace reports {

namespace model = tuner::model;

/// How much of what its device can do at most a trial reaches.
struct CeilingShare {
  double fraction = 0;
  const model::Ceiling* ceiling = nullptr;  ///< the one that binds: `arithmetic` or `memory`
};

/// The roofline of Williams, Waterman and Patterson (2009): the larger of operations / time by the arithmetic
/// ceiling of the problem's type, and bytes / time by the memory ceiling. Absent where the trial has no time,
/// or its device has no ceiling for anything its spec declares. Memory is bound by the highest ceiling of any
/// type. The result points into `ceilings`.
std::optional<CeilingShare> ceiling_share(const model::TrialRecord& trial,
                                          const std::vector<model::Ceiling>& ceilings);

/// `78.1 % arithmetic`; `-` where it is unknown.
std::string ceiling_text(const std::optional<CeilingShare>& share);

/// `65.3 Top/s`, `4.28 TB/s`, `2.1 µs`: a ceiling's value, by its kind.
std::string ceiling_value_text(const model::Ceiling& ceiling);

}  // namespace reports
