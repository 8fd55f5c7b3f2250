#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "reports/findings.hpp"
#include "reports/report.hpp"
#include "reports/text.hpp"
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
  if (problem.best == nullptr || is_approximate(*problem.best)) return "-";
  return problem.final == nullptr ? "*" : standing_text(problem, *problem.best);
}

/// The one to use, or why there is none.
Cell best_cell(const ProblemSummary& problem) {
  if (problem.best == nullptr) return resolve_cell(problem.trials);
  return {Cell::Kind::value, problem.best, problem.best->outcome.status};
}

/// The least and the most of what was seen.
class Range {
 public:
  void add(double value) {
    m_low = m_count > 0 ? std::min(m_low, value) : value;
    m_high = m_count > 0 ? std::max(m_high, value) : value;
    ++m_count;
  }
  std::size_t count() const { return m_count; }
  /// `1.08× to 1.53×`; one where both read alike.
  std::string text(std::string (*write)(double)) const {
    const std::string low = write(m_low);
    const std::string high = write(m_high);
    return low == high ? low : low + " to " + high;
  }

 private:
  std::size_t m_count = 0;
  double m_low = 0;
  double m_high = 0;
};

std::string rounds_text(const ProblemSummary& problem) {
  return problem.final == nullptr ? "-" : fmt::format("{}", problem.final->rounds);
}

/// The nearest two, the rest by number: a cell has to stay readable where a hundred are tied.
std::string tied_text(const ProblemSummary& problem, std::size_t id_digits) {
  if (problem.tied.empty()) return "-";
  constexpr std::size_t shown = 2;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, problem.tied.size()); ++i) {
    if (i != 0) out += "; ";
    out += problem.tied[i]->key.hex().substr(0, id_digits);
    if (const std::string how = standing_text(problem, *problem.tied[i]); !how.empty()) out += ": " + how;
  }
  if (problem.tied.size() > shown) out += fmt::format("; {} more", problem.tied.size() - shown);
  return out;
}

std::string speedup_text(const ProblemSummary& problem) {
  if (problem.best != nullptr && problem.best == problem.default_trial) return "is the default";
  const std::optional<double> speedup = problem.speedup();
  if (!speedup) return "-";
  const bool approximate = is_approximate(*problem.default_trial) || is_approximate(*problem.best);
  return (approximate ? "~" : "") + ratio_text(*speedup);
}

/// A column of a table with a row for each problem, behind its size.
struct ProblemColumn {
  Column column;
  std::function<std::string(const ProblemSummary&, const Cell& best)> text;
};

Table problem_table(const std::vector<ProblemSummary>& problems, const std::vector<ProblemColumn>& columns) {
  Table table({{"size", Align::right}});
  for (const ProblemColumn& one : columns)
    table.add_column(one.column.heading, one.column.align, one.column.wraps);
  for (const ProblemSummary& problem : problems) {
    const Cell best = best_cell(problem);
    std::vector<std::string> row = {size_label(problem.problem)};
    for (const ProblemColumn& one : columns) row.push_back(one.text(problem, best));
    table.add_row(std::move(row));
  }
  return table;
}

/// The field of the one to use. `says_why`: or why there is none.
ProblemColumn field_column(const Field& field, bool says_why = false) {
  return {{field_heading(field), is_numeric(field) ? Align::right : Align::left},
          [=](const ProblemSummary&, const Cell& best) {
            return best.trial != nullptr || says_why ? cell_text(best, field) : "-";
          }};
}

/// What `text` makes of the one to use.
template <class Text>
ProblemColumn best_column(Column column, const Text& text) {
  return {std::move(column), [=](const ProblemSummary&, const Cell& best) {
            return best.trial == nullptr ? "-" : text(*best.trial);
          }};
}

ProblemColumn speedup_column() {
  return {{"over default", Align::right},
          [](const ProblemSummary& problem, const Cell&) { return speedup_text(problem); }};
}

/// How the one to use compares with a library.
ProblemColumn library_column(const std::string& name, bool with_interval) {
  return {{baseline_heading(name), Align::right}, [=](const ProblemSummary& problem, const Cell& best) {
            const std::string text = baseline_text(name, problem.baselines, best.trial, problem.final);
            return with_interval ? text : text.substr(0, text.find(" ("));
          }};
}

bool any_has_ceiling(const std::vector<ProblemSummary>& problems,
                     const std::vector<model::Ceiling>& ceilings) {
  return std::any_of(problems.begin(), problems.end(), [&](const ProblemSummary& problem) {
    return problem.best != nullptr && ceiling_share(*problem.best, ceilings);
  });
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

std::string headline(const std::vector<ProblemSummary>& problems,
                     const std::vector<model::Ceiling>& ceilings) {
  Range over_default;
  std::map<std::string, Range> over_library, of_ceiling;
  std::size_t answered = 0;
  std::size_t in_turn = 0;
  std::size_t approximate = 0;
  std::size_t tied = 0;
  for (const ProblemSummary& problem : problems) {
    if (problem.best == nullptr) continue;
    ++answered;
    in_turn += problem.final != nullptr ? 1 : 0;
    approximate += is_approximate(*problem.best) ? 1 : 0;
    tied += problem.tied.empty() ? 0 : 1;
    if (const auto speedup = problem.speedup()) over_default.add(*speedup);
    if (const auto bound = ceiling_share(*problem.best, ceilings))
      of_ceiling[bound->ceiling->kind].add(bound->fraction);
    for (const TrialRecord* library : problem.baselines)
      over_library[library->kernel].add(model::baseline_ratio(*library, *problem.best, problem.final).ratio);
  }
  if (answered == 0) return "";
  std::vector<std::string> parts;
  const auto say = [&](const Range& range, std::string (*write)(double), const std::string& of_what) {
    if (range.count() == 0) return;
    const bool is_at_all = range.count() == answered;
    parts.push_back(range.text(write) + of_what + (is_at_all ? "" : fmt::format(" (at {})", range.count())));
  };
  for (const auto& [name, range] : over_library) say(range, ratio_text, " the speed of " + name);
  say(over_default, ratio_text, " the speed of the default configuration");
  for (const auto& [kind, range] : of_ceiling)
    say(range, percent_text, " of the device's " + kind + " ceiling");
  std::string out = fmt::format("At {} {}", answered, answered == 1 ? "size" : "sizes");
  out += parts.empty() ? " there is a best configuration."
                       : fmt::format(" the best runs at {}.", fmt::join(parts, ", "));
  const bool is_one = answered == 1;
  const auto at = [&](std::size_t sizes) {
    return is_one ? "" : fmt::format("at {} {} ", sizes, sizes == 1 ? "size" : "sizes");
  };
  if (in_turn == answered) {
    out += is_one ? " It was measured again, in turn with its rivals"
                  : " All of them were measured again, in turn with their rivals";
  } else if (in_turn == 0) {
    out += is_one ? " It was not measured again in turn with its rivals, so its time is optimistic"
                  : " None of them was measured again in turn with its rivals, so the times are optimistic";
  } else {
    out += fmt::format(
        " At {} of them it was measured again, in turn with its rivals; the others' times are optimistic",
        in_turn);
  }
  if (approximate > 0) {
    out += fmt::format(
        "; {}it was dropped early for a rival outside of this report, or out of the race, and its time is "
        "approximate",
        at(approximate));
  }
  out += tied == 0 ? ", and none is tied."
                   : fmt::format("; {}another configuration cannot be told from it.", at(tied));
  return out;
}

Table best_table(const std::vector<ProblemSummary>& problems, const std::string& metric,
                 const std::vector<model::Ceiling>& ceilings, std::size_t id_digits) {
  std::vector<ProblemColumn> columns = {
      best_column({"kernel"}, [](const TrialRecord& best) { return best.kernel; }),
      {{"median time", Align::right}, [](const ProblemSummary& problem, const Cell& best) {
         return cell_text(best, Field{"time", "", 1}) + (by_fastest_text(problem) == "*" ? " *" : "") +
                (problem.is_off_clock ? " ‡" : "") + (problem.is_settled ? "" : " unsettled");
       }}};
  if (!metric.empty()) columns.push_back(field_column({metric, "", 1}));
  for (const std::string& name : baseline_names(problems)) columns.push_back(library_column(name, false));
  const bool has_default = std::any_of(problems.begin(), problems.end(), [](const ProblemSummary& problem) {
    return problem.default_trial != nullptr;
  });
  if (has_default) columns.push_back(speedup_column());
  if (any_has_ceiling(problems, ceilings)) {
    columns.push_back(best_column({"of ceiling", Align::right}, [&](const TrialRecord& best) {
      return (is_approximate(best) ? "~" : "") + ceiling_text(ceiling_share(best, ceilings));
    }));
  }
  columns.push_back({{"tied", Align::right}, [](const ProblemSummary& problem, const Cell&) {
                       return fmt::format("{}", problem.tied.size());
                     }});
  columns.push_back(
      best_column({"trial"}, [=](const TrialRecord& best) { return best.key.hex().substr(0, id_digits); }));
  return problem_table(problems, columns);
}

Facts configurations(const std::vector<ProblemSummary>& problems) {
  Facts facts;
  for (const ProblemSummary& problem : problems) {
    if (problem.best != nullptr)
      add_labelled(facts.entries, size_label(problem.problem), configuration_text(*problem.best));
  }
  return facts;
}

Table times_table(const std::vector<ProblemSummary>& problems, const std::string& metric,
                  std::size_t id_digits) {
  std::vector<ProblemColumn> columns = {field_column({"kernel", "", 1}, true),
                                        field_column({"time", "median time", 1})};
  if (!metric.empty()) columns.push_back(field_column({metric, "", 1}));
  columns.push_back(field_column({"interval", "", 1}));
  const bool has_origins = std::any_of(problems.begin(), problems.end(), [](const ProblemSummary& problem) {
    return problem.best != nullptr && !problem.best->origin.empty();
  });
  if (has_origins) {
    columns.push_back(best_column(
        {"origin"}, [](const TrialRecord& best) { return best.origin.empty() ? "-" : best.origin; }));
  }
  const auto add = [&](Column column, auto text) {
    columns.push_back(
        {std::move(column), [=](const ProblemSummary& problem, const Cell&) { return text(problem); }});
  };
  add({"time / fastest", Align::right}, by_fastest_text);
  const auto bits = [](const ProblemSummary& problem) {
    return problem.best == nullptr ? "" : bits_text(*problem.best, problem.default_trial);
  };
  if (std::any_of(problems.begin(), problems.end(),
                  [&](const auto& problem) { return !bits(problem).empty(); }))
    add({"bits"}, [=](const ProblemSummary& problem) { return bits(problem).empty() ? "-" : bits(problem); });
  add({"rounds", Align::right}, rounds_text);
  add({"tied with"}, [=](const ProblemSummary& problem) { return tied_text(problem, id_digits); });
  return problem_table(problems, columns);
}

Table resources_table(const std::vector<ProblemSummary>& problems) {
  std::vector<ProblemColumn> columns;
  for (const char* field : {"registers", "occupancy", "limiter"})
    columns.push_back(field_column({field, "", 1}));
  for (const std::string& name : baseline_names(problems)) columns.push_back(library_column(name, true));
  columns.push_back(speedup_column());
  return problem_table(problems, columns);
}

std::string final_text(const std::vector<ProblemSummary>& problems) {
  const auto has_final = [](const ProblemSummary& problem) { return problem.final != nullptr; };
  const auto finals = std::count_if(problems.begin(), problems.end(), has_final);
  if (finals == 0) return "";
  const auto is_old = [](const ProblemSummary& problem) { return problem.final && problem.newcomers > 0; };
  const auto old = std::count_if(problems.begin(), problems.end(), is_old);
  std::string out = fmt::format(
      "Measured again at {} of {}. There the best trials took turns after the race, and the times are "
      "from these turns. Which one is chosen: {}. The column “time / fastest” is a ratio with its 95 % "
      "interval.",
      finals, util::counted(problems.size(), "size"), model::final_rule);
  if (old > 0)
    out +=
        fmt::format(" At {} of them some trials that are nearly as fast came later and took no part.", old);
  return out;
}

Table spread_table(const std::vector<ProblemSummary>& problems, std::size_t id_digits) {
  Table table({{"size", Align::right},
               {"trials", Align::right},
               {"fastest", Align::right},
               {"slowest", Align::right},
               {"ratio", Align::right},
               {"slowest trial"}});
  const Field time{"time", "", 1};
  for (const ProblemSummary& problem : problems) {
    if (problem.best == nullptr) continue;
    const TrialRecord& slowest = *problem.slowest;
    const TrialRecord& quickest = *resolve_cell(problem.trials).trial;
    const std::string ratio = ratio_text(median_ns(slowest) / median_ns(quickest));
    table.add_row({size_label(problem.problem),
                   fmt::format("{}", std::ssize(problem.trials) + problem.unnamed),
                   field_text(quickest, time), field_text(slowest, time),
                   (is_approximate(slowest) || is_approximate(quickest) ? "~" : "") + ratio,
                   slowest.kernel + ' ' + slowest.key.hex().substr(0, id_digits)});
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

Table failure_table(const std::vector<FailureSummary>& failures, std::size_t id_digits) {
  Table table({{"status"}, {"trials", Align::right}, {"example"}, {"of"}, {"reason"}});
  for (const FailureSummary& failure : failures) {
    table.add_row({std::string(model::to_string(failure.status)), fmt::format("{}", failure.count),
                   failure.example->key.hex().substr(0, id_digits),
                   fmt::format("{} at {}", failure.example->kernel, size_label(failure.example->problem)),
                   util::one_line(reason(*failure.example), 120)});
  }
  return table;
}

std::string trial_text(const TrialRecord& trial) {
  return fmt::format("{} at {}", configuration_text(trial), size_label(trial.problem));
}

}  // namespace reports
