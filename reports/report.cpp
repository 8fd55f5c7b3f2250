#include "reports/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "reports/findings.hpp"
#include "reports/text.hpp"

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

/// What its spec says that the problem asks for.
using Asked = double model::Workload::*;

double rate(const TrialRecord& trial, Asked asked) {
  return trial.workload.*asked / median_ns(trial);
}

/// What the spec says of all three; null: there is nothing.
Asked asked_of(const TrialRecord& a, const TrialRecord& b, const TrialRecord& c) {
  for (const Asked asked : {&model::Workload::operations, &model::Workload::bytes})
    if (a.workload.*asked > 0 && b.workload.*asked > 0 && c.workload.*asked > 0) return asked;
  return nullptr;
}

double log_volume(const TrialRecord& trial) {
  double sum = 0;
  for (const model::Dimension& d : trial.problem.sizes) sum += std::log(static_cast<double>(d.value));
  return sum;
}

bool is_near(const TrialRecord& a, const TrialRecord& b) {
  if (a.problem.row_padding != b.problem.row_padding) return false;
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
  const Asked asked = below == nullptr || above == nullptr ? nullptr : asked_of(*below, trial, *above);
  if (asked == nullptr) return std::nullopt;
  const double part = (here - log_volume(*below)) / (log_volume(*above) - log_volume(*below));
  const double between =
      std::exp(std::log(rate(*below, asked)) * (1 - part) + std::log(rate(*above, asked)) * part);
  return rate(trial, asked) / between;
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
  const model::Configuration common(common_assignments(trials));
  return common.assignments().empty() ? "They have no value in common."
                                      : fmt::format("All of them have {}.", common.text());
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

namespace {

std::string statuses_text(const Tally& tally) {
  std::string counts;
  for (const auto& [status, count] : tally.statuses) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, model::to_string(status));
  }
  return fmt::format("{}: {}", tally.trials(), counts);
}

std::string measured_text(const Tally& tally) {
  if (tally.first.empty()) return "";
  const std::string first = second_text(tally.first);
  const std::string last = second_text(tally.last);
  return first == last ? first : first + " to " + last;
}

/// What the runs know of the environment's device; the environment itself has only its name.
std::string device_text(const ReportInput& input, const model::Environment& c) {
  const auto found = std::find_if(input.runs.begin(), input.runs.end(), [&](const model::RunRecord& run) {
    return run.device.name == c.device && run.device.driver == c.driver;
  });
  if (found == input.runs.end()) return c.device;
  const model::DeviceInfo& device = found->device;
  std::string out = c.device;
  if (!device.architecture.empty()) out += ", " + device.architecture;
  if (device.limits.multiprocessors > 0)
    out += fmt::format(", {} multiprocessors", device.limits.multiprocessors);
  if (device.memory_bytes > 0) out += ", " + bytes_text(device.memory_bytes);
  return out;
}

/// Those that bound trials of the environment: of its type, or of none in particular.
std::string ceilings_text(const ReportInput& input, const model::Environment& c) {
  std::string out;
  for (const model::Ceiling& ceiling : input.ceilings) {
    if (ceiling.device != c.device || (ceiling.kind == "arithmetic" && ceiling.type != c.type)) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", ceiling.kind, ceiling_value_text(ceiling));
  }
  return out;
}

/// What the columns of baselines mean, and which versions they are of.
std::string libraries_text(const std::vector<ProblemSummary>& problems) {
  const std::string note = baseline_note(baseline_names(problems));
  if (note.empty()) return "";
  std::set<std::string> versions;
  for (const ProblemSummary& problem : problems) {
    for (const TrialRecord* baseline : problem.baselines) {
      if (!baseline->outcome.detail.empty()) versions.insert(baseline->outcome.detail);
    }
  }
  return versions.empty() ? note + "." : fmt::format("{}. {}.", note, fmt::join(versions, "; "));
}

void add_searches(const std::vector<ProblemSummary>& problems, Document& document) {
  std::vector<LabelledSearch> searches;
  for (const ProblemSummary& problem : problems)
    searches.emplace_back(size_label(problem.problem), problem.searched);
  if (std::string text = searched_summary(searches); !text.empty())
    document.add(Facts{{{"searched", std::move(text)}}});
}

void add_changes(const std::string& family, const std::vector<ProblemSummary>& problems, Document& document) {
  Table changes = change_table(problems);
  if (changes.empty()) return;
  document.add(Heading{3, family + ": what changes with the size"});
  document.add(Paragraph{common_text(problems)});
  document.add_table(std::move(changes));
  if (const std::string note = neighbours_note(problems); !note.empty()) document.add(Paragraph{note});
}

/// Of each size the first of what binds its best, and what to try against it. JSON and the page have all.
void add_explanations(const ReportInput& input, const std::string& family,
                      const std::vector<ProblemSummary>& problems, Document& document) {
  constexpr double least_weight = 0.2;
  Facts facts;
  for (const ProblemSummary& problem : problems) {
    const auto found =
        problem.best == nullptr ? input.explanations.end() : input.explanations.find(problem.best->key);
    if (found == input.explanations.end() || found->second.empty()) continue;
    const tuner::explain::Finding& first = found->second.front();
    if (first.about != tuner::explain::About::binds || first.weight < least_weight) continue;
    add_labelled(facts.entries, size_label(problem.problem),
                 first.next.empty() ? first.text : fmt::format("{} → {}", first.text, first.next));
  }
  if (facts.entries.empty()) return;
  document.add(Heading{3, family + ": what binds the best"});
  document.add(std::move(facts));
}

void add_energy(const ReportInput& input, const std::string& family,
                const std::vector<ProblemSummary>& problems, Document& document) {
  std::vector<Trials> fronts;
  for (const ProblemSummary& problem : problems)
    if (Trials front = energy_front(problem.trials); !front.empty()) fronts.push_back(std::move(front));
  if (fronts.empty()) return;
  document.add(Heading{3, family + ": what saving energy costs"});
  document.add_table(front_table(
      fronts, [&](const TrialRecord& trial) { return trial.key.hex().substr(0, input.id_digits); }));
}

void add_family(const ReportInput& input, const FamilyGroup& group, Document& document) {
  const auto& [family, trials] = group;
  const std::string metric = first_metric(trials);
  const Field value{metric.empty() ? "time_ms" : metric, "", 1};
  const std::vector<ProblemSummary> problems = by_problem(trials, input.answers, input.unnamed);

  document.add(Heading{3, family + ": best per size"});
  if (const std::string text = headline(problems, input.ceilings); !text.empty())
    document.add(Paragraph{text});
  document.add_table(best_table(problems, metric, input.ceilings, input.id_digits));
  std::vector<std::pair<const model::Problem*, double>> in_turn;
  for (const ProblemSummary& problem : problems)
    if (problem.is_off_clock) in_turn.emplace_back(&problem.problem, problem.in_turn_ns);
  if (const std::string note = clock_note(in_turn); !note.empty()) document.add(Paragraph{note + "."});
  if (const std::string text = final_text(problems); !text.empty()) document.add(Paragraph{text});
  if (const std::string text = libraries_text(problems); !text.empty()) document.add(Paragraph{text});

  document.add(Heading{4, family + ": configurations, and all figures of the best"});
  document.add(configurations(problems));
  document.add_table(times_table(problems, metric, input.id_digits));
  document.add_table(resources_table(problems));

  add_energy(input, family, problems, document);
  add_explanations(input, family, problems, document);
  add_searches(problems, document);
  add_changes(family, problems, document);

  std::vector<std::pair<std::string, Trials>> kernels;
  for (const std::string& kernel : kernel_names(trials)) {
    kernels.emplace_back(kernel, select(trials, [&](const TrialRecord& t) { return t.kernel == kernel; }));
  }
  document.add_figure(family + ' ' + field_heading(value),
                      size_chart(family + ": the best of each kernel", kernels, value));
  document.add(Heading{4, family + ": every kernel by size and parameter"});
  for (const auto& [kernel, own] : kernels) {
    for (const std::string& pivot : choose_pivots(own, input.pivot)) {
      document.add(Paragraph{
          fmt::format("{}: {} by size{}", kernel, field_heading(value), pivot.empty() ? "" : " × " + pivot)});
      document.add_table(pivot_table(own, pivot, value));
    }
  }

  Table spread = spread_table(problems, input.id_digits);
  if (spread.empty()) return;
  document.add(Heading{3, family + ": fastest and slowest"});
  document.add_table(std::move(spread));
}

void add_failures(const Trials& trials, const Tally& unnamed, std::size_t id_digits, Document& document) {
  const std::vector<FailureSummary> found = failures(trials, unnamed);
  if (found.empty()) return;
  document.add(Heading{3, "Failures"});
  document.add_table(failure_table(found, id_digits));
  Facts examples;
  for (const FailureSummary& failure : found)
    examples.entries.emplace_back(failure.example->key.hex().substr(0, id_digits),
                                  trial_text(*failure.example));
  document.add(std::move(examples));
  for (const FailureSummary& failure : found) {
    const TrialRecord& example = *failure.example;
    const std::string& whole = example.outcome.detail.empty() ? example.compile_log : example.outcome.detail;
    if (whole == reason(example)) continue;
    document.add(Paragraph{fmt::format("{}, {}:", model::to_string(failure.status), trial_text(example))});
    document.add(Code{first_lines(whole, 12)});
  }
}

void add_environment(const ReportInput& input, const EnvironmentGroup& group, Document& document) {
  const model::Environment& c = group.environment;
  const Tally tally = tally_of(group, input.unnamed);
  document.add(Heading{2, c.text()});
  Facts facts{{{"device", device_text(input, c)},
               {"driver", c.driver},
               {"toolkit", c.toolkit},
               {"measured", measured_text(tally)},
               {"trials", statuses_text(tally)},
               {"ceilings", ceilings_text(input, c)}}};
  std::erase_if(facts.entries, [](const auto& entry) { return entry.second.empty(); });
  document.add(Heading{4, "device, driver, trials and ceilings"});
  document.add(std::move(facts));

  for (const FamilyGroup& family : by_family(group.trials)) add_family(input, family, document);
  add_failures(group.trials, tally_of({c, {}}, input.unnamed), input.id_digits, document);
}

}  // namespace

void add_introduction(const ReportInput& input, std::size_t environments, Document& document) {
  if (!input.generated_at.empty()) document.add(Paragraph{"Generated at " + input.generated_at + "."});
  for (const std::string& note : input.notes) document.add(Paragraph{note});
  if (environments == 0) document.add(Paragraph{"There are no trials to report."});
  if (environments > 1) {
    document.add(
        Paragraph{fmt::format("The trials are from {} environments, a section each. Times of different "
                              "environments do not compare.",
                              environments)});
  }
}

void add_commands(const ReportInput& input, Document& document) {
  std::vector<const model::RunRecord*> runs;
  for (const model::RunRecord& run : input.runs) runs.push_back(&run);
  std::sort(runs.begin(), runs.end(), [](const auto* a, const auto* b) {
    return std::tie(a->started_at, a->id) < std::tie(b->started_at, b->id);
  });
  std::string text;
  std::set<std::string> seen;
  for (const model::RunRecord* run : runs) {
    if (!run->command_line.empty() && seen.insert(run->command_line).second) text += run->command_line + '\n';
  }
  if (!input.command.empty()) text += input.command + '\n';
  if (text.empty()) return;
  document.add(Heading{2, "Reproduce"});
  document.add(Code{std::move(text)});
}

Document build_report(const ReportInput& input) {
  Document document{input.title, {}};
  const std::vector<EnvironmentGroup> environments = by_environment(view(input.trials));
  add_introduction(input, environments.size(), document);
  if (!environments.empty()) document.add(Contents{});
  for (const EnvironmentGroup& group : environments) add_environment(input, group, document);
  add_commands(input, document);
  return document;
}

}  // namespace reports
