#include "reports/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "reports/text.hpp"
#include "tuner/explain/explain.hpp"
#include "tuner/util/text.hpp"

namespace reports {
namespace {

constexpr std::size_t most_labels = 6;  ///< in a note

}  // namespace

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
      "× {}: the library's time divided by that of the chosen configuration, with its 95 % interval; ~ where "
      "they "
      "were not sampled in turn",
      fmt::join(names, ", × "));
}

std::string clock_note(const std::vector<std::pair<const model::Problem*, double>>& in_turn_ns) {
  std::vector<std::string> times;
  for (const auto& [problem, ns] : in_turn_ns)
    times.push_back(fmt::format("{} at {}", time_text(ns), size_label(*problem)));
  if (times.empty()) return "";
  return fmt::format(
      "‡ the clock had changed by the last rounds; in turn with its rivals the fastest took {}",
      first_of(times, most_labels));
}

std::optional<CeilingShare> ceiling_share(const model::TrialRecord& trial,
                                          const std::vector<model::Ceiling>& ceilings) {
  if (!has_time(trial)) return std::nullopt;
  const double seconds = median_ns(trial) * 1e-9;
  CeilingShare share;
  const auto weigh = [&](double work, const model::Ceiling* ceiling) {
    if (work <= 0 || ceiling == nullptr) return;
    const double fraction = work / seconds / ceiling->value;
    if (fraction > share.fraction) share = {fraction, ceiling};
  };
  weigh(trial.workload.operations, tuner::explain::ceiling_of(trial, "arithmetic", ceilings));
  weigh(trial.workload.bytes, tuner::explain::bytes_ceiling_of(trial, ceilings));
  if (share.ceiling == nullptr) return std::nullopt;
  return share;
}

std::string ceiling_text(const std::optional<CeilingShare>& share) {
  if (!share) return "-";
  return fmt::format("{} {}", percent_text(share->fraction), share->ceiling->kind);
}

std::string ceiling_note(const std::vector<LabelledShare>& shares) {
  std::map<std::string, std::vector<std::string>> labels;  // by the ceiling
  for (const auto& [label, share] : shares)
    if (share) labels[share->ceiling->kind + ", " + ceiling_value_text(*share->ceiling)].push_back(label);
  if (labels.empty()) return "";
  const auto usual =
      std::ranges::max_element(labels, {}, [](const auto& ceiling) { return ceiling.second.size(); });
  std::string text = "of ceiling: " + usual->first;
  for (const auto& [ceiling, at] : labels)
    if (ceiling != usual->first) text += fmt::format("; at {} of {}", first_of(at, most_labels), ceiling);
  return text;
}

std::string ceiling_value_text(const model::Ceiling& ceiling) {
  if (ceiling.kind == "launch") return time_text(ceiling.value * 1e9);
  struct Prefix {
    double factor;
    const char* name;
  };
  constexpr std::array<Prefix, 4> prefixes = {{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1, ""}}};
  std::size_t i = 0;
  while (i + 1 < prefixes.size() && ceiling.value < 0.9995 * prefixes[i].factor) ++i;
  return fmt::format("{} {}{}", significant(ceiling.value / prefixes[i].factor, 3), prefixes[i].name,
                     ceiling.kind == "arithmetic" ? "op/s" : "B/s");
}

namespace {

/// `205,216`.
std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (auto place = static_cast<std::int64_t>(text.size()) - 3; place > 0; place -= 3)
    text.insert(static_cast<std::size_t>(place), ",");
  return text;
}

/// Per cent, at most two digits of them: an expectation is no more exact than that.
std::string rough_percent(double fraction) {
  const double percent = 100 * fraction;
  if (percent < 0.05) return "0";
  constexpr double two_digits = 9.95;
  return percent < two_digits ? fmt::format("{:.1f}", percent) : fmt::format("{:.0f}", percent);
}

double share(const model::Searched& searched) {
  return static_cast<double>(searched.tried) / static_cast<double>(searched.candidates);
}

/// In per cent it would be all.
bool is_nearly_whole(const model::Searched& searched) {
  constexpr double nearly_all = 0.995;
  return share(searched) >= nearly_all;
}

std::string part_text(const model::Searched& searched) {
  std::string text =
      is_nearly_whole(searched)
          ? fmt::format("searched all but {} of {}", grouped(searched.candidates - searched.tried),
                        grouped(searched.candidates))
          : fmt::format("searched {} of {}", percent_text(share(searched)), grouped(searched.candidates));
  if (searched.reopened > 0) {
    text += fmt::format("; {} dropped early for a best that is out of the race {} open again",
                        grouped(searched.reopened), searched.reopened == 1 ? "is" : "are");
  }
  return text;
}

}  // namespace

std::string outlook_text(const model::Outlook& outlook, const std::string& where) {
  if (outlook.faster > 0)
    return fmt::format("at most {} % of the rest are faster (95 % sure){}", rough_percent(outlook.faster),
                       where);
  const std::string gain = rough_percent(outlook.gain);
  if (outlook.stretch == 0)
    return fmt::format("an earlier version expected {} % more ({}–{} %){}", gain, rough_percent(outlook.low),
                       rough_percent(outlook.high), where);
  std::string text =
      fmt::format("{} gained in the last {}{}", gain == "0" ? "nothing" : gain + " %",
                  outlook.stretch == 1 ? "trial" : grouped(outlook.stretch) + " trials", where);
  if (outlook.behind > 0) {
    text += fmt::format("; of such searches {} % ended over 5 % behind, {} % on the worst kind of space",
                        rough_percent(outlook.behind), rough_percent(outlook.behind_at_worst));
  }
  return text;
}

std::string outlook_text(const model::Searched& searched, const std::string& where) {
  if (!searched.outlook) return "";
  std::string text = outlook_text(*searched.outlook, where);
  if (searched.outlook_tried < searched.tried)
    text += fmt::format(", as of the first {}", grouped(searched.outlook_tried));
  return text;
}

std::string searched_text(const model::Searched& searched) {
  if (searched.whole()) return fmt::format("searched whole: all {}", grouped(searched.candidates));
  const std::string outlook = outlook_text(searched);
  return part_text(searched) + (outlook.empty() ? "" : "; " + outlook);
}

std::string searched_cell(const std::optional<model::Searched>& searched) {
  if (!searched) return "";
  if (searched->whole()) return "whole";
  return is_nearly_whole(*searched) ? "all but " + grouped(searched->candidates - searched->tried)
                                    : percent_text(share(*searched));
}

std::string searched_summary(const std::vector<LabelledSearch>& searches) {
  std::vector<const LabelledSearch*> known, parts;
  for (const LabelledSearch& one : searches) {
    if (one.second) known.push_back(&one);
    if (one.second && !one.second->whole()) parts.push_back(&one);
  }
  if (known.empty()) return "";
  const std::size_t whole = known.size() - parts.size();
  std::vector<std::string> said;
  if (parts.empty() && known.size() == searches.size())
    return searches.size() == 1 ? "whole" : fmt::format("whole at all {} sizes", whole);
  if (whole > 0) said.push_back(fmt::format("whole at {} of {} sizes", whole, searches.size()));
  if (!parts.empty()) {
    const auto [least, most] = std::minmax_element(
        parts.begin(), parts.end(),
        [](const auto* a, const auto* b) { return share(*a->second) < share(*b->second); });
    const std::string low = searched_cell((*least)->second);
    const std::string high = searched_cell((*most)->second);
    const auto [fewest, largest] = std::minmax_element(
        parts.begin(), parts.end(),
        [](const auto* a, const auto* b) { return a->second->candidates < b->second->candidates; });
    const std::string few = grouped((*fewest)->second->candidates);
    const std::string many = grouped((*largest)->second->candidates);
    said.push_back(
        fmt::format("{}{} of {}{} configurations at {}", low, low == high ? "" : " to " + high, few,
                    few == many ? "" : " to " + many,
                    parts.size() == 1 ? parts.front()->first : fmt::format("{} sizes", parts.size())));
  }
  if (known.size() < searches.size())
    said.push_back(fmt::format("unknown at {}", searches.size() - known.size()));
  std::erase_if(parts, [](const auto* one) { return !one->second->outlook; });
  if (!parts.empty()) {
    // The most serious one.
    const auto fear = [](const LabelledSearch* one) {
      const model::Outlook& outlook = *one->second->outlook;
      return std::tuple(outlook.gain, outlook.faster, outlook.behind, -outlook.stretch);
    };
    const auto worst = std::max_element(parts.begin(), parts.end(),
                                        [&](const auto* a, const auto* b) { return fear(a) < fear(b); });
    const std::string most = outlook_text(*(*worst)->second);
    const bool is_everywhere = std::all_of(
        parts.begin(), parts.end(), [&](const auto* one) { return outlook_text(*one->second) == most; });
    std::string where = " at " + (*worst)->first;
    if (parts.size() > 1) where = is_everywhere ? " at each" : where + ", and no more elsewhere";
    said.push_back(outlook_text(*(*worst)->second, where));
  }
  return fmt::format("{}", fmt::join(said, "; "));
}

namespace {

constexpr std::array<std::pair<double, const char*>, 4> units = {
    {{1, "J"}, {1e-3, "mJ"}, {1e-6, "µJ"}, {1e-9, "nJ"}}};

std::pair<double, const char*> joule_unit(double joules) {
  // As of times, 0.9995 of a unit is shown as 1.000 of it.
  const auto found =
      std::ranges::find_if(units, [&](const auto& unit) { return joules >= 0.99995 * unit.first; });
  return found == units.end() ? units.back() : *found;
}

const model::Energy& energy_of(const model::TrialRecord& trial) {
  return *trial.outcome.energy;
}

}  // namespace

std::string joules_text(double joules) {
  const auto [size, name] = joule_unit(joules);
  return significant(joules / size) + ' ' + name;
}

std::string energy_text(const model::Energy& energy) {
  if (energy.runs < 2) return "~" + joules_text(energy.mean_j);
  const auto [size, name] = joule_unit(energy.mean_j);
  return fmt::format("{} ({} to {} {})", joules_text(energy.mean_j), significant(energy.low_j / size),
                     significant(energy.high_j / size), name);
}

std::string sustained_text(const model::TrialRecord& trial) {
  constexpr double slower = 1.02;
  if (!trial.outcome.energy || !has_time(trial) || energy_of(trial).mean_ns <= slower * median_ns(trial))
    return "";
  const model::Energy& energy = energy_of(trial);
  return fmt::format("a launch takes {}{}", time_text(energy.mean_ns),
                     energy.clock_mhz > 0 ? fmt::format(" at {:.0f} MHz", energy.clock_mhz) : "");
}

std::string per_watt_text(const model::TrialRecord& trial) {
  if (!trial.outcome.energy || !has_time(trial)) return "";
  for (const auto& [name, value] : trial.metrics)
    if (name.ends_with("/s"))
      return significant(value * median_ns(trial) * 1e-9 / energy_of(trial).mean_j) + ' ' + name + "/W";
  return "";
}

Trials energy_front(const Trials& trials) {
  Trials sorted = select(trials, [](const model::TrialRecord& trial) {
    return is_trusted(trial) && has_time(trial) && model::may_win(trial.role) && trial.outcome.energy &&
           trial.outcome.energy->runs > 1;
  });
  std::ranges::stable_sort(sorted, {},
                           [](const auto* trial) { return std::pair(median_ns(*trial), trial->key); });
  Trials front;
  for (const model::TrialRecord* trial : sorted)
    if (front.empty() || energy_of(*trial).high_j < energy_of(*front.back()).low_j) front.push_back(trial);
  return front;
}

Table front_table(const std::vector<Trials>& fronts,
                  const std::function<std::string(const model::TrialRecord&)>& id) {
  Table table({{"size", Align::right},
               {"trial"},
               {"time", Align::right},
               {"longer", Align::right},
               {"energy", Align::right},
               {"less", Align::right},
               {"power", Align::right},
               {"per watt", Align::right},
               {"configuration", Align::left, true}});
  for (const Trials& front : fronts) {
    for (const model::TrialRecord* trial : front) {
      const model::TrialRecord& first = *front.front();
      const model::Energy& energy = energy_of(*trial);
      const bool is_first = trial == front.front();
      table.add_row(
          {fronts.size() > 1 ? size_label(trial->problem) : "", id(*trial), time_text(median_ns(*trial)),
           is_first ? "" : percent_text(median_ns(*trial) / median_ns(first) - 1), energy_text(energy),
           is_first ? "" : percent_text(1 - energy.mean_j / energy_of(first).mean_j),
           fmt::format("{:.0f} W", energy.watts()), per_watt_text(*trial),
           trial->kernel + ' ' + trial->configuration.text()});
    }
  }
  return table;
}

}  // namespace reports
