#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/model/device.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

using db::BestAnswer;

int kind_rank(const BestAnswer& answer) {
  const model::DeviceKind& kind = model::device_kind(answer.device_kind);
  if (kind.is_gpu || answer.device_kind.empty()) return 2;
  return kind.naming == model::DeviceKind::Naming::file ? 1 : 0;
}

/// `standard` of `standard-3`.
std::string method_of(const BestAnswer& answer) {
  const std::string& method = answer.environment().method;
  return method.substr(0, method.rfind('-'));
}

/// By how many samples a trial gets: the more, the larger. A method that is not known is like the first.
int care(const BestAnswer& answer) {
  constexpr std::string_view methods[] = {"quick", "standard", "complete", "thorough", "exhaustive"};
  const auto found = std::ranges::find(methods, method_of(answer));
  return found == std::end(methods) ? 0 : static_cast<int>(found - std::begin(methods));
}

bool same_device(const BestAnswer& a, const BestAnswer& b) {
  return a.environment().device == b.environment().device;
}

/// Of `NVRTC 13.0` and its like; those of another word are neither older nor newer.
std::partial_ordering compare_versions(const std::string& a, const std::string& b) {
  const auto word = [](std::string text) {
    std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    return text;
  };
  if (word(a) != word(b)) return std::partial_ordering::unordered;
  return ::strverscmp(a.c_str(), b.c_str()) <=> 0;
}

/// Whether no version of `a` is older, and one is newer. When it was measured says nothing: that is the clock
/// of some host.
bool is_of_newer_versions(const model::Environment& a, const model::Environment& b) {
  const std::partial_ordering orders[] = {compare_versions(a.driver, b.driver),
                                          compare_versions(a.toolkit, b.toolkit),
                                          compare_versions(a.method, b.method)};
  return std::ranges::all_of(orders, [](auto order) { return order >= 0; }) &&
         std::ranges::any_of(orders, [](auto order) { return order > 0; });
}

/// By all but the versions of driver, toolkit and method.
bool same_conditions(const BestAnswer& a, const BestAnswer& b) {
  const model::Environment& x = a.environment();
  const model::Environment& y = b.environment();
  return std::tie(x.device, x.type, x.l2, x.execution, x.clock_mhz, x.inputs) ==
         std::tie(y.device, y.type, y.l2, y.execution, y.clock_mhz, y.inputs);
}

/// -1, 0 or 1: which of the two was searched further.
int compare_searched(const BestAnswer& a, const BestAnswer& b) {
  const std::int64_t factor = same_device(a, b) ? 1 : 2;
  if (a.settled > b.settled && a.settled >= factor * b.settled) return 1;
  return b.settled > a.settled && b.settled >= factor * a.settled ? -1 : 0;
}

bool is_try(const BestAnswer& one, const BestAnswer& other) {
  return kind_rank(other) >= kind_rank(one) && other.settled > 10 * one.settled;
}

bool surpasses(const BestAnswer& a, const BestAnswer& b) {
  const int kind = kind_rank(a) - kind_rank(b);
  const int searched = compare_searched(a, b);
  const int careful = care(a) - care(b);
  return kind >= 0 && searched >= 0 && careful >= 0 && (kind > 0 || searched > 0 || careful > 0);
}

bool equal(const BestAnswer& a, const BestAnswer& b) {
  return same_conditions(a, b) && kind_rank(a) == kind_rank(b) && compare_searched(a, b) == 0 &&
         care(a) == care(b);
}

double time_of(const BestAnswer& answer) {
  const auto& measurement = answer.winner.outcome.measurement;
  return measurement ? measurement->median_ns : 0;
}

std::string time_text(const BestAnswer& answer) {
  return (answer.is_approximate() ? "~" : "") + reports::time_text(time_of(answer));
}

/// What the rule may have overlooked, as a new kernel that few configurations were tried of.
std::optional<std::size_t> faster_than_chosen(const db::BestAnswers& all, const EnvironmentChoice& choice) {
  const BestAnswer& chosen = all[*choice.chosen];
  std::optional<std::size_t> faster;
  double least_ns = time_of(chosen);
  for (const std::size_t other : choice.answers) {
    const BestAnswer& answer = all[other];
    const bool is_alike = same_conditions(chosen, answer) && answer.problem() == chosen.problem();
    if (!is_alike || time_of(answer) <= 0 || time_of(answer) >= least_ns) continue;
    faster = other;
    least_ns = time_of(answer);
  }
  return faster;
}

std::string kind_text(const BestAnswer& answer) {
  constexpr const char* names[] = {"the CPU", "a recording", "a GPU"};
  return names[kind_rank(answer)];
}

/// What is better about the chosen one.
std::string better_text(const BestAnswer& chosen, const BestAnswer& other) {
  const bool further = compare_searched(chosen, other) > 0 || is_try(other, chosen);
  if (further)
    return fmt::format("better searched: {} configurations, not {}", chosen.settled, other.settled);
  if (kind_rank(chosen) > kind_rank(other))
    return fmt::format("of {}, not of {}", kind_text(chosen), kind_text(other));
  if (care(chosen) > care(other))
    return fmt::format("measured more carefully: {}, not {}", method_of(chosen), method_of(other));
  return "of newer versions, and otherwise alike";
}

void choose(const db::BestAnswers& all, EnvironmentChoice& choice) {
  if (choice.answers.size() == 1) {
    choice.chosen = choice.answers.front();
    return;
  }
  std::vector<std::size_t> left = choice.answers;
  const auto without = [&](auto&& is_worse) {
    const std::vector<std::size_t> before = left;
    std::erase_if(left, [&](std::size_t one) {
      return std::ranges::any_of(
          before, [&](std::size_t other) { return other != one && is_worse(all[one], all[other]); });
    });
  };
  without([](const BestAnswer& one, const BestAnswer& other) { return is_try(one, other); });
  without([](const BestAnswer& one, const BestAnswer& other) { return surpasses(other, one); });
  without([](const BestAnswer& one, const BestAnswer& other) {
    return equal(one, other) && is_of_newer_versions(other.environment(), one.environment());
  });
  if (left.size() != 1) {
    choice.why = fmt::format("{} environments have an answer, and no rule decides among {} of them",
                             choice.answers.size(), left.size());
    choice.answers = left;
    return;
  }
  choice.chosen = left.front();
  std::vector<std::string> reasons;
  for (const std::size_t other : choice.answers) {
    if (other == left.front()) continue;
    std::string reason = better_text(all[left.front()], all[other]);
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(std::move(reason));
  }
  choice.why =
      fmt::format("the answer among {} environments: {}", choice.answers.size(), fmt::join(reasons, "; "));
  choice.faster = faster_than_chosen(all, choice);
}

}  // namespace

std::vector<EnvironmentChoice> choose_environments(const db::BestAnswers& answers) {
  // Of one size the nearest that an environment has may be another one than another environment has.
  std::map<std::tuple<std::string, std::vector<model::Dimension>, std::int64_t>, std::vector<std::size_t>>
      questions;
  std::set<std::string> answered;  // kinds of problems with the size itself
  for (const BestAnswer& answer : answers)
    if (answer.exact) answered.insert(answer.problem().kind());
  std::vector<EnvironmentChoice> choices;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const model::Problem& problem = answers[i].problem();
    const std::string kind = problem.kind();
    if (answered.contains(kind) && !answers[i].exact) continue;
    const auto size = answered.contains(kind) ? problem.sizes : std::vector<model::Dimension>();
    questions[{kind, size, problem.row_padding}].push_back(i);
  }
  for (auto& [question, of_question] : questions) {
    EnvironmentChoice& choice = choices.emplace_back();
    choice.answers = std::move(of_question);
    choose(answers, choice);
  }
  return choices;
}

std::string faster_text(const db::BestAnswers& answers, const EnvironmentChoice& choice) {
  const BestAnswer& chosen = answers[*choice.chosen];
  const BestAnswer& faster = answers[*choice.faster];
  return fmt::format("{} took {} at {} in another environment of this device, not {}; {} chooses it",
                     faster.winner.kernel, time_text(faster), faster.problem().size_text(), time_text(chosen),
                     choosing_flags({&chosen, &faster}, &faster));
}

Chosen choices_of(const db::BestAnswers& answers, const EnvironmentChoice& choice) {
  Chosen choices;
  for (const std::size_t i : choice.answers) choices.push_back(&answers[i]);
  return choices;
}

std::string choosing_flags(const Chosen& choices, const BestAnswer* one) {
  std::vector<std::string> flags;
  const auto add = [&](const char* flag, auto&& value_of) {
    std::set<std::string> values;
    for (const BestAnswer* answer : choices) values.insert(value_of(*answer));
    if (values.size() < 2) return;
    // In the text of an environment a comma is behind a value. It tells the value from one that it begins.
    const auto told = [&](const std::string& value) {
      const bool is_part = flag == std::string_view("--environment") &&
                           std::ranges::any_of(values, [&](const std::string& other) {
                             return other != value && other.starts_with(value);
                           });
      return is_part ? value + ',' : value;
    };
    std::vector<std::string> all;
    for (const std::string& value : values) all.push_back(told(value));
    flags.push_back(one != nullptr ? fmt::format("{} {}", flag, util::shell_quote(told(value_of(*one))))
                                   : fmt::format("{} ({})", flag, fmt::join(all, " | ")));
  };
  using Class = model::Environment;
  const auto field = [](std::string Class::*member) {
    return [member](const BestAnswer& answer) { return answer.environment().*member; };
  };
  add("--gpu", field(&Class::device));
  add("--measure", method_of);
  add("--l2", field(&Class::l2));
  add("--execution", [](const BestAnswer& answer) { return answer.environment().execution_word(); });
  add("--type",
      [](const BestAnswer& answer) { return std::string(model::cuda_name(answer.environment().type)); });
  add("--environment", [](const BestAnswer& answer) { return answer.environment().clock_text(); });
  add("--environment", field(&Class::driver));
  add("--environment", field(&Class::toolkit));
  add("--environment", field(&Class::inputs));
  return fmt::format("{}", fmt::join(flags, ", "));
}

}  // namespace tuner::cli::answers
