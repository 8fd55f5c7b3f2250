#pragma once
#include <string>
#include <vector>

#include "reports/report_input.hpp"
#include "tuner/model/baseline_ratio.hpp"

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

}  // namespace reports
