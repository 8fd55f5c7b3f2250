#include <fmt/format.h>

#include <algorithm>

#include "reports/findings.hpp"
#include "reports/summary.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using Lines = std::vector<std::string>;

void say_measured(const db::BestAnswer& answer, const Asked& asked, Lines& lines) {
  const db::Case& tuning_case = answer.tuning_case;
  if (!asked.by_rule.empty()) {
    lines.push_back(asked.by_rule);
  } else if (!answer.exact && !asked.unanswered.empty()) {
    lines.push_back(
        fmt::format("size {} has no answer here ({}); the nearest that has is {} (log2 distance {:.2f})",
                    asked.size, asked.unanswered, tuning_case.problem.size_text(), answer.distance));
  } else if (!answer.exact) {
    lines.push_back(fmt::format("size {} was never measured here; the nearest is {} (log2 distance {:.2f})",
                                asked.size, tuning_case.problem.size_text(), answer.distance));
  }
  lines.push_back(fmt::format("measured{}: {} ok, {} dropped early, {} failed, {} skipped",
                              answer.exact ? "" : " there", tuning_case.ok, tuning_case.dropped,
                              tuning_case.failed, tuning_case.skipped));
}

/// Who was not there when the best were measured in turn.
void say_newcomers(const db::BestAnswer& answer, const Asked& asked, Lines& lines) {
  if (answer.newcomers.empty()) return;
  std::vector<std::string> names;
  for (const db::Newcomers& newcomers : answer.newcomers)
    names.push_back(fmt::format("{} of {}", newcomers.trials, newcomers.kernel));
  lines.push_back(fmt::format(
      "not in that final, though within 10 %: {}; none is clearly faster, and `{}` races those among the "
      "fastest",
      fmt::join(names, ", "), asked.racing));
}

/// Who was dropped for somebody that is outside of the question, or out of the race.
void say_dropped(const db::BestAnswer& answer, Lines& lines) {
  if (answer.dropped_near <= 0) return;
  lines.push_back(fmt::format(
      "{} dropped early within 10 % of it or faster, so {} may be faster",
      answer.dropped_near == 1 ? "1 more trial was" : fmt::format("{} more trials were", answer.dropped_near),
      answer.dropped_near == 1 ? "it" : "some"));
}

/// What `other` has instead, or all of it where it is another kernel.
std::string instead(const model::TrialRecord& winner, const model::TrialRecord& other) {
  if (other.kernel != winner.kernel) return fmt::format("{} {}", other.kernel, other.configuration.text());
  const std::string change = change_text(winner.configuration, other.configuration);
  return change.empty() ? "the same configuration of another source" : change;
}

void say_ties(const db::BestAnswer& answer, const Style& style, Lines& lines) {
  if (answer.tied_count == 0) return;
  constexpr std::size_t most = 3;
  const bool by_rule = answer.final && answer.winner.key == answer.final->chosen;
  lines.push_back(fmt::format("cannot be told from {}{}", util::counted(answer.tied_count, "other"),
                              by_rule ? "; chosen by the rule: " + std::string(model::final_rule) : ""));
  for (std::size_t i = 0; i < answer.tied.size() && i < most; ++i) {
    const model::TrialRecord& trial = answer.tied[i];
    std::string line = fmt::format("  {}  {}", style.id(trial.key), instead(answer.winner, trial));
    if (trial.outcome.measurement) line += ", " + reports::marked_time(trial);
    lines.push_back(std::move(line));
  }
  const auto left = answer.tied_count - static_cast<std::int64_t>(std::min(answer.tied.size(), most));
  if (left > 0) lines.push_back(fmt::format("  … and {} more", left));
}

/// `with the same bits as it: 1a2b3c4, 5d6e7f8; with others: …`, of those that were in its final.
void say_bits(const db::BestAnswer& answer, const Style& style, Lines& lines) {
  if (answer.winner.outcome.output_bits == std::nullopt || answer.same_bits.empty()) return;
  constexpr std::size_t most = 4;
  const auto names = [&](const std::vector<model::Digest>& group) {
    std::vector<std::string> ids;
    for (const model::Digest& trial : group)
      if (trial != answer.winner.key) ids.push_back(style.id(trial));
    return reports::first_of(ids, most);
  };
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < answer.same_bits.size() && i < most; ++i) {
    const std::string of_group = names(answer.same_bits[i]);
    if (!of_group.empty()) parts.push_back((i == 0 ? "with the same bits: " : "with others: ") + of_group);
  }
  if (!parts.empty()) lines.push_back(fmt::format("other finalists {}", fmt::join(parts, "; ")));
}

std::string more_or_fewer(std::int64_t difference, const char* what) {
  return fmt::format("{} {} {}", difference > 0 ? difference : -difference, difference > 0 ? "more" : "fewer",
                     what);
}

std::string at_clock(double mhz) {
  return mhz > 0 ? fmt::format(" at {:.0f} MHz", mhz) : "";
}

/// Where the times of the final and the race do not go together.
void say_clocks(const db::BestAnswer& answer, const Asked& asked, const Style& style, Lines& lines) {
  const db::FinalCheck& check = answer.check;
  if (is_off_clock(answer)) {
    lines.push_back(
        fmt::format("the fastest took {}{} in the last rounds; in turn with its rivals it took {}{}, which "
                    "is the time to hold against theirs",
                    reports::time_text(check.final_ns), at_clock(check.final_mhz),
                    reports::time_text(check.in_turn_ns), at_clock(check.rivals_mhz)));
  }
  if (is_unsettled(answer)) {
    lines.push_back(fmt::format(
        "unsettled: it took {} in the race and {} in the final, where it was alone; {} raced faster than "
        "that, the fastest in {}: `tuner compare {} {} --fresh{}` measures both in turn",
        reports::time_text(check.own_race_ns), reports::time_text(check.final_ns),
        check.faster_elsewhere == 1 ? "another" : fmt::format("{} others", check.faster_elsewhere),
        reports::time_text(check.fastest_elsewhere_ns), style.id(answer.winner.key),
        style.id(check.fastest_elsewhere), asked.device_flag));
  }
}

/// What the best of those that are not tied lacks.
void say_runner_up(const db::BestAnswer& answer, const db::Ranking& ranked, const Style& style,
                   Lines& lines) {
  const db::Ranked* const next = runner_up(answer, ranked);
  if (next == nullptr) return;
  const model::TrialRecord& winner = answer.winner;
  const double ratio = next->ratio / ratio_of_winner(answer, ranked);
  std::vector<std::string> parts = {difference_text(ratio, next->in_final), instead(winner, next->trial)};
  if (winner.resources && next->trial.resources) {
    const auto registers = next->trial.resources->registers - winner.resources->registers;
    if (registers != 0) parts.push_back(more_or_fewer(registers, "registers"));
    const auto spills = next->trial.resources->spill_bytes() - winner.resources->spill_bytes();
    if (spills != 0) parts.push_back(more_or_fewer(spills, "bytes spilled"));
  }
  if (winner.occupancy && next->trial.occupancy &&
      winner.occupancy->fraction != next->trial.occupancy->fraction) {
    parts.push_back(fmt::format("occupancy {} instead of {}",
                                reports::percent_text(next->trial.occupancy->fraction),
                                reports::percent_text(winner.occupancy->fraction)));
  }
  lines.push_back(fmt::format("the next one, {}: {}", style.id(next->trial.key), fmt::join(parts, "; ")));
}

void say_libraries(const db::BestAnswer& answer, Lines& lines) {
  for (const model::TrialRecord& baseline : answer.baselines) {
    if (!baseline.outcome.measurement || !answer.winner.outcome.measurement) continue;
    const auto ratio = model::baseline_ratio(baseline, answer.winner, final_of(answer));
    std::string text = fmt::format("{} takes {} of its time", baseline.kernel, reports::baseline_text(ratio));
    if (!baseline.outcome.detail.empty()) text += fmt::format(" ({})", baseline.outcome.detail);
    lines.push_back(std::move(text));
  }
}

void say_ceiling(const db::BestAnswer& answer, Lines& lines) {
  const auto share = reports::ceiling_share(answer.winner, answer.ceilings);
  if (!share) return;
  lines.push_back(fmt::format("{}{} of the device's {} ceiling, {}", approximate_mark(answer),
                              reports::percent_text(share->fraction), share->ceiling->kind,
                              reports::ceiling_value_text(*share->ceiling)));
}

std::string raced_text(const db::BestAnswer& answer, const Asked& asked) {
  if (answer.is_approximate()) return approximate_text(answer);
  return fmt::format(
      "not measured again in turn with the others: {}",
      answer.beats_final
          ? fmt::format("no final has considered it yet, and it beats what the last one chose; `{}` races it",
                        asked.racing)
      : answer.had_final ? "it is not near enough to the best for a final, so its time is optimistic"
                         : "the lowest of many medians, so optimistic");
}

/// Where a winner stands in its final, if that is not first.
std::string behind_fastest(const db::BestAnswer& answer) {
  const auto* entry = model::entry_of(*answer.final, answer.winner.key);
  if (entry == nullptr || entry == &answer.final->entries.front()) return "";
  return fmt::format("; its time is {} of the fastest's",
                     reports::ratio_interval_text(entry->ratio, entry->ratio_low, entry->ratio_high));
}

/// How many were in the answer's final that might have won it: libraries do not count.
std::size_t finalists(const db::BestAnswer& answer) {
  const auto is_library = [&](const model::FinalRecord::Entry& entry) {
    return std::ranges::find(answer.baselines, entry.trial, &model::TrialRecord::key) !=
           answer.baselines.end();
  };
  const auto& entries = answer.final->entries;
  return entries.size() - static_cast<std::size_t>(std::ranges::count_if(entries, is_library));
}

}  // namespace

std::string remeasured_text(const db::BestAnswer& answer) {
  const model::FinalRecord& final = *answer.final;
  const std::size_t others = finalists(answer) - 1;
  const bool libraries = final.entries.size() > others + 1;
  std::string text =
      others == 0 ? fmt::format("measured again{} in {} rounds: no other trial was near",
                                libraries ? " in turn with the libraries" : "", final.rounds)
                  : fmt::format("measured again in turn with {}{}, {} rounds", util::counted(others, "other"),
                                libraries ? " and the libraries" : "", final.rounds);
  if (final.throttled_rounds > 0)
    text += fmt::format(" ({} more at a lowered clock were left out)", final.throttled_rounds);
  return text + behind_fastest(answer);
}

std::string why(const db::BestAnswer& answer, const Asked& asked, const db::Ranking& ranked,
                const Evidence& found, const Style& style) {
  Lines lines;
  say_measured(answer, asked, lines);
  lines.push_back(answer.final ? remeasured_text(answer) : raced_text(answer, asked));
  if (answer.final) say_clocks(answer, asked, style, lines);
  if (answer.final) say_newcomers(answer, asked, lines);
  say_dropped(answer, lines);
  say_ties(answer, style, lines);
  say_bits(answer, style, lines);
  say_runner_up(answer, ranked, style, lines);
  if (std::string cheaper = cheaper_text(answer, ranked, style); !cheaper.empty())
    lines.push_back(std::move(cheaper));
  for (std::string& line : evidence_lines(found, style)) lines.push_back(std::move(line));
  say_libraries(answer, lines);
  say_ceiling(answer, lines);
  std::string text = fmt::format("why {} at {} {}:\n", style.id(answer.winner.key), answer.problem().family,
                                 reports::size_label(answer.problem()));
  for (const std::string& line : lines) text += style.wrapped("  " + line);
  text.pop_back();
  return text;
}

}  // namespace tuner::cli::answers
