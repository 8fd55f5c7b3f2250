#include "tuner/cli/compare_formats.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/numbers.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "tuner/util/wrap.hpp"

namespace tuner::cli {
namespace {

using Json = nlohmann::ordered_json;
using measure::Verdict;
using reports::Align;

std::string time_text(const model::TrialRecord& trial) {
  return reports::time_text(measurement_of(trial).median_ns) + reports::unverified_mark(trial);
}

std::string problem_text(const model::TrialRecord& trial) {
  return fmt::format("{} {}", trial.problem.family, trial.problem.text());
}

std::string ratio_text(const measure::Ratio& ratio) {
  return reports::ratio_interval_text(ratio.ratio, ratio.low, ratio.high);
}

std::string only_text(const char* name, const std::vector<model::TrialRecord>& trials) {
  std::string out;
  for (const model::TrialRecord& trial : trials) {
    out += fmt::format("only {}: {} ({})\n", name, problem_text(trial), trial.comparison_class.text());
  }
  return out;
}

Json trial_json(const model::TrialRecord& trial) {
  const model::Measurement& m = measurement_of(trial);
  return {{"trial", trial.key.hex()},
          {"kernel", trial.kernel},
          {"configuration", Json::parse(trial.configuration.json())},
          {"median_ns", m.median_ns},
          {"low_ns", m.low_ns},
          {"high_ns", m.high_ns},
          {"samples", m.samples_ns.size()}};
}

Json place_json(const model::TrialRecord& trial) {
  return {{"family", trial.problem.family},
          {"sizes", Json::parse(trial.problem.sizes_json())},
          {"type", model::cuda_name(trial.problem.type)},
          {"row_padding", trial.problem.row_padding},
          {"class", trial.comparison_class.text()}};
}

Json only_json(const std::vector<model::TrialRecord>& trials) {
  Json out = Json::array();
  for (const model::TrialRecord& trial : trials) {
    out.push_back(place_json(trial));
    out.back().update(trial_json(trial));
  }
  return out;
}

Json compared_json(const Compared& compared) {
  Json out = place_json(compared.a);
  out["a"] = trial_json(compared.a);
  out["b"] = trial_json(compared.b);
  out["verdict"] = measure::to_string(compared.verdict);
  out["ratio"] = compared.ratio.ratio;
  out["ratio_low"] = compared.ratio.low;
  out["ratio_high"] = compared.ratio.high;
  out["how"] = compared.how;
  return out;
}

std::string summary_text(const CompareSummary& summary) {
  return fmt::format("A is faster at {}, slower at {}, tied at {}; geometric mean of its times by B's {}\n",
                     summary.faster, summary.slower, summary.tied, reports::significant(summary.mean_ratio));
}

}  // namespace

CompareSummary summary_of(const ComparedSides& sides) {
  CompareSummary summary;
  double logs = 0;
  for (const Compared& compared : sides.both) {
    if (compared.verdict == Verdict::faster) ++summary.faster;
    if (compared.verdict == Verdict::slower) ++summary.slower;
    if (compared.verdict == Verdict::tied) ++summary.tied;
    logs += std::log(compared.ratio.ratio);
  }
  if (!sides.both.empty()) summary.mean_ratio = std::exp(logs / static_cast<double>(sides.both.size()));
  return summary;
}

std::string verdict_text(const Compared& compared, std::size_t columns) {
  const std::string ratio = ratio_text(compared.ratio);
  const std::string verdict = compared.verdict == Verdict::tied
                                  ? fmt::format("A and B cannot be told apart: A takes {} of B's time", ratio)
                                  : fmt::format("A is {} than B: it takes {} of B's time",
                                                measure::to_string(compared.verdict), ratio);
  return util::wrapped_text(fmt::format("{} ({})", verdict, compared.how), columns, 2);
}

std::string compare_text(const ComparedSides& sides, std::size_t columns) {
  std::string out;
  std::size_t next = 0;
  while (next < sides.both.size()) {
    const model::ComparisonClass& comparison = sides.both[next].a.comparison_class;
    reports::Table table({{"problem"},
                          {"A", Align::left, true},
                          {"time", Align::right},
                          {"B", Align::left, true},
                          {"time", Align::right},
                          {"A's time by B's", Align::right},
                          {"A is"}});
    for (; next < sides.both.size() && sides.both[next].a.comparison_class == comparison; ++next) {
      const Compared& compared = sides.both[next];
      table.add_row({problem_text(compared.a), compared.a.kernel + ' ' + compared.a.configuration.text(),
                     time_text(compared.a), compared.b.kernel + ' ' + compared.b.configuration.text(),
                     time_text(compared.b), ratio_text(compared.ratio),
                     std::string(measure::to_string(compared.verdict))});
    }
    out += util::wrapped_text(comparison.text(), columns, 2) + table.fitted(columns) + '\n';
  }
  out +=
      sides.both.empty() ? "no problem was measured by both in one class\n" : summary_text(summary_of(sides));
  return out + only_text("A", sides.only_a) + only_text("B", sides.only_b);
}

std::string compare_json(const ComparedSides& sides) {
  Json comparisons = Json::array();
  for (const Compared& compared : sides.both) comparisons.push_back(compared_json(compared));
  const CompareSummary summary = summary_of(sides);
  const Json out = {{"schema_version", 1},
                    {"comparisons", std::move(comparisons)},
                    {"summary",
                     {{"faster", summary.faster},
                      {"slower", summary.slower},
                      {"tied", summary.tied},
                      {"mean_ratio", summary.mean_ratio}}},
                    {"only_a", only_json(sides.only_a)},
                    {"only_b", only_json(sides.only_b)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace tuner::cli
