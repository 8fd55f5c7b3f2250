#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "reports/findings.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

std::string speedup_text(const db::BestAnswer& answer) {
  if (!answer.untuned || !answer.untuned->outcome.measurement || !answer.winner.outcome.measurement)
    return "";
  const bool approximate =
      !model::has_trusted_time(answer.untuned->outcome.status) || answer.is_approximate();
  return (approximate ? "~" : "") + reports::ratio_text(db::times_as_long(answer, *answer.untuned));
}

std::string bits_by_default(const db::BestAnswer& answer) {
  return reports::bits_text(answer.winner, answer.untuned ? &*answer.untuned : nullptr);
}

/// The answers of one family in one environment, by size.
using Group = Chosen;

std::vector<Group> groups_of(const db::BestAnswers& answers) {
  std::vector<Group> groups = grouped(
      answers, [](const auto& answer) -> const auto& { return answer; });
  for (Group& group : groups)
    std::ranges::stable_sort(
        group, reports::problem_less, [](const auto* answer) -> const auto& { return answer->problem(); });
  return groups;
}

reports::Trials winners_of(const Group& group) {
  reports::Trials winners;
  for (const db::BestAnswer* answer : group) winners.push_back(&answer->winner);
  return winners;
}

/// A mark behind a time, and what it means.
struct Mark {
  const char* text;
  bool (*applies)(const db::BestAnswer& answer);
  const char* meaning;
};

constexpr Mark marks[] = {
    {" †", [](const db::BestAnswer& answer) { return reports::has_latency(answer.winner); },
     reports::latency_meaning},
    {" *", [](const db::BestAnswer& answer) { return !answer.final && !answer.is_approximate(); },
     "* not re-measured after the race: the lowest of many medians, so optimistic"},
    {" ‡", is_off_clock, ""},
    {" unsettled", is_unsettled, "unsettled: race and final disagree; `tuner best SIZE` says more"},
    {" unverified", [](const db::BestAnswer& answer) { return reports::is_unverified(answer.winner); },
     reports::unverified_meaning}};

/// Of one that is not the fastest of its final, only tied with it or the best of its kernel.
std::string behind_text(const db::BestAnswer& answer) {
  if (!answer.final || answer.winner.key == answer.final->entries.front().trial) return "";
  const auto* entry = model::entry_of(*answer.final, answer.winner.key);
  return reports::ratio_interval_text(entry->ratio, entry->ratio_low, entry->ratio_high);
}

std::vector<std::string> baseline_names(const Group& group) {
  std::set<std::string> names;
  for (const db::BestAnswer* answer : group) {
    for (const model::TrialRecord& baseline : answer->baselines) names.insert(baseline.kernel);
  }
  return {names.begin(), names.end()};
}

std::string time_with_marks(const db::BestAnswer& answer) {
  const auto& measurement = answer.winner.outcome.measurement;
  if (!measurement) return "";
  std::string text = approximate_mark(answer) + reports::time_text(measurement->median_ns);
  for (const Mark& mark : marks)
    if (mark.applies(answer)) text += mark.text;
  return text;
}

std::string library_text(const db::BestAnswer& answer, const std::string& name) {
  const std::string text =
      reports::baseline_text(name, reports::view(answer.baselines), &answer.winner, final_of(answer));
  return text == "-" ? "" : text;
}

/// `is_named`: with the ceiling's name.
std::string share_text(const db::BestAnswer& answer, bool is_named) {
  const auto share = reports::ceiling_share(answer.winner, answer.ceilings);
  if (!share) return "";
  return approximate_mark(answer) +
         (is_named ? reports::ceiling_text(share) : reports::percent_text(share->fraction));
}

/// The ratio alone: its interval stands in the answer of one size.
std::string library_ratio_text(const db::BestAnswer& answer, const std::string& name) {
  const std::string text = library_text(answer, name);
  return text.substr(0, text.find(" ("));
}

/// What the shares of a table are of.
std::string ceiling_note(const Group& group) {
  std::vector<reports::LabelledShare> shares;
  for (const db::BestAnswer* answer : group)
    shares.emplace_back(reports::size_label(answer->problem()),
                        reports::ceiling_share(answer->winner, answer->ceilings));
  return reports::ceiling_note(shares);
}

std::string rate_text(const db::BestAnswer& answer, const std::string& metric) {
  const std::string text = metric_text(answer.winner, metric);
  return text.empty() ? "" : approximate_mark(answer) + text;
}

/// Everything of one answer.
std::string block_text(const db::BestAnswer& answer, const Style& style) {
  const model::TrialRecord& winner = answer.winner;
  const auto& measurement = winner.outcome.measurement;
  const std::string metric = reports::first_metric({&winner});
  Facts facts = {{"kernel", winner.kernel},
                 {"trial", style.id(winner.key)},
                 {"configuration", winner.configuration.text()},
                 {"median", time_with_marks(answer)},
                 {"95 % interval", measurement && !answer.is_approximate()
                                       ? reports::interval_text(measurement->low_ns, measurement->high_ns)
                                       : ""},
                 {metric.empty() ? "metric" : metric, rate_text(answer, metric)},
                 {"energy", winner.outcome.energy ? reports::energy_text(*winner.outcome.energy) : ""},
                 {"per watt", reports::per_watt_text(winner)},
                 {"in a long run", reports::sustained_text(winner)},
                 {"of ceiling", share_text(answer, true)},
                 {"× default", speedup_text(answer)},
                 {"bits", bits_by_default(answer)}};
  for (const std::string& name : baseline_names({&answer}))
    facts.emplace_back(reports::baseline_heading(name), library_text(answer, name));
  facts.emplace_back("registers", reports::registers_text(winner));
  if (winner.occupancy) {
    facts.emplace_back("occupancy",
                       fmt::format("{}, limited by {}", reports::percent_text(winner.occupancy->fraction),
                                   fmt::join(winner.occupancy->limited_by, ", ")));
  }
  facts.emplace_back("time / fastest", behind_text(answer));
  facts.emplace_back("tied", answer.tied_count == 0 ? "" : fmt::format("with {}", answer.tied_count));
  facts.emplace_back("origin", winner.origin);
  if (answer.searched) {
    constexpr std::string_view verb = "searched ";  // the heading says it
    facts.emplace_back("searched", reports::searched_text(*answer.searched).substr(verb.size()));
  }
  return block_of(facts, style.columns);
}

/// The figures that matter most, a row a size; what has no cells is not shown.
std::string table_text(const Group& group, const Style& style) {
  using reports::Align;
  const std::string metric = reports::first_metric(winners_of(group));
  const std::vector<std::string> libraries = baseline_names(group);
  const Common common(winners_of(group));
  const auto make = [&](bool with_configurations) {
    reports::Table table({{"size", Align::right},
                          {"trial"},
                          {"kernel"},
                          {"configuration"},
                          {"median", Align::right},
                          {metric, Align::right, false, 6},
                          {"energy", Align::right, false, 2},
                          {"per watt", Align::right, false, 1},
                          {"× default", Align::right, false, 4}});
    int drop_library = static_cast<int>(libraries.size()) + 5;  // the last of them first
    for (const std::string& name : libraries)
      table.add_column(reports::baseline_heading(name), Align::right, false, drop_library--);
    table.add_column("of ceiling", Align::right, false, 3);
    table.add_column("searched", Align::right, false, 1);
    table.add_column("tied", Align::right, false, 2);
    table.add_column("bits", Align::left, false, 2);
    for (const db::BestAnswer* answer : group) {
      const model::TrialRecord& winner = answer->winner;
      std::vector<std::string> row = {
          reports::size_label(winner.problem),
          style.id(winner.key),
          common.has_one_kernel() ? "" : winner.kernel,
          with_configurations ? common.rest(winner) : "",
          time_with_marks(*answer),
          rate_text(*answer, metric),
          winner.outcome.energy ? reports::joules_text(winner.outcome.energy->mean_j) : "",
          reports::per_watt_text(winner),
          speedup_text(*answer)};
      for (const std::string& name : libraries) row.push_back(library_ratio_text(*answer, name));
      row.insert(row.end(), {share_text(*answer, false), reports::searched_cell(answer->searched),
                             fmt::format("{}", answer->tied_count), bits_by_default(*answer)});
      table.add_row(std::move(row));
    }
    return table;
  };
  std::vector<std::pair<std::string, const model::TrialRecord*>> labelled;
  for (const db::BestAnswer* answer : group)
    labelled.emplace_back(reports::size_label(answer->winner.problem), &answer->winner);
  return common.table(make, labelled, style.columns);
}

/// Its family, and the kernel of all winners where there is one with another name.
std::string group_name(const Group& group) {
  const std::string& family = group.front()->problem().family;
  const std::string& kernel = group.front()->winner.kernel;
  const bool has_one_kernel = std::ranges::all_of(
      group, [&](const db::BestAnswer* answer) { return answer->winner.kernel == kernel; });
  return has_one_kernel && kernel != family ? family + ", kernel " + kernel : family;
}

/// What the marks in the group mean, and how far it was searched.
std::string notes_text(const Group& group) {
  std::string text;
  const auto any = [&](const auto& is) {
    return std::ranges::any_of(group, [&](const auto* answer) { return is(*answer); });
  };
  const auto approximate = std::ranges::find_if(group, &db::BestAnswer::is_approximate);
  if (approximate != group.end()) text += fmt::format("~ {}\n", approximate_text(**approximate));
  for (const Mark& mark : marks)
    if (any(mark.applies) && *mark.meaning != '\0') text += fmt::format("{}\n", mark.meaning);
  std::vector<std::pair<const model::Problem*, double>> in_turn;
  for (const db::BestAnswer* answer : group)
    if (is_off_clock(*answer)) in_turn.emplace_back(&answer->problem(), answer->check.in_turn_ns);
  if (const std::string note = reports::clock_note(in_turn); !note.empty()) text += note + "\n";
  if (const std::string note = reports::baseline_note(baseline_names(group)); !note.empty())
    text += note + "\n";
  if (group.size() == 1) return text;
  if (const std::string note = ceiling_note(group); !note.empty()) text += note + "\n";
  std::vector<reports::LabelledSearch> searches;
  for (const db::BestAnswer* answer : group)
    searches.emplace_back(reports::size_label(answer->winner.problem), answer->searched);
  if (const std::string said = reports::searched_summary(searches); !said.empty())
    text += fmt::format("searched: {}\n", said);
  return text;
}

}  // namespace

std::string approximate_mark(const db::BestAnswer& answer) {
  return answer.is_approximate() ? "~" : "";
}

std::string metric_text(const model::TrialRecord& trial, const std::string& metric) {
  const auto found = trial.metrics.find(metric);
  return found == trial.metrics.end() ? "" : reports::significant(found->second);
}

std::string best_text(const db::BestAnswers& answers, const Style& style) {
  std::string text;
  for (const Group& group : groups_of(answers)) {
    if (!text.empty()) text += '\n';
    const db::Case& tuning_case = group.front()->tuning_case;
    text += style.wrapped(fmt::format(
        "{}: {}",
        group.size() == 1 ? tuning_case.problem.family + ' ' + reports::size_label(tuning_case.problem)
                          : group_name(group),
        tuning_case.environment.text()));
    text += group.size() == 1 ? block_text(*group.front(), style) : table_text(group, style);
    text += style.wrapped(notes_text(group));
  }
  return text;
}

}  // namespace tuner::cli::answers
