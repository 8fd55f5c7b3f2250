#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/json.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using measure::Verdict;
using reports::Align;
using reports::Json;

constexpr std::size_t shown_digits = 7;

std::string ratio_text(const measure::Ratio& ratio) {
  return reports::ratio_interval_text(ratio.ratio, ratio.low, ratio.high);
}

/// `12 problems (matmul 8, sum 4)`.
std::string problems_text(const std::vector<const model::TrialRecord*>& trials) {
  std::map<std::string, int> families;
  for (const model::TrialRecord* trial : trials) ++families[trial->problem.family];
  std::vector<std::string> parts;
  for (const auto& [family, count] : families) parts.push_back(fmt::format("{} {}", family, count));
  return fmt::format("{} ({})", util::counted(trials.size(), "problem"), fmt::join(parts, ", "));
}

/// What two environments differ in: `method standard-3 (A), complete-2 (B)`.
std::string difference_text(const model::Environment& a, const model::Environment& b) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::string& of_a, const std::string& of_b) {
    if (of_a != of_b) parts.push_back(fmt::format("{} {} (A), {} (B)", name, of_a, of_b));
  };
  add("device", a.device, b.device);
  add("driver", a.driver, b.driver);
  add("toolkit", a.toolkit, b.toolkit);
  add("L2", a.l2, b.l2);
  add("method", a.method, b.method);
  add("execution", a.execution_word(), b.execution_word());
  add("clock", a.clock_text(), b.clock_text());
  add("inputs", a.inputs, b.inputs);
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// What only one side has: problems that the other has in another environment first, then the rest.
std::string only_text(const ComparedSides& sides, std::size_t columns) {
  std::map<std::string, std::vector<const model::TrialRecord*>> other_environments;  // by how they differ
  std::set<const model::TrialRecord*> told;
  for (const model::TrialRecord& a : sides.only_a) {
    for (const model::TrialRecord& b : sides.only_b) {
      if (a.problem != b.problem) continue;
      other_environments[difference_text(a.environment, b.environment)].push_back(&a);
      told.insert({&a, &b});
    }
  }
  std::string out;
  for (const auto& [difference, trials] : other_environments) {
    out += util::wrapped_text(
        fmt::format("not compared, their environments differ: {}: {}", problems_text(trials), difference),
        columns, 2);
  }
  const auto add_rest = [&](const char* name, const std::vector<model::TrialRecord>& trials) {
    std::vector<const model::TrialRecord*> rest;
    for (const model::TrialRecord& trial : trials) {
      if (!told.contains(&trial)) rest.push_back(&trial);
    }
    if (!rest.empty())
      out += util::wrapped_text(fmt::format("only {}: {}", name, problems_text(rest)), columns, 2);
  };
  add_rest("A", sides.only_a);
  add_rest("B", sides.only_b);
  return out;
}

Json only_json(const std::vector<model::TrialRecord>& trials) {
  Json out = Json::array();
  for (const model::TrialRecord& trial : trials) out.push_back(reports::trial_json(trial, {}, nullptr));
  return out;
}

Json compared_json(const Compared& compared) {
  Json out = db::json_of(compared.a.problem);
  out["environment"] = db::json_of(compared.a.environment);
  out["a"] = reports::trial_json(compared.a, {}, nullptr);
  out["b"] = reports::trial_json(compared.b, {}, nullptr);
  out["verdict"] = measure::to_string(compared.verdict);
  out["ratio"] = compared.ratio.ratio;
  out["ratio_low"] = compared.ratio.low;
  out["ratio_high"] = compared.ratio.high;
  out["how"] = compared.how;
  return out;
}

/// How the comparisons of two sides ended, all problems together.
struct CompareSummary {
  int faster = 0;  ///< at so many problems A is
  int slower = 0;
  int tied = 0;
  double mean_ratio = 1;  ///< geometric mean of the ratios; 1 where there are none
};

CompareSummary summary_of(const ComparedSides& sides) {
  CompareSummary summary;
  double logs = 0;
  for (const Compared& compared : sides.both) {
    if (compared.verdict == Verdict::faster) ++summary.faster;
    if (compared.verdict == Verdict::slower) ++summary.slower;
    if (compared.verdict == Verdict::tied) ++summary.tied;
    logs += std::log(compared.ratio.ratio);
  }
  if (!sides.both.empty()) summary.mean_ratio = std::exp(logs / static_cast<double>(sides.both.size()));
  return summary;
}

std::string summary_text(const CompareSummary& summary) {
  return fmt::format("A is faster at {}, slower at {}, tied at {}; geometric mean of A's time / B's {}\n",
                     summary.faster, summary.slower, summary.tied, reports::significant(summary.mean_ratio));
}

}  // namespace

std::string verdict_text(const Compared& compared, const reports::Screen& screen) {
  const std::string ratio = ratio_text(compared.ratio);
  const std::string verdict = compared.verdict == Verdict::tied
                                  ? fmt::format("A and B cannot be told apart: A takes {} of B's time", ratio)
                                  : fmt::format("A is {} than B: it takes {} of B's time",
                                                measure::to_string(compared.verdict), ratio);
  std::string text = util::wrapped_text(fmt::format("{} ({})", verdict, compared.how), screen, 2);
  if (!screen.colour) return text;
  const std::string_view word =
      compared.verdict == Verdict::tied ? "cannot be told apart" : measure::to_string(compared.verdict);
  const util::Tone tone =
      compared.verdict == Verdict::tied ? util::Tone::doubtful : reports::tone_of("A is", word);
  return util::with_word_painted(std::move(text), word, tone);
}

bool Limit::any_slower() const {
  return std::ranges::find(slowdowns, measure::Allowed::no, &measure::Slowdown::allowed) != slowdowns.end();
}

namespace {

/// The least slowdown that shows among samples of this noise: what an unchanged kernel might have.
double least_visible(const std::vector<double>& samples) {
  return measure::slowdowns({{samples, samples}}, 0).front().high - 1;
}

/// Why nothing is to be said of a launch that is so small; empty: it is not. One that was small and is so no
/// longer is slower.
std::string too_small(const Compared& one, bool is_undecided, double share) {
  const std::string time = reports::time_text(measurement_of(one.a).median_ns);
  if (measurement_of(one.a).includes_launch_latency)
    return fmt::format("a launch takes {}, about as long as the gap between two", time);
  if (!is_undecided || one.samples_a.empty() || one.samples_b.empty()) return "";
  const double visible = std::max(least_visible(one.samples_a), least_visible(one.samples_b));
  if (visible <= share) return "";
  return fmt::format("samples of {} scatter so that less than {} does not show", time,
                     reports::percent_text(visible));
}

}  // namespace

Limit judge(const std::vector<Compared>& compared, double share) {
  Limit limit;
  limit.share = share;
  std::vector<measure::TwoOccasions> occasions;
  for (const Compared& one : compared)
    if (!one.in_turn) occasions.push_back({one.samples_a, one.samples_b});
  const std::vector<measure::Slowdown> apart = measure::slowdowns(occasions, share);
  auto next_apart = apart.begin();
  for (const Compared& one : compared) {
    // Samples in turn know more than those of two occasions, and those of a trial that was dropped too
    // little.
    measure::Slowdown slowdown = one.in_turn ? measure::slowdown_of(one.ratio, share) : *next_apart++;
    if (!one.in_turn && (reports::is_approximate(one.a) || reports::is_approximate(one.b)))
      slowdown.allowed = measure::Allowed::undecided;
    limit.refusals.push_back(too_small(one, slowdown.allowed == measure::Allowed::undecided, share));
    if (!limit.refusals.back().empty()) slowdown.allowed = measure::Allowed::undecided;
    limit.slowdowns.push_back(slowdown);
  }
  return limit;
}

std::string limit_text(const std::vector<Compared>& compared, const Limit& limit, std::size_t columns) {
  const auto named = [&](measure::Allowed wanted) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < compared.size(); ++i) {
      const measure::Slowdown& one = limit.slowdowns[i];
      if (one.allowed != wanted || !limit.refusals[i].empty()) continue;
      names.push_back(fmt::format("{} {} {}", compared[i].a.problem.family,
                                  reports::size_label(compared[i].a.problem),
                                  reports::ratio_interval_text(one.ratio, one.low, one.high)));
    }
    return names;
  };
  const std::string share = reports::percent_text(limit.share);
  std::string out;
  const auto add = [&](const std::string& line) { out += util::wrapped_text(line, columns, 2); };
  const std::vector<std::string> slower = named(measure::Allowed::no);
  const std::vector<std::string> undecided = named(measure::Allowed::undecided);
  if (!slower.empty())
    add(fmt::format("A is surely more than {} slower: {}", share, fmt::join(slower, ", ")));
  if (!undecided.empty()) {
    add(fmt::format("undecided whether A is more than {} slower: {}; more samples of both would tell", share,
                    fmt::join(undecided, ", ")));
  }
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (limit.refusals[i].empty()) continue;
    add(fmt::format("not judged: {} {}: {}", compared[i].a.problem.family,
                    reports::size_label(compared[i].a.problem), limit.refusals[i]));
  }
  add(fmt::format("surely not more than {} slower: {} of {}", share, named(measure::Allowed::yes).size(),
                  compared.size()));
  return out;
}

namespace {

/// From `next` on the comparisons of one family in one environment; moves `next` behind them.
std::string group_text(const std::vector<Compared>& both, std::size_t& next, const reports::Screen& columns) {
  const Compared& first = both[next];
  reports::Table table({{"size", Align::right},
                        {"A"},
                        {"A's time", Align::right, false, 2},
                        {"B"},
                        {"B's time", Align::right, false, 1},
                        {"A's time / B's", Align::right},
                        {"A is"}});
  reports::LabelledTexts changes;
  for (; next < both.size() && both[next].a.environment == first.a.environment &&
         both[next].a.problem.family == first.a.problem.family;
       ++next) {
    const Compared& one = both[next];
    const std::string size = reports::size_label(one.a.problem);
    table.add_row({size, one.a.key.hex().substr(0, shown_digits), reports::marked_time(one.a),
                   one.b.key.hex().substr(0, shown_digits), reports::marked_time(one.b),
                   ratio_text(one.ratio), std::string(measure::to_string(one.verdict))});
    const bool same_kernel = one.a.kernel == one.b.kernel;
    const std::string change = same_kernel
                                   ? answers::change_text(one.a.configuration, one.b.configuration)
                                   : fmt::format("{} {} → {} {}", one.a.kernel, one.a.configuration.text(),
                                                 one.b.kernel, one.b.configuration.text());
    if (!change.empty()) reports::add_labelled(changes, size, change);
  }
  std::string out = util::wrapped_text(
      fmt::format("{}: {}", first.a.problem.family, first.a.environment.text()), columns, 2);
  out += table.fitted(columns, "--format json");
  if (!changes.empty()) out += "what B has instead of A:\n";
  return out + answers::labelled_text(changes, columns, "  ") + '\n';
}

}  // namespace

std::string compare_text(const ComparedSides& sides, const std::optional<Limit>& limit,
                         const reports::Screen& columns) {
  std::string out;
  std::size_t next = 0;
  while (next < sides.both.size()) out += group_text(sides.both, next, columns);
  out += sides.both.empty() ? "no problem was measured by both in one environment\n"
                            : util::wrapped_text(summary_text(summary_of(sides)), columns, 2);
  const bool has_latency = std::ranges::any_of(sides.both, [](const Compared& one) {
    return reports::has_latency(one.a) || reports::has_latency(one.b);
  });
  if (has_latency) out += util::wrapped_text(reports::latency_meaning, columns, 2);
  if (limit) out += limit_text(sides.both, *limit, columns);
  return out + only_text(sides, columns);
}

std::string compare_json(const ComparedSides& sides, const std::optional<Limit>& limit) {
  Json comparisons = Json::array();
  for (const Compared& compared : sides.both) comparisons.push_back(compared_json(compared));
  const CompareSummary summary = summary_of(sides);
  Json out = {{"schema_version", 2},
              {"comparisons", std::move(comparisons)},
              {"summary",
               {{"faster", summary.faster},
                {"slower", summary.slower},
                {"tied", summary.tied},
                {"mean_ratio", summary.mean_ratio}}},
              {"only_a", only_json(sides.only_a)},
              {"only_b", only_json(sides.only_b)}};
  if (limit) {
    int slower = 0;
    int undecided = 0;
    for (std::size_t i = 0; i < limit->slowdowns.size(); ++i) {
      const measure::Slowdown& one = limit->slowdowns[i];
      slower += one.allowed == measure::Allowed::no ? 1 : 0;
      undecided += one.allowed == measure::Allowed::undecided ? 1 : 0;
      out["comparisons"][i]["limit"] = {{"judged", measure::to_string(one.allowed)},
                                        {"ratio", one.ratio},
                                        {"ratio_low", one.low},
                                        {"ratio_high", one.high}};
      if (!limit->refusals[i].empty()) out["comparisons"][i]["limit"]["not_judged"] = limit->refusals[i];
    }
    out["limit"] = {{"share", limit->share}, {"slower", slower}, {"undecided", undecided}};
  }
  return reports::json_text(out);
}

}  // namespace tuner::cli
