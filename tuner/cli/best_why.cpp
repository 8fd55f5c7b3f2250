#include "tuner/cli/best_why.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/baseline.hpp"
#include "reports/ceiling.hpp"
#include "reports/numbers.hpp"
#include "reports/summary.hpp"
#include "tuner/model/winner.hpp"

namespace tuner::cli {
namespace {

std::string what_was_measured(const db::BestAnswer& answer, const std::string& size) {
  const db::Contest& contest = answer.contest;
  if (answer.exact) {
    return fmt::format("\n  measured at this size: {} ok, {} dropped early, {} failed, {} skipped",
                       contest.ok, contest.dropped, contest.failed, contest.skipped);
  }
  return fmt::format("\n  size {} was never measured here; the nearest is {} (log2 distance {:.2f})", size,
                     contest.problem.size_text(), answer.distance);
}

std::string name(const model::TrialRecord& trial) {
  return fmt::format("{} {}", trial.kernel, trial.configuration.text());
}

/// Who was not there when the best were measured in turn.
std::string newcomers_story(const db::BestAnswer& answer, const std::string& verdict) {
  if (answer.newcomers.empty()) return "";
  std::vector<std::string> names;
  for (const db::Newcomers& newcomers : answer.newcomers) {
    names.push_back(fmt::format("{} of {}", newcomers.trials, newcomers.kernel));
  }
  return fmt::format("\n  not in that final, though within 10 %: {} ({}; `tuner run` races them)",
                     fmt::join(names, ", "), verdict);
}

std::string final_story(const db::BestAnswer& answer) {
  const model::FinalRecord& final = *answer.final;
  std::string text =
      fmt::format("\n  re-measured: the best {} were sampled in turn in {} rounds after they had raced",
                  contestants(answer), final.rounds);
  if (final.throttled_rounds > 0) {
    text += fmt::format(" ({} more at a lowered clock were left out)", final.throttled_rounds);
  }
  if (answer.winner.key == final.chosen && answer.tied_count > 0) {
    text += fmt::format("\n  chosen: {}", model::final_rule);
  }
  text += fmt::format("\n  it is {}", standing_text(answer, answer.winner));
  return text + newcomers_story(answer, "none is clearly faster");
}

std::string race_story(const db::BestAnswer& answer) {
  return fmt::format(
      "\n  not measured again in turn with the others: {}",
      answer.had_final
          ? "no final has considered it yet, and it beats what the last one chose; `tuner run` races it"
          : "the lowest of many medians, so optimistic");
}

std::string ties(const db::BestAnswer& answer) {
  if (answer.tied_count == 0) return "";
  constexpr std::size_t most = 3;
  std::string text = fmt::format("\n  cannot be told from {} other configuration{}", answer.tied_count,
                                 answer.tied_count == 1 ? "" : "s");
  for (std::size_t i = 0; i < answer.tied.size() && i < most; ++i) {
    const model::TrialRecord& trial = answer.tied[i];
    text += "\n    " + name(trial);
    if (trial.outcome.measurement)
      text +=
          ' ' + reports::time_text(trial.outcome.measurement->median_ns) + reports::unverified_mark(trial);
    if (const std::string how = standing_text(answer, trial); !how.empty()) text += ", " + how;
  }
  const auto left = answer.tied_count - static_cast<std::int64_t>(std::min(answer.tied.size(), most));
  if (left > 0) text += fmt::format("\n    … and {} more", left);
  return text;
}

std::string library_story(const db::BestAnswer& answer) {
  std::string text;
  for (const model::TrialRecord& baseline : answer.baselines) {
    if (!baseline.outcome.measurement || !answer.winner.outcome.measurement) continue;
    const auto ratio =
        model::baseline_ratio(baseline, answer.winner, answer.final ? &*answer.final : nullptr);
    text += fmt::format("\n  {} takes {} of its time", baseline.kernel, reports::baseline_text(ratio));
    if (!baseline.outcome.detail.empty()) text += fmt::format(" ({})", baseline.outcome.detail);
  }
  return text;
}

std::string ceiling_story(const db::BestAnswer& answer) {
  const auto share = reports::ceiling_share(answer.winner, answer.ceilings);
  if (!share) return "";
  return fmt::format("\n  {} of the device's {} ceiling, {}", reports::percent_text(share->fraction),
                     share->ceiling->kind, reports::ceiling_value_text(*share->ceiling));
}

}  // namespace

std::size_t contestants(const db::BestAnswer& answer) {
  const auto is_library = [&](const model::FinalRecord::Entry& entry) {
    return std::any_of(answer.baselines.begin(), answer.baselines.end(),
                       [&](const model::TrialRecord& baseline) { return baseline.key == entry.trial; });
  };
  const auto& entries = answer.final->entries;
  return entries.size() - static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), is_library));
}

std::string standing_text(const db::BestAnswer& answer, const model::TrialRecord& trial) {
  const auto* entry = answer.final ? model::entry_of(*answer.final, trial.key) : nullptr;
  if (entry == nullptr) return "";
  if (entry == &answer.final->entries.front()) return "the fastest";
  return reports::ratio_interval_text(entry->ratio, entry->ratio_low, entry->ratio_high) +
         " of the fastest's time";
}

std::string why(const db::BestAnswer& answer, const std::string& size, const std::string& gpu) {
  std::string text =
      fmt::format("{}: {}", answer.contest.problem.family, answer.contest.comparison_class.text());
  text += what_was_measured(answer, size);
  if (!answer.wanted_device) text += fmt::format("\n  no result for '{}'; this is another device's", gpu);
  if (!answer.winner.idea.empty()) text += "\n  the idea to try it: " + answer.winner.idea;
  text += answer.final ? final_story(answer) : race_story(answer);
  return text + ties(answer) + library_story(answer) + ceiling_story(answer);
}

}  // namespace tuner::cli
