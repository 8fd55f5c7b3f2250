#include "reports/report_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/baseline.hpp"
#include "reports/numbers.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/util/text.hpp"

namespace reports {
namespace util = tuner::util;
namespace {

using model::TrialRecord;

std::string configuration_text(const TrialRecord& trial) {
  const std::string text = trial.configuration.text();
  return text == "-" ? trial.kernel : trial.kernel + ' ' + text;
}

/// How a trial did in the final of its problem; empty where it took no part.
std::string standing_text(const ProblemSummary& problem, const TrialRecord& trial) {
  const auto* entry = standing(problem.final, trial);
  if (entry == nullptr) return "";
  // The others are held against it.
  if (entry == &problem.final->entries.front()) return "the fastest";
  return ratio_interval_text(entry->ratio, entry->ratio_low, entry->ratio_high);
}

/// The winner's time by that of the fastest of its final; `*` where there was none.
std::string by_fastest_text(const ProblemSummary& problem) {
  if (problem.best == nullptr) return "-";
  return problem.final == nullptr ? "*" : standing_text(problem, *problem.best);
}

std::string rounds_text(const ProblemSummary& problem) {
  return problem.final == nullptr ? "-" : fmt::format("{}", problem.final->rounds);
}

/// The nearest two by name, the rest by number: a cell has to stay readable where a hundred are tied.
std::string tied_text(const ProblemSummary& problem) {
  if (problem.tied.empty()) return "-";
  constexpr std::size_t shown = 2;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, problem.tied.size()); ++i) {
    if (i != 0) out += "; ";
    const TrialRecord& other = *problem.tied[i];
    out += other.kernel == problem.best->kernel ? other.configuration.text() : configuration_text(other);
    if (const std::string how = standing_text(problem, other); !how.empty()) out += ": " + how;
  }
  if (problem.tied.size() > shown) out += fmt::format("; {} more", problem.tied.size() - shown);
  return out;
}

std::string speedup_text(const ProblemSummary& problem) {
  if (problem.best != nullptr && problem.best == problem.default_trial) return "is the default";
  const std::optional<double> speedup = problem.speedup();
  if (!speedup) return "-";
  return (is_approximate(*problem.default_trial) ? "~" : "") + ratio_text(*speedup);
}

/// Position of a problem on the x axis.
double extent(const model::Problem& problem) {
  if (problem.sizes.empty()) return 0;
  double sum = 0;
  for (const model::Dimension& d : problem.sizes) sum += std::log2(static_cast<double>(d.value));
  return std::exp2(sum / static_cast<double>(problem.sizes.size()));
}

bool is_cube(const model::Problem& problem) {
  return std::all_of(problem.sizes.begin(), problem.sizes.end(),
                     [&](const model::Dimension& d) { return d.value == problem.sizes.front().value; });
}

std::string size_axis_label(const std::vector<std::pair<std::string, Trials>>& groups) {
  const model::Problem* first = nullptr;
  bool cubes = true;
  for (const auto& [name, trials] : groups) {
    for (const TrialRecord* trial : trials) {
      if (first == nullptr) first = &trial->problem;
      cubes = cubes && is_cube(trial->problem);
    }
  }
  if (first == nullptr || first->sizes.empty()) return "size";
  std::string names;
  for (const model::Dimension& d : first->sizes)
    names += (names.empty() ? "" : cubes ? " = " : ", ") + d.name;
  return cubes ? fmt::format("size ({})", names) : fmt::format("size (geometric mean of {})", names);
}

}  // namespace

Table best_table(const std::vector<ProblemSummary>& problems, const std::string& metric,
                 const std::vector<model::Ceiling>& ceilings) {
  std::vector<Field> fields = {{"kernel", "", 1}, {"configuration", "", 1}, {"time", "median time", 1}};
  if (!metric.empty()) fields.push_back({metric, "", 1});
  for (const char* name : {"interval", "registers", "occupancy", "limiter"}) fields.push_back({name, "", 1});

  Table table({{"size", Align::right}});
  for (const Field& field : fields) {
    table.add_column(field_heading(field), is_numeric(field) ? Align::right : Align::left);
  }
  const bool bound = std::any_of(problems.begin(), problems.end(), [&](const ProblemSummary& problem) {
    return problem.best != nullptr && ceiling_share(*problem.best, ceilings);
  });
  if (bound) table.add_column("of ceiling", Align::right);
  const std::vector<std::string> baselines = baseline_names(problems);
  for (const std::string& name : baselines) table.add_column(baseline_heading(name), Align::right);
  const bool has_ideas = std::any_of(problems.begin(), problems.end(), [](const ProblemSummary& problem) {
    return problem.best != nullptr && !problem.best->idea.empty();
  });
  if (has_ideas) table.add_column("idea");
  table.add_column("over default", Align::right);
  table.add_column("time / fastest", Align::right);
  table.add_column("rounds", Align::right);
  table.add_column("tied with");
  for (const ProblemSummary& problem : problems) {
    const Cell cell = problem.final == nullptr
                          ? resolve_cell(problem.trials)
                          : Cell{Cell::Kind::value, problem.best, problem.best->outcome.status};
    std::vector<std::string> row = {size_label(problem.problem)};
    for (const Field& field : fields) {
      const bool says_why = cell.kind != Cell::Kind::value && &field == &fields.front();
      row.push_back(cell.kind == Cell::Kind::value || says_why ? cell_text(cell, field) : "-");
    }
    if (bound) {
      row.push_back(cell.trial == nullptr ? "-" : ceiling_text(ceiling_share(*cell.trial, ceilings)));
    }
    for (const std::string& name : baselines)
      row.push_back(baseline_text(name, problem.baselines, cell.trial, problem.final));
    if (has_ideas) row.push_back(cell.trial == nullptr || cell.trial->idea.empty() ? "-" : cell.trial->idea);
    row.insert(row.end(),
               {speedup_text(problem), by_fastest_text(problem), rounds_text(problem), tied_text(problem)});
    table.add_row(std::move(row));
  }
  return table;
}

std::string final_text(const std::vector<ProblemSummary>& problems) {
  const auto has_final = [](const ProblemSummary& problem) { return problem.final != nullptr; };
  const auto finals = std::count_if(problems.begin(), problems.end(), has_final);
  if (finals == 0) return "";
  const auto is_old = [](const ProblemSummary& problem) { return problem.final && problem.newcomers > 0; };
  const auto old = std::count_if(problems.begin(), problems.end(), is_old);
  std::string out = fmt::format(
      "Re-measured at {} of {} sizes: the best were sampled in turn after they had raced, and times are from "
      "those "
      "rounds. Chosen: {}. Time / fastest comes with its 95 % interval.",
      finals, problems.size(), model::final_rule);
  if (old > 0) out += fmt::format(" At {} of them it knows nothing of some trials nearby.", old);
  return out;
}

Table spread_table(const std::vector<ProblemSummary>& problems) {
  Table table({{"size", Align::right},
               {"trials", Align::right},
               {"fastest", Align::right},
               {"slowest", Align::right},
               {"ratio", Align::right},
               {"slowest configuration"}});
  const Field time{"time", "", 1};
  for (const ProblemSummary& problem : problems) {
    if (problem.best == nullptr) continue;
    const TrialRecord& slowest = *problem.slowest;
    const TrialRecord& quickest = *fastest(problem.trials);
    const std::string ratio = ratio_text(median_ns(slowest) / median_ns(quickest));
    table.add_row({size_label(problem.problem), fmt::format("{}", problem.trials.size()),
                   field_text(quickest, time), field_text(slowest, time),
                   (is_approximate(slowest) ? "~" : "") + ratio, configuration_text(slowest)});
  }
  return table;
}

Chart size_chart(const std::string& title, const std::vector<std::pair<std::string, Trials>>& groups,
                 const Field& value) {
  Chart chart{title, size_axis_label(groups), field_heading(value), {}};
  for (const auto& [name, trials] : groups) {
    std::map<std::int64_t, std::map<double, Trials>> by_padding;
    for (const TrialRecord* trial : trials)
      by_padding[trial->problem.row_padding][extent(trial->problem)].push_back(trial);
    for (const auto& [padding, by_extent] : by_padding) {
      Series series{padding == 0 ? name : fmt::format("{} pad {}", name, padding), {}};
      for (const auto& [x, at_size] : by_extent) {
        const Cell cell = resolve_cell(at_size);
        if (cell.kind != Cell::Kind::value) continue;
        const double y = field_number(*cell.trial, value);
        if (std::isfinite(y)) series.points.push_back({x, y, is_approximate(*cell.trial)});
      }
      if (!series.points.empty()) chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

Table failure_table(const std::vector<FailureSummary>& failures) {
  Table table({{"status"}, {"trials", Align::right}, {"example"}, {"reason"}});
  for (const FailureSummary& failure : failures) {
    table.add_row({std::string(model::to_string(failure.status)), fmt::format("{}", failure.count),
                   trial_text(*failure.example), util::one_line(reason(*failure.example), 120)});
  }
  return table;
}

std::string trial_text(const TrialRecord& trial) {
  return fmt::format("{} at {}", configuration_text(trial), size_label(trial.problem));
}

}  // namespace reports
