#pragma once
#include <functional>
#include <optional>
#include <string>

#include "reports/summary.hpp"
#include "reports/table.hpp"

namespace reports {

/// `1.23 J`, `45.6 mJ`
std::string joules_text(double joules);
/// `45.6 mJ (45.1 to 46.2 mJ)`; of one run `~45.6 mJ`.
std::string energy_text(const model::Energy& energy);

/// `a launch takes 2.92 ms at 1640 MHz`, where the runs whose energy was measured were slower than the time
/// that the trial has: a GPU that reaches its power limit lowers its clock. Else empty.
std::string sustained_text(const model::TrialRecord& trial);

/// What a trial does for its energy: the first of its metrics that is a rate, by the device's mean power, as
/// `12.3 GFLOP/s/W`; empty where it is not known.
std::string per_watt_text(const model::TrialRecord& trial);

/// Of trials with an energy from a final: the fastest, then those that take longer and surely less energy
/// than the one before, by time. What saving costs.
Trials energy_front(const Trials& trials);
/// A row for each trial of each front, held against the front's first; `id` names a trial.
Table front_table(const std::vector<Trials>& fronts,
                  const std::function<std::string(const model::TrialRecord&)>& id);

}  // namespace reports
