#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using reports::Json;

/// Sizes at which the rule picks each configuration of the cover.
std::vector<std::vector<std::size_t>> picked(const CoverAnswer& answer) {
  std::vector<std::vector<std::size_t>> sizes(answer.table.configurations.size());
  for (std::size_t i = 0; i < answer.table.cases.size(); ++i)
    if (std::isfinite(answer.cover.losses[i]))
      sizes[answer.cover.rule.pick(answer.table.times.sizes[i]).value()].push_back(i);
  return sizes;
}

/// Of those sizes alone.
cover::Summary summary_at(const CoverAnswer& answer, const std::vector<std::size_t>& sizes) {
  std::vector<double> losses(answer.cover.losses.size(), std::numeric_limits<double>::infinity());
  for (const std::size_t size : sizes) losses[size] = answer.cover.losses[size];
  return cover::summary(answer.table.times, losses);
}

std::string size_text(const CoverAnswer& answer, std::size_t size) {
  return reports::size_label(answer.table.cases[size].problem);
}

reports::Table cover_rows(const CoverAnswer& answer, const Common& common, bool with_configurations,
                          const Style& style) {
  using reports::Align;
  reports::Table table({{""},
                        {"trial"},
                        {"kernel"},
                        {"configuration"},
                        {"sizes", Align::right},
                        {"mean loss", Align::right},
                        {"worst loss", Align::right},
                        {"at", Align::right, false, 1}});
  const std::vector<std::string> names = letters(answer);
  const auto sizes = picked(answer);
  for (const std::size_t one : answer.cover.set.configurations) {
    const model::TrialRecord& configuration = answer.table.configurations[one];
    const cover::Summary lost = summary_at(answer, sizes[one]);
    const bool is_picked = !sizes[one].empty();
    table.add_row({names[one], is_picked ? style.id(answer.table.trials[sizes[one].back()][one].key) : "",
                   common.has_one_kernel() ? "" : configuration.kernel,
                   with_configurations ? common.rest(configuration) : "",
                   fmt::format("{}", sizes[one].size()), is_picked ? loss_text(lost.mean) : "",
                   is_picked ? loss_text(lost.worst) : "",
                   is_picked ? size_text(answer, lost.worst_size) : ""});
  }
  return table;
}

std::string set_text(const CoverAnswer& answer, const Style& style) {
  const std::vector<std::string> names = letters(answer);
  std::vector<const model::TrialRecord*> records;
  std::vector<std::pair<std::string, const model::TrialRecord*>> labelled;
  for (const std::size_t one : answer.cover.set.configurations) {
    records.push_back(&answer.table.configurations[one]);
    labelled.emplace_back(names[one], records.back());
  }
  const Common common(records);
  return common.table([&](bool whole) { return cover_rows(answer, common, whole, style); }, labelled,
                      style.columns);
}

std::string goal_text(const CoverAnswer& answer) {
  const std::string things = util::counted(answer.cover.set.configurations.size(), "configuration");
  const bool exact = answer.cover.set.exact;
  if (answer.goal.at_most > 0) {
    return fmt::format(
        "{} of at most {}: {}", things, answer.goal.at_most,
        exact ? "no others lose less in the mean" : "others may lose less, not all were tried");
  }
  return fmt::format("{} within {} of the best: {}", things, reports::percent_text(answer.goal.within),
                     exact ? "no fewer do" : "fewer may do, not all were tried");
}

std::string measured_text(const CoverAnswer& answer) {
  const cover::Summary lost = cover::summary(answer.table.times, answer.cover.losses);
  const std::size_t count = answer.table.cases.size();
  std::string text =
      fmt::format("at the measured sizes: {} lost in the mean, {} at worst (at {})", loss_text(lost.mean),
                  loss_text(lost.worst), size_text(answer, lost.worst_size));
  if (lost.known < count) {
    text += fmt::format("; at {} of {} no configuration of these has a time", count - lost.known, count);
  }
  return text;
}

/// Of sizes at which the rule's first choice failed: `64x64x64`, and what takes its place; nothing: none
/// does.
std::vector<std::pair<std::string, std::optional<std::size_t>>> replaced(const CoverAnswer& answer) {
  std::vector<std::pair<std::string, std::optional<std::size_t>>> all;
  const cover::Rule& rule = answer.cover.rule;
  model::Problem problem = answer.table.cases.front().problem;
  for (const cover::FailedAt& there : rule.failed) {
    if (!rule.has_failed(there.sizes, rule.leaf(there.sizes).configuration)) continue;
    for (std::size_t i = 0; i < there.sizes.size(); ++i) problem.sizes[i].value = there.sizes[i];
    all.emplace_back(reports::size_label(problem), rule.pick(there.sizes));
  }
  return all;
}

/// Empty where nothing that the rule picks failed.
std::string failed_text(const CoverAnswer& answer) {
  const std::vector<std::string> names = letters(answer);
  std::vector<std::string> parts;
  for (const auto& [size, other] : replaced(answer))
    parts.push_back(fmt::format("{} at {}", other ? names[*other] : "none", size));
  return parts.empty() ? "" : fmt::format("in place of what failed: {}", fmt::join(parts, ", "));
}

std::string goal_flags(const cover::Goal& goal) {
  if (goal.at_most > 0) return fmt::format(" --at-most {}", goal.at_most);
  return goal.within == cover::Goal{}.within ? "" : fmt::format(" --within {}%", goal.within * 100);
}

/// Where the candidates to ship have no time, and what measures them; empty where all have one.
std::string gaps_text(const CoverAnswer& answer) {
  const std::size_t missing = gaps(answer.table, answer.goal, 1).size();
  if (missing == 0) return "";
  return fmt::format(
      "{} missing, of the best of one size at another; `tuner cover --fill 1{}{}` measures what was not "
      "tried",
      missing == 1 ? "1 time is" : fmt::format("{} times are", missing), goal_flags(answer.goal),
      answer.table.flags);
}

/// What each default would lose alone; empty where there is none.
std::vector<std::pair<std::size_t, cover::Summary>> defaults_alone(const CoverAnswer& answer) {
  std::vector<std::pair<std::size_t, cover::Summary>> all;
  const cover::Losses losses(answer.table.times);
  for (std::size_t i = 0; i < answer.table.configurations.size(); ++i) {
    if (!answer.table.configurations[i].is_default) continue;
    std::vector<double> alone;
    for (std::size_t size = 0; size < losses.sizes(); ++size) alone.push_back(losses.at(size, i));
    all.emplace_back(i, cover::summary(answer.table.times, alone));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(b.second.known, a.second.mean) < std::pair(a.second.known, b.second.mean);
  });
  return all;
}

std::string default_text(const CoverAnswer& answer) {
  const auto defaults = defaults_alone(answer);
  if (defaults.empty()) return "the default alone: no trial of a default has a time";
  const auto& [configuration, lost] = defaults.front();
  const std::size_t count = answer.table.cases.size();
  return fmt::format(
      "the default of {} alone: {} lost in the mean, {} at worst (at {}){}",
      answer.table.configurations[configuration].kernel, loss_text(lost.mean), loss_text(lost.worst),
      size_text(answer, lost.worst_size),
      lost.known == count ? "" : fmt::format("; it has a time at {} of {}", lost.known, count));
}

/// How the sizes that were left out came off.
std::string left_out_text(const CoverAnswer& answer) {
  const auto part = [&](const std::vector<double>& losses, const char* what, std::size_t count) {
    const cover::Summary lost = cover::summary(answer.table.times, losses);
    if (lost.known == 0) return fmt::format("{}: nothing is known", what);
    std::string text = fmt::format("{}: {} in the mean, {} at worst (at {})", what, loss_text(lost.mean),
                                   loss_text(lost.worst), size_text(answer, lost.worst_size));
    if (lost.known < count) text += fmt::format(", unknown at {}", count - lost.known);
    return text;
  };
  const std::size_t count = answer.table.cases.size();
  if (count < 2) return "";
  const std::size_t left_out = std::min<std::size_t>(count, answer.estimate.left_out);
  std::string text = part(answer.estimate.singly, "left out singly", left_out);
  if (answer.estimate.neighbourhoods.size() > 1) {
    text += fmt::format(
        "; {}",
        part(answer.estimate.in_neighbourhoods,
             fmt::format("in {} neighbourhoods", answer.estimate.neighbourhoods.size()).c_str(), count));
  }
  return text;
}

std::string beyond_text(const CoverAnswer& answer) {
  const std::string text = bounds_text(answer.estimate.beyond);
  if (text.empty()) return "";
  return "away from them: " + text + " neighbourhoods without a measured size, at the worst size of each";
}

/// Why nothing is known of some of the sizes that were left out.
std::string unknown_text(const CoverAnswer& answer) {
  const auto unknown =
      static_cast<std::size_t>(std::count_if(answer.estimate.singly.begin(), answer.estimate.singly.end(),
                                             [](double loss) { return !std::isfinite(loss); }));
  const std::size_t untried = unknown - std::min(unknown, answer.estimate.without_any);
  std::vector<std::string> parts;
  if (answer.estimate.without_any > 0)
    parts.push_back(fmt::format("at {} none of the configurations may run", answer.estimate.without_any));
  if (untried > 0 && answer.estimate.left_out == answer.table.cases.size())
    parts.push_back(fmt::format("at {} what the rule picks was not tried", untried));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json losses_json(const CoverAnswer& answer) {
  Json all = Json::array();
  const std::vector<std::string> names = letters(answer);
  for (std::size_t size = 0; size < answer.table.cases.size(); ++size) {
    Json one = db::json_of(answer.table.cases[size].problem);
    const double loss = answer.cover.losses[size];
    one["weight"] = answer.table.times.weight(size);
    one["configuration"] = nullptr;
    if (std::isfinite(loss))
      one["configuration"] = names[answer.cover.rule.pick(answer.table.times.sizes[size]).value()];
    one["loss"] = number_json(loss);
    one["loss_left_out"] = number_json(answer.estimate.singly[size]);
    one["loss_without_neighbourhood"] = number_json(answer.estimate.in_neighbourhoods[size]);
    all.push_back(std::move(one));
  }
  return all;
}

Json node_json(const CoverAnswer& answer, const std::vector<std::string>& names, std::size_t place) {
  const cover::RuleNode& node = answer.cover.rule.nodes[place];
  if (node.is_leaf) return names[node.configuration];
  Json out;
  out["if"] = cover::text(node, answer.table.times.dimensions);
  out["then"] = node_json(answer, names, node.yes);
  out["else"] = node_json(answer, names, node.no);
  return out;
}

Json configurations_json(const CoverAnswer& answer) {
  Json all = Json::array();
  const std::vector<std::string> names = letters(answer);
  const auto sizes = picked(answer);
  for (const std::size_t one : answer.cover.set.configurations) {
    const model::TrialRecord& record = answer.table.configurations[one];
    const cover::Summary lost = summary_at(answer, sizes[one]);
    Json entry = {{"name", names[one]},
                  {"kernel", record.kernel},
                  {"configuration", Json::parse(record.configuration.json())},
                  {"default", record.is_default},
                  {"sizes", sizes[one].size()},
                  {"mean_loss", lost.mean},
                  {"worst_loss", lost.worst},
                  {"trials", Json::array()}};
    for (const auto& row : answer.table.trials)
      if (!row[one].key.empty()) entry["trials"].push_back(row[one].key.hex());
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace

Json number_json(double loss) {
  return std::isfinite(loss) ? Json(loss) : Json(nullptr);
}

std::string loss_text(double loss) {
  return std::isfinite(loss) ? reports::percent_text(std::round(loss * 1e4) / 1e4) : "unknown";
}

std::string case_share_text(double share) {
  return share == 0.9 ? "9 of 10" : share == 0.8 ? "4 of 5" : "1 of 2";
}

std::string bounds_text(const std::vector<cover::Bound>& bounds) {
  std::string text;
  for (const cover::Bound& one : bounds) {
    if (!std::isfinite(one.loss)) continue;
    text += fmt::format("{}{} at {}", text.empty() ? "at most " : ", ", loss_text(one.loss),
                        case_share_text(one.share));
  }
  return text;
}

std::vector<std::string> letters(const CoverAnswer& answer) {
  std::vector<std::string> names(answer.table.configurations.size());
  std::size_t number = 0;
  for (const std::size_t one : answer.cover.set.configurations) names[one] = cover::letter_of(number++);
  return names;
}

std::string bound_text(const CoverAnswer& answer) {
  const auto& bounds = answer.estimate.between;
  const std::size_t count = answer.table.cases.size();
  if (bounds.empty())
    return fmt::format("too few sizes to say: {} {} measured, and 5 are needed", count,
                       count == 1 ? "was" : "were");
  const std::string unknown = unknown_text(answer);
  const std::string text = bounds_text(bounds);
  if (text.empty()) return fmt::format("no bound: of {} sizes that were left out, {}", count, unknown);
  return fmt::format(
      "{} sizes that lie like these, each with {} confidence{}", text,
      reports::percent_text(bounds.front().confidence),
      unknown.empty() ? "" : fmt::format("; of {} sizes that were left out, {}", count, unknown));
}

std::string cover_text(const CoverAnswer& answer, const Style& style) {
  const db::Case& first = answer.table.cases.front();
  const auto wrapped = [&](const std::string& line) { return line.empty() ? "" : style.wrapped(line); };
  std::string text = wrapped(fmt::format("{}: {}", first.problem.family, first.environment.text()));
  text += wrapped(fmt::format("{}, {} with a time", util::counted(answer.table.cases.size(), "size"),
                              util::counted(answer.table.tried, "configuration")));
  text += wrapped(goal_text(answer)) + '\n' + set_text(answer, style) + '\n';
  text += fmt::format("rule, {}:\n", answer.cover.rule.leaves() == 1 ? "without a question"
                                     : answer.cover.rule.smallest
                                         ? "the smallest that keeps this at every measured size"
                                         : "found by the best next question");
  text += cover::text(answer.cover.rule, answer.table.times.dimensions, letters(answer), 2) + '\n';
  text += wrapped(failed_text(answer));
  text += wrapped(measured_text(answer)) + wrapped(gaps_text(answer)) + wrapped(default_text(answer));
  text += wrapped("at sizes between them: " + bound_text(answer));
  text += wrapped(beyond_text(answer)) + wrapped(left_out_text(answer));
  return text;
}

std::vector<std::string> cover_remarks(const CoverAnswer& answer) {
  const db::Case& first = answer.table.cases.front();
  std::vector<std::string> remarks = {
      fmt::format("{} on {}, made by tuner cover from {}", first.problem.family, first.environment.text(),
                  util::counted(answer.table.cases.size(), "size")),
      goal_text(answer), measured_text(answer), "at sizes between them: " + bound_text(answer)};
  if (std::string failed = failed_text(answer); !failed.empty()) remarks.push_back(std::move(failed));
  return remarks;
}

Json rule_json(const CoverAnswer& answer) {
  return answer.cover.rule.nodes.empty() ? Json(nullptr) : node_json(answer, letters(answer), 0);
}

Json bounds_json(const std::vector<cover::Bound>& bounds) {
  Json all = Json::array();
  for (const cover::Bound& one : bounds) {
    all.push_back({{"share", one.share},
                   {"confidence", one.confidence},
                   {"cases", one.cases},
                   {"loss", number_json(one.loss)}});
  }
  return all;
}

std::string cover_json(const CoverAnswer& answer, const Json& check) {
  const db::Case& first = answer.table.cases.front();
  const cover::Summary lost = cover::summary(answer.table.times, answer.cover.losses);
  Json out = {{"schema_version", 1}, {"family", first.problem.family}};
  out["environment"] = db::json_of(first.environment);
  out["goal"] =
      answer.goal.at_most > 0 ? Json{{"at_most", answer.goal.at_most}} : Json{{"within", answer.goal.within}};
  out["exact"] = answer.cover.set.exact;
  out["configurations"] = configurations_json(answer);
  out["rule"] = rule_json(answer);
  out["rule_is_smallest"] = answer.cover.rule.smallest;
  out["mean_loss"] = lost.mean;
  out["worst_loss"] = lost.worst;
  out["sizes"] = losses_json(answer);
  out["replaced"] = Json::array();
  for (const auto& [size, other] : replaced(answer))
    out["replaced"].push_back(
        {{"size", size}, {"configuration", other ? Json(letters(answer)[*other]) : Json(nullptr)}});
  out["default"] = nullptr;
  if (const auto defaults = defaults_alone(answer); !defaults.empty()) {
    const auto& [configuration, alone] = defaults.front();
    out["default"] = {{"kernel", answer.table.configurations[configuration].kernel},
                      {"mean_loss", alone.mean},
                      {"worst_loss", alone.worst},
                      {"sizes", alone.known}};
  }
  out["bounds"] = bounds_json(answer.estimate.between);
  out["bounds_of_neighbourhoods"] = bounds_json(answer.estimate.beyond);
  if (!check.is_null()) out["check"] = check;
  return reports::json_text(out);
}

reports::Table losses_of_common(const CoverAnswer& answer) {
  reports::Table table({{"size"}, {"time", reports::Align::right}, {"loss", reports::Align::right}});
  const cover::Losses losses(answer.table.times);
  const std::size_t one = answer.cover.set.configurations.front();
  for (std::size_t size = 0; size < losses.sizes(); ++size) {
    const bool is_known = losses.is_known(size, one);
    const CoverTrial& trial = answer.table.trials[size][one];
    const std::string time = (losses.is_approximate(size, one) ? "~" : "") +
                             reports::time_text(trial.median_ns) + (trial.includes_launch_latency ? "†" : "");
    table.add_row({reports::size_label(answer.table.cases[size].problem),
                   is_known                        ? time
                   : losses.has_failed(size, one)  ? "failed"
                   : losses.is_excluded(size, one) ? "excluded"
                                                   : "not tried",
                   is_known ? loss_text(losses.at(size, one)) : ""});
  }
  return table;
}

}  // namespace tuner::cli::answers
