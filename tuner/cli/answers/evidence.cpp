#include "tuner/cli/answers/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "reports/json.hpp"
#include "reports/summary.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using model::TrialRecord;

/// The only assignment in which the two differ; null where there are several or none.
const model::Assignment* only_difference(const model::Configuration& a, const model::Configuration& b) {
  if (a.assignments().size() != b.assignments().size()) return nullptr;
  const model::Assignment* found = nullptr;
  for (const model::Assignment& assignment : a.assignments()) {
    const model::Value* other = b.find(assignment.name);
    if (other == nullptr) return nullptr;
    if (*other == assignment.value) continue;
    if (found != nullptr) return nullptr;
    found = &assignment;
  }
  return found;
}

OneChange one_change(const db::BestAnswer& answer, const TrialRecord& trial,
                     const model::Assignment& difference) {
  OneChange change;
  change.parameter = difference.name;
  change.from = difference.value;
  change.to = *trial.configuration.find(difference.name);
  change.trial = &trial;
  if (!trial.outcome.measurement) return change;
  const auto* entry = answer.final ? model::entry_of(*answer.final, trial.key) : nullptr;
  const auto* own = answer.final ? model::entry_of(*answer.final, answer.winner.key) : nullptr;
  change.in_turn = entry != nullptr && own != nullptr;
  change.is_tied = change.in_turn && is_tied(answer, trial.key);
  change.ratio = db::times_as_long(answer, trial);
  return change;
}

std::vector<OneChange> one_changes(const db::BestAnswer& answer, const std::vector<TrialRecord>& trials) {
  std::vector<OneChange> changes;
  for (const TrialRecord& trial : trials) {
    if (trial.kernel != answer.winner.kernel) continue;
    const auto* difference = only_difference(answer.winner.configuration, trial.configuration);
    if (difference != nullptr) changes.push_back(one_change(answer, trial, *difference));
  }
  return changes;
}

/// Of each parameter the change that costs least: what the winner is to be held against.
std::vector<OneChange> nearest_rivals(const std::vector<OneChange>& changes) {
  std::map<std::string, OneChange> nearest;
  for (const OneChange& change : changes) {
    if (change.ratio <= 0) continue;
    const auto [known, is_new] = nearest.try_emplace(change.parameter, change);
    if (!is_new && change.ratio < known->second.ratio) known->second = change;
  }
  std::vector<OneChange> out;
  for (auto& [name, change] : nearest) out.push_back(change);
  std::ranges::stable_sort(out, std::greater{}, &OneChange::ratio);
  return out;
}

std::string failed_line(const OneChange& change) {
  return fmt::format("{} {} → {}: {}, {}", change.parameter, change.from.text(), change.to.text(),
                     model::to_string(change.trial->outcome.status), reports::reason(*change.trial));
}

const char* heading_of(explain::About about) {
  constexpr std::array headings = {"what binds it", "what the runner-up lacks", "which parameters matter",
                                   "what to try next in the spec"};
  return headings[static_cast<std::size_t>(about)];
}

/// Limits below these say little beside the first.
constexpr std::size_t most_of_binds = 5;

}  // namespace

std::string difference_text(double ratio, bool in_turn) {
  const double percent = (ratio - 1) * 100;
  if (std::abs(percent) < 0.05) return in_turn ? "the same time" : "about the same time";
  const int digits = std::abs(percent) < 10 ? 1 : 0;
  if (ratio >= most_in_percent)
    return fmt::format("{}{} slower", in_turn ? "" : "~", reports::ratio_text(ratio));
  return fmt::format("{}{:.{}f} % {}", in_turn ? "" : "~", std::abs(percent), digits,
                     percent > 0 ? "slower" : "faster");
}

Evidence evidence(const db::BestAnswer& answer, const std::vector<TrialRecord>& trials) {
  Evidence out;
  if (!answer.winner.outcome.measurement) return out;
  const std::vector<OneChange> changes = one_changes(answer, trials);
  out.timed = nearest_rivals(changes);
  std::ranges::copy_if(changes, std::back_inserter(out.failed), [](const OneChange& change) {
    return change.trial->outcome.status == model::TrialStatus::unlaunchable;
  });
  return out;
}

std::vector<std::string> evidence_lines(const Evidence& evidence, const Style& style) {
  constexpr std::size_t most = 6;
  std::vector<std::string> lines;
  if (!evidence.timed.empty()) {
    lines.emplace_back("one parameter changed, at its best other value tried:");
    for (std::size_t i = 0; i < evidence.timed.size() && i < most; ++i) {
      const OneChange& change = evidence.timed[i];
      const bool dropped = change.trial->outcome.status == model::TrialStatus::dropped;
      lines.push_back(fmt::format("  {} {} → {}: {}{} ({})", change.parameter, change.from.text(),
                                  change.to.text(),
                                  change.is_tied ? "tied" : difference_text(change.ratio, change.in_turn),
                                  dropped ? ", dropped early" : "", style.id(change.trial->key)));
    }
  }
  for (std::size_t i = 0; i < evidence.failed.size() && i < 3; ++i)
    lines.push_back(failed_line(evidence.failed[i]));
  return lines;
}

std::string explanation_text(const Explanation& explanation, const Style& style) {
  const model::TrialRecord& winner = explanation.answer->winner;
  const double median_ns = winner.outcome.measurement ? winner.outcome.measurement->median_ns : 0;
  std::string text = style.wrapped(
      fmt::format("why {} takes {}{} at {} {}{}: {} {}", style.id(winner.key),
                  explanation.answer->is_approximate() ? "about " : "", reports::time_text(median_ns),
                  winner.problem.family, reports::size_label(winner.problem),
                  explanation.names_device ? " on " + winner.environment.device : "", winner.kernel,
                  winner.configuration.text()));
  std::array<std::size_t, std::size(model::Words<explain::About>::all)> told{};
  for (const explain::Finding& finding : explanation.findings) {
    std::size_t& of_kind = told[static_cast<std::size_t>(finding.about)];
    if (finding.about == explain::About::binds && of_kind >= most_of_binds) continue;
    if (++of_kind == 1) text += fmt::format("  {}:\n", heading_of(finding.about));
    text += style.wrapped(fmt::format("    {} [{}]", finding.text, finding.from));
    if (!finding.next.empty()) text += style.wrapped("      → " + finding.next);
  }
  if (explanation.findings.empty()) text += "  nothing that is recorded says why\n";
  if (!explanation.without.empty()) text += style.wrapped("  without machine code: " + explanation.without);
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
