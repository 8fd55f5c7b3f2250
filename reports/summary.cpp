#include "reports/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <tuple>

#include "tuner/util/text.hpp"

namespace reports {
namespace util = tuner::util;
namespace {

using model::TrialRecord;

const model::Measurement* measurement(const TrialRecord& trial) {
  return trial.outcome.measurement ? &*trial.outcome.measurement : nullptr;
}

int register_count(const TrialRecord& trial) {
  return trial.resources ? trial.resources->registers : 0;
}

/// Equal speed: what leaves more of the multiprocessor to others comes first.
bool faster(const TrialRecord* a, const TrialRecord* b) {
  const auto key = [](const TrialRecord* t) {
    return std::make_tuple(median_ns(*t), register_count(*t), t->block.count());
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return std::make_tuple(a->kernel, a->configuration.text()) <
         std::make_tuple(b->kernel, b->configuration.text());
}

const TrialRecord* first_of(const Trials& trials, bool (*eligible)(const TrialRecord&)) {
  const TrialRecord* best = nullptr;
  for (const TrialRecord* trial : trials) {
    if (eligible(*trial) && (best == nullptr || faster(trial, best))) best = trial;
  }
  return best;
}

const TrialRecord* with_key(const Trials& trials, const model::Digest& key) {
  const auto found =
      std::find_if(trials.begin(), trials.end(), [&](const TrialRecord* trial) { return trial->key == key; });
  return found == trials.end() ? nullptr : *found;
}

bool may_win(const TrialRecord& trial) {
  return model::may_win(trial.role);
}

ProblemSummary summarize(const model::Problem& problem, const Trials& trials,
                         const db::BestAnswers& answers) {
  ProblemSummary out;
  out.problem = problem;
  out.trials = trials;
  if (const auto* answer = answer_of(answers, problem, trials.front()->environment)) {
    out.best = with_key(trials, answer->winner.key);
    for (const db::Newcomers& newcomers : answer->newcomers) out.newcomers += newcomers.trials;
    out.in_turn_ns = answer->check.in_turn_ns;
    out.is_off_clock = answer->check.is_off_clock();
    out.is_settled = !answer->check.is_unsettled();
    out.searched = answer->searched;
    out.same_bits = answer->same_bits;
    if (answer->untuned && answer->untuned->outcome.measurement)
      out.over_default = db::times_as_long(*answer, *answer->untuned);
    if (out.best != nullptr && answer->final) out.final = &*answer->final;
    for (const TrialRecord& tied : answer->tied) {
      if (const TrialRecord* trial = with_key(trials, tied.key)) out.tied.push_back(trial);
    }
  }
  for (const TrialRecord* trial : trials) {
    if (!has_time(*trial)) continue;
    if (out.slowest == nullptr || median_ns(*trial) > median_ns(*out.slowest)) out.slowest = trial;
  }
  if (out.best == nullptr) return out;
  const auto is_default = [&](const TrialRecord* t) {
    return t->is_default && t->kernel == out.best->kernel && has_time(*t);
  };
  const auto found = std::find_if(trials.begin(), trials.end(), is_default);
  if (found != trials.end()) out.default_trial = *found;
  return out;
}

bool example_less(const TrialRecord* a, const TrialRecord* b) {
  if (a->kernel != b->kernel) return a->kernel < b->kernel;
  if (!(a->problem == b->problem)) return problem_less(a->problem, b->problem);
  return a->configuration.text() < b->configuration.text();
}

}  // namespace

void Tally::add(const TrialRecord& trial) {
  add({{{trial.outcome.status, 1}}, trial.measured_at, trial.measured_at});
}

void Tally::add(const Tally& other) {
  for (const auto& [status, count] : other.statuses) statuses[status] += count;
  if (!other.first.empty() && (first.empty() || other.first < first)) first = other.first;
  last = std::max(last, other.last);
}

std::int64_t Tally::trials() const {
  std::int64_t sum = 0;
  for (const auto& [status, count] : statuses) sum += count;
  return sum;
}

Tally tally_of(const EnvironmentGroup& group, const std::vector<Unnamed>& unnamed) {
  Tally tally;
  for (const TrialRecord* trial : group.trials) tally.add(*trial);
  for (const Unnamed& others : unnamed)
    if (others.environment == group.environment.key()) tally.add(others.tally);
  return tally;
}

void for_each_trial(const ReportInput& input, const model::Environment* environment, const Visit& visit) {
  if (input.each_trial) return input.each_trial(environment, visit);
  for (const TrialRecord& trial : input.trials)
    if (environment == nullptr || trial.environment == *environment) visit(trial);
}

Trials view(const std::vector<TrialRecord>& trials) {
  Trials out;
  out.reserve(trials.size());
  for (const TrialRecord& trial : trials) out.push_back(&trial);
  return out;
}

std::vector<EnvironmentGroup> by_environment(const Trials& trials) {
  std::map<std::tuple<std::string, model::Digest>, EnvironmentGroup> groups;
  for (const TrialRecord* trial : trials) {
    const model::Environment& c = trial->environment;
    EnvironmentGroup& group = groups[{c.text(), c.key()}];
    group.environment = c;
    group.trials.push_back(trial);
  }
  std::vector<EnvironmentGroup> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

std::vector<FamilyGroup> by_family(const Trials& trials) {
  std::map<std::string, std::map<std::string, Trials>> families;  // by kind
  for (const TrialRecord* trial : trials)
    families[trial->problem.family][trial->problem.kind()].push_back(trial);
  std::vector<FamilyGroup> out;
  for (auto& [family, kinds] : families)
    for (auto& [kind, own] : kinds) out.push_back({kinds.size() == 1 ? family : kind, std::move(own)});
  return out;
}

bool has_time(const TrialRecord& trial) {
  const bool measured =
      trial.outcome.status == model::TrialStatus::ok || trial.outcome.status == model::TrialStatus::dropped;
  // A median of nothing, as a damaged or merged database may hold one, would sort anywhere.
  return measured && measurement(trial) != nullptr && std::isfinite(median_ns(trial)) && median_ns(trial) > 0;
}

bool is_trusted(const TrialRecord& trial) {
  return model::has_trusted_time(trial.outcome.status) && has_time(trial);
}

bool is_approximate(const TrialRecord& trial) {
  return has_time(trial) && !is_trusted(trial);
}

bool has_latency(const TrialRecord& trial) {
  return trial.outcome.measurement && trial.outcome.measurement->includes_launch_latency;
}

bool is_unverified(const TrialRecord& trial) {
  return has_time(trial) && !trial.outcome.verification.checked;
}

std::string registers_text(const TrialRecord& trial) {
  return register_count(trial) > 0 ? std::to_string(register_count(trial)) : "";
}

std::string marked(const TrialRecord& trial, const std::string& text) {
  return (is_approximate(trial) ? "~" : "") + text + (has_latency(trial) ? "†" : "") +
         (is_unverified(trial) ? " unverified" : "");
}

std::string marked_time(const TrialRecord& trial) {
  return marked(trial, time_text(median_ns(trial)));
}

double median_ns(const TrialRecord& trial) {
  return measurement(trial)->median_ns;
}

const TrialRecord* fastest(const Trials& trials) {
  return first_of(trials, is_trusted);
}

const TrialRecord* fastest_approximate(const Trials& trials) {
  return first_of(trials, is_approximate);
}

std::optional<double> ProblemSummary::speedup() const {
  if (best == nullptr || default_trial == nullptr) return std::nullopt;
  return over_default ? *over_default : median_ns(*default_trial) / median_ns(*best);
}

bool problem_less(const model::Problem& a, const model::Problem& b) {
  const auto volume = [](const model::Problem& p) {
    double product = 1;  // real: three extents of 2^21 overflow an integer
    for (const model::Dimension& d : p.sizes) product *= static_cast<double>(d.value);
    return product;
  };
  const double of_a = volume(a);
  const double of_b = volume(b);
  return std::tie(a.family, a.row_padding, of_a, a.sizes, a.type) <
         std::tie(b.family, b.row_padding, of_b, b.sizes, b.type);
}

const db::BestAnswer* answer_of(const db::BestAnswers& answers, const model::Problem& problem,
                                const model::Environment& environment) {
  const auto found = std::ranges::find_if(answers, [&](const db::BestAnswer& answer) {
    return answer.problem() == problem && answer.environment() == environment;
  });
  return found == answers.end() ? nullptr : &*found;
}

const model::FinalRecord::Entry* standing(const model::FinalRecord* final, const TrialRecord& trial) {
  return final == nullptr ? nullptr : model::entry_of(*final, trial.key);
}

std::vector<ProblemSummary> by_problem(const Trials& trials, const db::BestAnswers& answers,
                                       const std::vector<Unnamed>& unnamed) {
  std::map<model::Problem, Trials, decltype(&problem_less)> groups(&problem_less);
  for (const TrialRecord* trial : trials) groups[trial->problem].push_back(trial);
  std::vector<ProblemSummary> out;
  for (const auto& [problem, group] : groups) {
    const Trials own = select(group, may_win);
    if (own.empty()) continue;
    ProblemSummary& summary = out.emplace_back(summarize(problem, own, answers));
    summary.baselines = select(group, [](const TrialRecord& t) { return !may_win(t) && is_trusted(t); });
    std::sort(summary.baselines.begin(), summary.baselines.end(), faster);
    for (const Unnamed& others : unnamed)
      if (others.problem == problem && others.environment == own.front()->environment.key())
        summary.unnamed += others.tally.trials();
  }
  return out;
}

std::vector<FailureSummary> failures(const Trials& trials, const Tally& unnamed) {
  std::map<model::TrialStatus, FailureSummary> found;
  for (const TrialRecord* trial : trials) {
    if (!model::is_failure(trial->outcome.status)) continue;
    FailureSummary& summary = found[trial->outcome.status];
    summary.status = trial->outcome.status;
    ++summary.count;
    if (summary.example == nullptr || example_less(trial, summary.example)) summary.example = trial;
  }
  for (auto& [status, summary] : found)
    if (const auto more = unnamed.statuses.find(status); more != unnamed.statuses.end())
      summary.count += more->second;
  std::vector<FailureSummary> out;
  for (const auto& [status, summary] : found) out.push_back(summary);
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  return out;
}

std::string first_metric(const Trials& trials) {
  // A metric may be undefined at a size: of one kernel that trial tells which has most of them.
  const TrialRecord* found = nullptr;
  for (const TrialRecord* trial : trials)
    if (!trial->metrics.empty() && (found == nullptr || (trial->kernel == found->kernel &&
                                                         trial->metrics.size() > found->metrics.size())))
      found = trial;
  return found == nullptr ? "" : found->metrics.begin()->first;
}

std::string size_label(const model::Problem& problem) {
  if (problem.row_padding == 0) return problem.size_text();
  return fmt::format("{} pad {}", problem.size_text(), problem.row_padding);
}

std::vector<model::Assignment> common_assignments(const Trials& trials) {
  std::vector<model::Assignment> common = trials.front()->configuration.assignments();
  std::erase_if(common, [&](const model::Assignment& one) {
    return !std::ranges::all_of(trials, [&](const TrialRecord* trial) {
      const model::Value* value = trial->configuration.find(one.name);
      return value != nullptr && *value == one.value;
    });
  });
  return common;
}

std::vector<std::string> kernel_names(const Trials& trials) {
  std::set<std::string> names;
  for (const TrialRecord* trial : trials) names.insert(trial->kernel);
  return {names.begin(), names.end()};
}

std::vector<std::string> baseline_names(const std::vector<ProblemSummary>& problems) {
  std::set<std::string> names;
  for (const ProblemSummary& problem : problems) {
    for (const TrialRecord* baseline : problem.baselines) names.insert(baseline->kernel);
  }
  return {names.begin(), names.end()};
}

std::string bits_text(const TrialRecord& best, const TrialRecord* untuned) {
  if (untuned == nullptr || untuned->key == best.key) return "";
  const auto relation = compare_bits(best.outcome.output_bits, untuned->outcome.output_bits);
  if (relation == model::BitsRelation::same) return "as the default";
  return relation == model::BitsRelation::other ? "others" : "";
}

std::string reason(const TrialRecord& trial) {
  const std::string& detail = trial.outcome.detail;
  return util::one_line(detail.empty() ? trial.compile_log : detail);
}

namespace {

bool is_of_number(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-';
}

/// `text` with `#` for each number and for what its exponent is written with.
std::string without_numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    const bool is_sign =
        text[i] == '-' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0;
    if (!is_digit && !is_sign) {
      out += text[i];
      continue;
    }
    out += '#';
    while (i + 1 < text.size() && (is_of_number(text[i + 1]) || text[i + 1] == 'e')) ++i;
  }
  return out;
}

/// `text` without the arguments of templates: `[with T=float, TILE=8]`.
std::string without_instances(std::string text) {
  for (std::size_t begin = 0; (begin = text.find("[with ", begin)) != std::string::npos;) {
    std::size_t end = begin;
    int depth = 0;
    do depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    while (++end < text.size() && depth > 0);
    text.erase(begin, end - begin);
  }
  return text;
}

std::string kind_of(const model::TrialRecord& trial) {
  if (trial.outcome.status == model::TrialStatus::compile_error)
    return without_instances(whole_reason(trial));
  const std::string text = reason(trial);
  // What follows the first value is more of the same.
  return without_numbers(text.substr(0, text.find(", the first at index ")));
}

}  // namespace

const std::string& whole_reason(const model::TrialRecord& trial) {
  const bool is_compilers = trial.outcome.status == model::TrialStatus::compile_error;
  const std::string& detail = trial.outcome.detail;
  return (is_compilers && !trial.compile_log.empty()) || detail.empty() ? trial.compile_log : detail;
}

std::vector<FailureGroup> failure_groups(const Trials& trials) {
  std::map<std::tuple<std::string, model::TrialStatus, std::string>, FailureGroup> groups;
  for (const model::TrialRecord* trial : trials) {
    if (trial->outcome.status == model::TrialStatus::ok) continue;
    FailureGroup& group = groups[{trial->kernel, trial->outcome.status, kind_of(*trial)}];
    if (group.example == nullptr) group.example = trial;
    group.trials.push_back(trial);
  }
  std::vector<FailureGroup> out;
  for (auto& [kind, group] : groups) out.push_back(std::move(group));
  std::ranges::stable_sort(out, [](const FailureGroup& a, const FailureGroup& b) {
    if (a.example->kernel != b.example->kernel) return a.example->kernel < b.example->kernel;
    return a.trials.size() > b.trials.size();
  });
  return out;
}

}  // namespace reports
