#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/run_record.hpp"
#include "tuner/model/trial.hpp"
#include "tuner/model/winner.hpp"

namespace reports {

/// `× cuBLAS`: over a column of ratios.
std::string baseline_heading(const std::string& name);

/// `1.083 (1.071–1.095)`, or `~1.08×` where the two were not sampled in turn.
std::string baseline_text(const model::BaselineRatio& ratio);

/// The same of the baseline called `name` among `baselines`, against `winner`; `-` where there is none.
std::string baseline_text(const std::string& name, const std::vector<const model::TrialRecord*>& baselines,
                          const model::TrialRecord* winner, const model::FinalRecord* final);

/// A sentence for below a table with such columns; empty where `names` is.
std::string baseline_note(const std::vector<std::string>& names);

/// What `‡` means, with the time of each problem's fastest in turn with its rivals, for below a table that
/// has that mark. Empty where there are none.
std::string clock_note(const std::vector<std::pair<const model::Problem*, double>>& in_turn_ns);

/// How much of what its device can do at most a trial reaches.
struct CeilingShare {
  double fraction = 0;
  const model::Ceiling* ceiling = nullptr;  ///< the one that binds: `arithmetic`, `memory` or `l2`
};

/// The roofline of Williams, Waterman and Patterson (2009): the larger of operations / time by the arithmetic
/// ceiling of the problem's type, and bytes / time by that of memory or the L2 cache, as
/// explain::bytes_ceiling_of decides. Absent where the trial has no time, or its device has no ceiling for
/// anything its spec declares. Memory is bound by the highest ceiling of any type. The result points into
/// `ceilings`.
std::optional<CeilingShare> ceiling_share(const model::TrialRecord& trial,
                                          const std::vector<model::Ceiling>& ceilings);

/// `78.1 % arithmetic`; `-` where it is unknown.
std::string ceiling_text(const std::optional<CeilingShare>& share);

/// `of ceiling: arithmetic, 65.3 Top/s; at 512, 1024 of l2, 5.51 TB/s`, for below a table without their
/// names: what the shares of labelled rows are of, that of most rows first. Empty where there are none.
using LabelledShare = std::pair<std::string, std::optional<CeilingShare>>;
std::string ceiling_note(const std::vector<LabelledShare>& shares);

/// `65.3 Top/s`, `4.28 TB/s`, `2.1 µs`: a ceiling's value, by its kind.
std::string ceiling_value_text(const model::Ceiling& ceiling);

/// `nothing gained in the last 160 trials`; with what is known of searches that ended so.
/// `where` stands behind the trials: ` at 512`.
std::string outlook_text(const model::Outlook& outlook, const std::string& where = "");

/// `searched 6 % of 205,216; nothing gained in the last 160 trials`, or that the space was searched whole.
std::string searched_text(const model::Searched& searched);

/// What is said of the configurations that were not tried; empty where no search could say. Nowhere else are
/// words for that.
std::string outlook_text(const model::Searched& searched, const std::string& where = "");

/// For a cell: `whole`, `6.1 %`; empty where nothing is known.
std::string searched_cell(const std::optional<model::Searched>& searched);

/// One sentence for several problems, each with its label: `whole at 4 of 29 sizes; 3.1 % to 12 % of 532 to
/// 2,131 configurations at 25 sizes; 1.2 % gained in the last 57 trials at 1408, and no more elsewhere`. Of a
/// space that was drawn from, the configurations are those drawn. Empty where nothing is known of any.
using LabelledSearch = std::pair<std::string, std::optional<model::Searched>>;
std::string searched_summary(const std::vector<LabelledSearch>& searches);

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
