#include "tuner/cli/answers/explanation.hpp"

#include <fmt/format.h>

#include <array>

#include "reports/json.hpp"
#include "reports/summary.hpp"
#include "reports/text.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

const char* heading_of(explain::About about) {
  constexpr std::array headings = {"what binds it", "what the runner-up lacks", "which parameters matter",
                                   "what to try next in the spec"};
  return headings[static_cast<std::size_t>(about)];
}

/// Limits below these say little beside the first.
constexpr std::size_t most_of_binds = 5;

}  // namespace

std::string explanation_text(const Explanation& explanation, const Style& style) {
  const model::TrialRecord& winner = explanation.answer->winner;
  const double median_ns = winner.outcome.measurement ? winner.outcome.measurement->median_ns : 0;
  std::string text = util::wrapped_text(
      fmt::format("why {} takes {}{} at {} {}{}: {} {}", style.id(winner.key),
                  explanation.answer->is_approximate() ? "about " : "", reports::time_text(median_ns),
                  winner.problem.family, reports::size_label(winner.problem),
                  explanation.names_device ? " on " + winner.environment.device : "", winner.kernel,
                  winner.configuration.text()),
      style.columns, 2);
  std::array<std::size_t, std::size(model::Words<explain::About>::all)> told{};
  for (const explain::Finding& finding : explanation.findings) {
    std::size_t& of_kind = told[static_cast<std::size_t>(finding.about)];
    if (finding.about == explain::About::binds && of_kind >= most_of_binds) continue;
    if (++of_kind == 1) text += fmt::format("  {}:\n", heading_of(finding.about));
    text += util::wrapped_text(fmt::format("    {} [{}]", finding.text, finding.from), style.columns, 2);
    if (!finding.next.empty()) text += util::wrapped_text("      → " + finding.next, style.columns, 2);
  }
  if (explanation.findings.empty()) text += "  nothing that is recorded says why\n";
  if (!explanation.without.empty())
    text += util::wrapped_text("  without machine code: " + explanation.without, style.columns, 2);
  return text;
}

std::string explanations_json(const std::vector<Explanation>& explanations) {
  using reports::Json;
  Json out = {{"schema_version", 1}, {"explanations", Json::array()}};
  for (const Explanation& explanation : explanations) {
    const model::TrialRecord& winner = explanation.answer->winner;
    Json one = db::json_of(winner.problem);
    one["environment"] = db::json_of(winner.environment);
    one["kernel"] = winner.kernel;
    one["trial"] = winner.key.hex();
    one["findings"] = reports::findings_json(explanation.findings);
    one["without"] = explanation.without.empty() ? Json(nullptr) : Json(explanation.without);
    out["explanations"].push_back(std::move(one));
  }
  return reports::json_text(out);
}

}  // namespace tuner::cli::answers
