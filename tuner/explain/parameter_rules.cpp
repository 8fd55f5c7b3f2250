// Which parameters decide the time, and what a wrong value of them costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tuner/explain/rule_parts.hpp"
#include "tuner/explain/variance.hpp"
#include "tuner/util/text.hpp"

namespace tuner::explain {
namespace {

bool is_below(const model::Value& a, const model::Value& b) {
  const bool are_numbers = !a.is_word() && !b.is_word();
  return are_numbers ? a.code() < b.code() : a.text() < b.text();
}

/// The parameters that have several values, each with these.
struct Parameter {
  std::string name;
  std::vector<model::Value> values;
};

std::vector<Parameter> parameters_of(const Subject& subject) {
  std::vector<Parameter> all;
  for (const model::Assignment& one : subject.winner.trial.configuration.assignments()) {
    Parameter parameter{one.name, {}};
    for (const Timed& trial : subject.trials) {
      const model::Value* const value = trial.configuration.find(one.name);
      if (value != nullptr && std::ranges::find(parameter.values, *value) == parameter.values.end())
        parameter.values.push_back(*value);
    }
    std::ranges::sort(parameter.values, is_below);
    if (parameter.values.size() > 1) all.push_back(std::move(parameter));
  }
  return all;
}

std::vector<Observation> observations_of(const Subject& subject, const std::vector<Parameter>& parameters) {
  std::vector<Observation> all;
  for (const Timed& trial : subject.trials) {
    Observation one{{}, std::log(trial.ratio), trial.is_bound};
    for (const Parameter& parameter : parameters) {
      const model::Value* const value = trial.configuration.find(parameter.name);
      if (value == nullptr) break;
      one.values.push_back(
          static_cast<int>(std::ranges::find(parameter.values, *value) - parameter.values.begin()));
    }
    if (one.values.size() == parameters.size()) all.push_back(std::move(one));
  }
  return all;
}

/// `32: 18 %, 128: ~41 %`: the best that is known with each other value, against the winner.
std::string losses(const Subject& subject, const Parameter& parameter) {
  constexpr std::size_t most = 4;
  struct Least {
    double ratio = std::numeric_limits<double>::infinity();
    bool is_bound = false;
  };
  std::vector<std::pair<const model::Value*, Least>> all;
  const model::Value* const own = subject.winner.trial.configuration.find(parameter.name);
  for (const model::Value& value : parameter.values) {
    if (own != nullptr && value == *own) continue;
    Least least;
    for (const Timed& trial : subject.trials) {
      const model::Value* const its = trial.configuration.find(parameter.name);
      if (its != nullptr && *its == value && trial.ratio < least.ratio) least = {trial.ratio, trial.is_bound};
    }
    all.emplace_back(&value, least);
  }
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.second.ratio < b.second.ratio; });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [value, least] = all[i];
    const bool is_shown = i < most || i + 1 == all.size();
    if (is_shown) parts.push_back(fmt::format("{}: {}", value->text(), loss(least.ratio, least.is_bound)));
    if (i == most && !is_shown) parts.emplace_back("…");
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Findings find_influence(const Subject& subject) {
  constexpr std::size_t least_trials = 20;  // fewer say nothing of a dozen parameters
  constexpr double least_foretold = 0.5;
  constexpr double least_share = 0.05;
  constexpr std::size_t most = 3;
  const std::vector<Parameter> parameters = parameters_of(subject);
  std::vector<Observation> observations = observations_of(subject, parameters);
  if (parameters.empty() || observations.size() < least_trials) return {};
  std::vector<int> levels;
  for (const Parameter& parameter : parameters) levels.push_back(static_cast<int>(parameter.values.size()));
  const auto bounds = std::ranges::count_if(observations, &Observation::is_bound);
  const std::size_t count = observations.size();
  const VarianceShares found = variance_shares(levels, std::move(observations));
  if (found.foretold < least_foretold) return {};
  Findings out;
  for (const VarianceShares::Share& share : found.shares) {
    if (share.share < least_share || out.size() == most) break;
    const Parameter& first = parameters[share.first];
    std::string text =
        share.is_pair()
            ? fmt::format(
                  "{} and {} together explain {} of the variance of log time, beside what each explains "
                  "alone",
                  first.name, parameters[share.second].name, percent(share.share))
            : fmt::format(
                  "{} explains {} of the variance of log time. With another value the best that is known "
                  "loses: {}",
                  first.name, percent(share.share), losses(subject, first));
    out.push_back({.text = std::move(text), .weight = share.share});
  }
  if (!out.empty()) {
    std::string trials = util::counted(static_cast<std::int64_t>(count), "trial");
    if (bounds > 0) trials += fmt::format(", {} of them lower bounds", bounds);
    out.front().text +=
        fmt::format(" ({}; {} of the variance is predicted)", trials, percent(found.foretold));
  }
  return out;
}

}  // namespace tuner::explain
