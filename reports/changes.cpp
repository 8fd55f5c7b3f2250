#include "reports/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace reports {
namespace {

using model::Assignment;
using model::TrialRecord;

Trials winners(const std::vector<ProblemSummary>& problems) {
  Trials found;
  for (const ProblemSummary& problem : problems) {
    if (problem.best != nullptr) found.push_back(problem.best);
  }
  return found.size() < 2 ? Trials{} : found;
}

std::string assignment_text(const Assignment& one) {
  return fmt::format("{}={}", one.name, one.value.text());
}

bool all_have(const Trials& trials, const Assignment& one) {
  return std::all_of(trials.begin(), trials.end(), [&](const TrialRecord* trial) {
    const model::Value* value = trial->configuration.find(one.name);
    return value != nullptr && *value == one.value;
  });
}

/// Names of parameters that have one value throughout.
std::set<std::string> common_names(const Trials& trials) {
  std::set<std::string> names;
  for (const Assignment& one : trials.front()->configuration.assignments()) {
    if (all_have(trials, one)) names.insert(one.name);
  }
  return names;
}

/// Of another kernel its name is enough: its values are not held against the row above.
std::string difference(const TrialRecord& above, const TrialRecord& trial) {
  if (above.kernel != trial.kernel) return trial.kernel;
  constexpr int most_told = 6;  // the rest stands in the list of configurations
  std::string text;
  int changes = 0;
  for (const Assignment& one : trial.configuration.assignments()) {
    const model::Value* before = above.configuration.find(one.name);
    if (before != nullptr && *before == one.value) continue;
    if (++changes > most_told) continue;
    const std::string from = before == nullptr ? "" : before->text() + " ";
    text += fmt::format("{}{} {}→ {}", text.empty() ? "" : ", ", one.name, from, one.value.text());
  }
  if (changes > most_told) text += fmt::format(", {} more", changes - most_told);
  return text.empty() ? "as above" : text;
}

/// Of what its spec says that the problem asks for; 0: it does not say.
double rate(const TrialRecord& trial) {
  const model::Workload& work = trial.workload;
  return (work.operations > 0 ? work.operations : work.bytes) / median_ns(trial);
}

double log_volume(const TrialRecord& trial) {
  double sum = 0;
  for (const model::Dimension& d : trial.problem.sizes) sum += std::log(static_cast<double>(d.value));
  return sum;
}

bool is_near(const TrialRecord& a, const TrialRecord& b) {
  if (a.problem.row_padding != b.problem.row_padding || a.problem.sizes.size() != b.problem.sizes.size())
    return false;
  for (std::size_t d = 0; d < a.problem.sizes.size(); ++d) {
    const std::int64_t one = a.problem.sizes[d].value;
    const std::int64_t other = b.problem.sizes[d].value;
    if (one > 2 * other || other > 2 * one) return false;
  }
  return true;
}

/// Its rate by the one that lies between its neighbours': straight lines between logarithms.
std::optional<double> beside_neighbours(const TrialRecord& trial, const Trials& trials) {
  const double here = log_volume(trial);
  const TrialRecord* below = nullptr;
  const TrialRecord* above = nullptr;
  for (const TrialRecord* other : trials) {
    if (!is_near(trial, *other)) continue;
    const double there = log_volume(*other);
    if (there < here && (below == nullptr || there > log_volume(*below))) below = other;
    if (there > here && (above == nullptr || there < log_volume(*above))) above = other;
  }
  if (below == nullptr || above == nullptr || rate(trial) <= 0) return std::nullopt;
  const double part = (here - log_volume(*below)) / (log_volume(*above) - log_volume(*below));
  const double between = std::exp(std::log(rate(*below)) * (1 - part) + std::log(rate(*above)) * part);
  return rate(trial) / between;
}

bool any_beside(const Trials& trials) {
  return std::any_of(trials.begin(), trials.end(),
                     [&](const TrialRecord* trial) { return beside_neighbours(*trial, trials).has_value(); });
}

std::string beside_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:+.1f} %", 100 * (*ratio - 1)) : "-";
}

}  // namespace

std::string common_text(const std::vector<ProblemSummary>& problems) {
  const Trials trials = winners(problems);
  if (trials.empty()) return "";
  const std::set<std::string> common = common_names(trials);
  std::string text;
  for (const Assignment& one : trials.front()->configuration.assignments()) {
    if (common.contains(one.name)) text += (text.empty() ? "" : " ") + assignment_text(one);
  }
  return text.empty() ? "They have no value in common." : fmt::format("All of them have {}.", text);
}

Table change_table(const std::vector<ProblemSummary>& problems) {
  const Trials trials = winners(problems);
  if (trials.empty()) return {};
  Table table({{"size", Align::right}, {"what is different"}});
  const bool beside = any_beside(trials);
  if (beside) table.add_column("beside its neighbours", Align::right);
  const TrialRecord* above = nullptr;
  for (const TrialRecord* trial : trials) {
    std::vector<std::string> row = {size_label(trial->problem),
                                    above == nullptr ? trial->kernel : difference(*above, *trial)};
    if (beside) row.push_back(beside_text(beside_neighbours(*trial, trials)));
    table.add_row(std::move(row));
    above = trial;
  }
  return table;
}

std::string neighbours_note(const std::vector<ProblemSummary>& problems) {
  const Trials trials = winners(problems);
  if (trials.empty() || !any_beside(trials)) return "";
  return "Beside its neighbours: its rate against what lies between the sizes below and above, none of whose "
         "dimensions is beyond twice or half of its own. Edges, odd sizes and a last wave of blocks cost "
         "what "
         "is missing there.";
}

}  // namespace reports
