#include "reports/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "reports/text.hpp"

namespace reports {
namespace {

constexpr std::array<std::pair<double, const char*>, 4> units = {
    {{1, "J"}, {1e-3, "mJ"}, {1e-6, "µJ"}, {1e-9, "nJ"}}};

std::pair<double, const char*> joule_unit(double joules) {
  const auto found = std::ranges::find_if(units, [&](const auto& unit) { return joules >= unit.first; });
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
