#include "tuner/cli/answers/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include "reports/summary.hpp"
#include "reports/text.hpp"
#include "tuner/model/winner.hpp"

namespace tuner::cli::answers {
namespace {

using model::TrialRecord;

/// The only assignment in which the two differ; null where there are several or none.
const model::Assignment* only_difference(const model::Configuration& a, const model::Configuration& b) {
  if (a.assignments().size() != b.assignments().size()) return nullptr;
  const model::Assignment* found = nullptr;
  for (const model::Assignment& assignment : a.assignments()) {
    const model::Value* other = b.find(assignment.name);
    if (other == nullptr) return nullptr;
    if (*other == assignment.value) continue;
    if (found != nullptr) return nullptr;
    found = &assignment;
  }
  return found;
}

OneChange one_change(const db::BestAnswer& answer, const TrialRecord& trial,
                     const model::Assignment& difference) {
  OneChange change;
  change.parameter = difference.name;
  change.from = difference.value;
  change.to = *trial.configuration.find(difference.name);
  change.trial = &trial;
  if (!trial.outcome.measurement) return change;
  const auto* entry = answer.final ? model::entry_of(*answer.final, trial.key) : nullptr;
  const auto* own = answer.final ? model::entry_of(*answer.final, answer.winner.key) : nullptr;
  change.in_turn = entry != nullptr && own != nullptr;
  change.ratio = db::times_as_long(answer, trial);
  return change;
}

std::vector<OneChange> one_changes(const db::BestAnswer& answer, const std::vector<TrialRecord>& trials) {
  std::vector<OneChange> changes;
  for (const TrialRecord& trial : trials) {
    if (trial.kernel != answer.winner.kernel) continue;
    const auto* difference = only_difference(answer.winner.configuration, trial.configuration);
    if (difference != nullptr) changes.push_back(one_change(answer, trial, *difference));
  }
  return changes;
}

/// Of each parameter the change that costs least: what the winner is to be held against.
std::vector<OneChange> nearest_rivals(const std::vector<OneChange>& changes) {
  std::map<std::string, OneChange> nearest;
  for (const OneChange& change : changes) {
    if (change.ratio <= 0) continue;
    const auto [known, is_new] = nearest.try_emplace(change.parameter, change);
    if (!is_new && change.ratio < known->second.ratio) known->second = change;
  }
  std::vector<OneChange> out;
  for (auto& [name, change] : nearest) out.push_back(change);
  std::ranges::stable_sort(out, std::greater{}, &OneChange::ratio);
  return out;
}

/// Share of the variance that lies between the groups, without what groups of noise would have between them
/// too (epsilon squared: Kelley, An unbiased correlation ratio measure, 1935).
double share_between(const std::map<model::Value, std::vector<double>>& groups) {
  double count = 0;
  double sum = 0;
  for (const auto& [value, of_value] : groups) {
    count += static_cast<double>(of_value.size());
    for (const double x : of_value) sum += x;
  }
  const double mean = sum / count;
  double total = 0;
  double within = 0;
  for (const auto& [value, of_value] : groups) {
    double own = 0;
    for (const double x : of_value) own += x / static_cast<double>(of_value.size());
    for (const double x : of_value) {
      total += (x - mean) * (x - mean);
      within += (x - own) * (x - own);
    }
  }
  const double free = count - static_cast<double>(groups.size());
  if (free < 1 || total <= 0) return 0;
  return std::max(0.0, 1 - (within / free) / (total / (count - 1)));
}

/// Fewer trials say nothing of a dozen parameters.
constexpr std::size_t least_compared = 20;

void find_influence(const std::string& kernel, const std::vector<TrialRecord>& trials, Evidence& out) {
  std::map<std::string, std::map<model::Value, std::vector<double>>> by_parameter;
  for (const TrialRecord& trial : trials) {
    if (trial.kernel != kernel || !trial.outcome.measurement) continue;
    ++out.compared;
    if (!model::has_trusted_time(trial.outcome.status)) ++out.bounded;
    for (const model::Assignment& assignment : trial.configuration.assignments()) {
      by_parameter[assignment.name][assignment.value].push_back(
          std::log(trial.outcome.measurement->median_ns));
    }
  }
  if (out.compared < least_compared) return;
  for (const auto& [name, groups] : by_parameter) {
    if (groups.size() > 1) out.influence.push_back({name, share_between(groups)});
  }
  std::ranges::stable_sort(out.influence, std::greater{}, &Influence::share);
}

/// A value at the end of its list is worth a word where the one before it is clearly slower: beyond the end
/// there may be more.
void find_ends(const db::BestAnswer& answer, const std::vector<TrialRecord>& trials,
               const std::vector<OneChange>& changes, Evidence& out) {
  constexpr double clearly = 1.01;
  for (const model::Assignment& assignment : answer.winner.configuration.assignments()) {
    if (assignment.value.is_word()) continue;
    std::set<std::int64_t> tried;
    for (const TrialRecord& trial : trials) {
      const model::Value* value =
          trial.kernel == answer.winner.kernel ? trial.configuration.find(assignment.name) : nullptr;
      if (value != nullptr && !value->is_word()) tried.insert(value->code());
    }
    if (tried.size() < 3) continue;
    const std::int64_t own = assignment.value.code();
    const bool is_largest = own == *tried.rbegin();
    if (!is_largest && own != *tried.begin()) continue;
    const std::int64_t inner = is_largest ? *std::next(tried.rbegin()) : *std::next(tried.begin());
    const auto change = std::ranges::find_if(changes, [&](const OneChange& one) {
      return one.parameter == assignment.name && one.to == model::Value(inner) && one.ratio > clearly;
    });
    if (change == changes.end()) continue;
    out.at_end.push_back({assignment.name,
                          assignment.value,
                          is_largest,
                          {tried.begin(), tried.end()},
                          model::Value(inner),
                          change->ratio});
  }
}

std::string failed_line(const OneChange& change) {
  return fmt::format("{} {} → {}: {}, {}", change.parameter, change.from.text(), change.to.text(),
                     model::to_string(change.trial->outcome.status), reports::reason(*change.trial));
}

}  // namespace

std::string difference_text(double ratio, bool in_turn) {
  const double percent = (ratio - 1) * 100;
  if (std::abs(percent) < 0.05) return in_turn ? "the same time" : "about the same time";
  const int digits = std::abs(percent) < 10 ? 1 : 0;
  return fmt::format("{}{:.{}f} % {}", in_turn ? "" : "~", std::abs(percent), digits,
                     percent > 0 ? "slower" : "faster");
}

Evidence evidence(const db::BestAnswer& answer, const std::vector<TrialRecord>& trials) {
  Evidence out;
  if (!answer.winner.outcome.measurement) return out;
  const std::vector<OneChange> changes = one_changes(answer, trials);
  out.timed = nearest_rivals(changes);
  std::ranges::copy_if(changes, std::back_inserter(out.failed), [](const OneChange& change) {
    return change.trial->outcome.status == model::TrialStatus::unlaunchable;
  });
  find_influence(answer.winner.kernel, trials, out);
  find_ends(answer, trials, changes, out);
  return out;
}

std::vector<std::string> evidence_lines(const Evidence& evidence, const Style& style) {
  constexpr std::size_t most = 6;
  std::vector<std::string> lines;
  if (!evidence.timed.empty()) {
    lines.emplace_back("one parameter changed, at its best other value tried:");
    for (std::size_t i = 0; i < evidence.timed.size() && i < most; ++i) {
      const OneChange& change = evidence.timed[i];
      const bool dropped = change.trial->outcome.status == model::TrialStatus::dropped;
      lines.push_back(fmt::format("  {} {} → {}: {}{} ({})", change.parameter, change.from.text(),
                                  change.to.text(), difference_text(change.ratio, change.in_turn),
                                  dropped ? ", dropped early" : "", style.id(change.trial->key)));
    }
  }
  if (!evidence.influence.empty()) {
    std::string text;
    for (std::size_t i = 0; i < evidence.influence.size() && i < 3; ++i) {
      const Influence& one = evidence.influence[i];
      if (one.share < 0.05) break;
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", one.parameter, reports::percent_text(one.share));
    }
    if (!text.empty()) {
      lines.push_back(
          fmt::format("share of the variance of log time, over {} trials{}: {}", evidence.compared,
                      evidence.bounded == 0
                          ? ""
                          : fmt::format(" ({} dropped early, by the time they reached)", evidence.bounded),
                      text));
    }
  }
  for (const AtEnd& end : evidence.at_end) {
    lines.push_back(fmt::format("{}={} is the {} value tried ({}), and {} is {}: values beyond may be faster",
                                end.parameter, end.value.text(), end.is_largest ? "largest" : "smallest",
                                fmt::join(end.tried, ", "), end.inner.text(),
                                difference_text(end.inner_ratio, false)));
  }
  for (std::size_t i = 0; i < evidence.failed.size() && i < 3; ++i)
    lines.push_back(failed_line(evidence.failed[i]));
  return lines;
}

}  // namespace tuner::cli::answers
