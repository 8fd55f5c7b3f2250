#include "reports/baseline.hpp"

#include <fmt/format.h>

#include "reports/numbers.hpp"

namespace reports {

std::string baseline_heading(const std::string& name) {
  return "× " + name;
}

std::string baseline_text(const model::BaselineRatio& ratio) {
  return ratio.paired ? ratio_interval_text(ratio.ratio, ratio.low, ratio.high)
                      : "~" + ratio_text(ratio.ratio);
}

std::string baseline_text(const std::string& name, const std::vector<const model::TrialRecord*>& baselines,
                          const model::TrialRecord* winner, const model::FinalRecord* final) {
  if (winner == nullptr || !winner->outcome.measurement) return "-";
  for (const model::TrialRecord* baseline : baselines) {
    if (baseline->kernel == name && baseline->outcome.measurement)
      return baseline_text(model::baseline_ratio(*baseline, *winner, final));
  }
  return "-";
}

std::string baseline_note(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format(
      "× {}: the library's time by that of the one to use, with its 95 % interval; ~ where they "
      "were not sampled in turn",
      fmt::join(names, ", × "));
}

}  // namespace reports
