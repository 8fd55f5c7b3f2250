#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "reports/summary.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cli/answers/words.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli::answers {
namespace {

/// What a state is called in JSON, and for people what has happened to the spec; nothing: not much.
struct StateWords {
  const char* name;
  const char* sentence;
};

constexpr StateWords state_words[] = {{"unknown", ""},
                                      {"unchanged", ""},
                                      {"changed", ", or a file that it names, is not what was measured"},
                                      {"widened", " has other lists or constraints than what was searched"},
                                      {"excluded", " excludes a configuration that is named here"},
                                      {"unreadable", " has mistakes"},
                                      {"unreadable", " has no kernel of this name and family any more"}};

const StateWords& words_of(const SpecNote& note) {
  return state_words[static_cast<int>(note.state)];
}

}  // namespace

std::string sentence(const SpecNote& note, const std::string& kernel) {
  const std::string what = words_of(note).sentence;
  if (what.empty()) return "";
  return fmt::format("{}{}: {}{}", kernel, note.is_named ? "" : " was edited since", note.path, what);
}

Missing missing(const db::Unanswered& size, const std::string& kernel) {
  if (!size.lacks_bits.empty()) return {size.tuning_case, size.lacks_bits};
  if (size.only_libraries)
    return {size.tuning_case, kernel.empty() ? "only libraries were tried, and they are never chosen"
                                             : kernel + " is a library, which is never chosen"};
  if (size.ended.empty())
    return {size.tuning_case, kernel.empty() ? "nothing was tried" : kernel + " was not tried"};
  std::vector<std::string> parts;
  std::int64_t trials = 0;
  for (const auto& [status, count] : size.ended) {
    trials += count;
    parts.push_back(fmt::format("{} {}", count, model::to_string(status)));
  }
  return {size.tuning_case, fmt::format("none of {} has a time: {}",
                                        util::counted(trials, kernel.empty() ? "trial" : kernel + " trial"),
                                        fmt::join(parts, ", "))};
}

std::vector<std::string> missing_lines(const std::vector<Missing>& sizes) {
  std::set<model::Digest> environments;
  for (const Missing& size : sizes) environments.insert(size.tuning_case.environment.key());
  std::map<std::string, reports::LabelledTexts> by_family;
  for (const Missing& size : sizes) {
    const db::Case& tuning_case = size.tuning_case;
    std::string rest = size.reason;
    if (environments.size() > 1) rest += fmt::format(" ({})", tuning_case.environment.text());
    reports::add_labelled(by_family[tuning_case.problem.family], reports::size_label(tuning_case.problem),
                          rest);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;  // with the families of each
  for (const auto& [family, texts] : by_family) {
    for (const auto& [labels, rest] : texts) {
      const std::string line = fmt::format("no answer at {}: {}", labels, rest);
      auto known = std::ranges::find(lines, line, &decltype(lines)::value_type::first);
      if (known == lines.end()) known = lines.insert(lines.end(), {line, {}});
      known->second.push_back(family);
    }
  }
  std::vector<std::string> out;
  for (const auto& [line, families] : lines) {
    constexpr std::size_t most = 4;
    out.push_back(by_family.size() == 1 ? line
                                        : fmt::format("{} ({})", line, reports::first_of(families, most)));
  }
  return out;
}

namespace {

using reports::Json;

Json final_json(const db::BestAnswer& answer) {
  Json out = reports::final_json(final_of(answer));
  if (!answer.final) return out;
  reports::add_check(!answer.check.is_unsettled(), answer.check.is_off_clock(), answer.check.in_turn_ns, out);
  return out;
}

Json answer_json(const db::BestAnswer& answer) {
  Json out = case_json(answer);
  out["chosen"] = false;
  out["settled"] = answer.settled;
  out["objective"] = model::to_string(answer.objective);
  out["winner"] = trial_json(answer, answer.winner);
  out["approximate"] = answer.is_approximate();
  out["remeasured"] = answer.final.has_value();
  out["final"] = final_json(answer);
  out["newcomers"] = Json::object();
  for (const db::Newcomers& of_kernel : answer.newcomers)
    out["newcomers"][of_kernel.kernel] = of_kernel.trials;
  out["dropped_near"] = answer.dropped_near;
  out["searched"] = reports::searched_json(answer.searched);
  out["tied_count"] = answer.tied_count;
  out["tied"] = Json::array();
  for (const model::TrialRecord& tied : answer.tied) out["tied"].push_back(trial_json(answer, tied));
  out["baselines"] = Json::array();
  for (const model::TrialRecord& baseline : answer.baselines) {
    if (baseline.outcome.measurement && answer.winner.outcome.measurement)
      out["baselines"].push_back(reports::baseline_json(baseline, answer.winner, final_of(answer)));
  }
  out["same_bits"] =
      reports::same_bits_json(answer.winner, answer.untuned ? &*answer.untuned : nullptr, answer.same_bits);
  out["default"] = answer.untuned ? trial_json(answer, *answer.untuned) : Json(nullptr);
  return out;
}

/// A problem in its environment.
Json place_json(const db::Case& tuning_case) {
  Json out = db::json_of(tuning_case.problem);
  out["environment"] = db::json_of(tuning_case.environment);
  return out;
}

Json json_of(const SpecNote& note) {
  Json out;
  out["path"] = note.path;
  out["declared_at"] = note.declared_at;
  out["host"] = note.host;
  out["state"] = words_of(note).name;
  out["measure"] = note.command.empty() ? Json() : Json(note.command);
  return out;
}

}  // namespace

Json trial_json(const db::BestAnswer& answer, const model::TrialRecord& trial) {
  return reports::trial_json(trial, answer.ceilings, final_of(answer));
}

Json case_json(const db::BestAnswer& answer) {
  Json out = place_json(answer.tuning_case);
  out["exact"] = answer.exact;
  out["log2_distance"] = answer.distance;
  out["wanted_device"] = true;  // no other is answered for; programs read it
  return out;
}

std::string best_json(const db::BestAnswers& answers, const std::string& size,
                      const std::vector<SpecNote>& specs, const std::vector<Missing>& missing,
                      const std::vector<reports::Json>& bounds, bool provisional) {
  Json out;
  out["schema_version"] = 2;
  out["size"] = size;
  out["provisional"] = provisional;
  out["answers"] = Json::array();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Json& answer = out["answers"].emplace_back(answer_json(answers[i]));
    if (!bounds.empty() && !bounds[i].is_null()) answer["by_rule"] = bounds[i];
    if (!specs.empty()) answer["spec"] = specs[i].path.empty() ? Json() : json_of(specs[i]);
  }
  out["undecided"] = Json::array();
  for (const EnvironmentChoice& choice : choose_environments(answers)) {
    if (!choice.chosen) {
      out["undecided"].push_back(db::json_of(answers[choice.answers.front()].tuning_case.problem));
      out["undecided"].back()["why"] = choice.why;
      continue;
    }
    out["answers"][*choice.chosen]["chosen"] = true;
    out["answers"][*choice.chosen]["why_chosen"] = choice.why.empty() ? Json(nullptr) : Json(choice.why);
    out["answers"][*choice.chosen]["faster_elsewhere"] =
        choice.faster ? Json(faster_text(answers, choice)) : Json(nullptr);
  }
  out["unanswered"] = Json::array();
  for (const Missing& one : missing) {
    out["unanswered"].push_back(place_json(one.tuning_case));
    out["unanswered"].back()["reason"] = one.reason;
  }
  return reports::json_text(out);
}

std::string best_comments(const db::BestAnswer& answer) {
  const model::TrialRecord& winner = answer.winner;
  std::string out =
      fmt::format("// {} for {} on {}: {}\n", winner.kernel, winner.problem.text(), winner.environment.device,
                  winner.outcome.measurement
                      ? approximate_mark(answer) + reports::time_text(winner.outcome.measurement->median_ns)
                      : "");
  if (reports::is_unverified(winner)) out += "// unverified: the results were not checked\n";
  if (!answer.exact) out += "// measured at the nearest size known, not at the one asked for\n";
  if (answer.is_approximate()) {
    out += fmt::format("// {}\n", approximate_text(answer));
  } else if (answer.final) {
    out += fmt::format("// {}\n", remeasured_text(answer));
  } else {
    out += "// not re-measured after the race: the lowest of many medians, so optimistic\n";
  }
  return out;
}

namespace {

/// How far times in a program and here may differ by before that is said.
constexpr double agrees_within = 0.1;

/// The answers that a rule chooses, by size, where the default's time is known. A capture does not say how a
/// program pads its rows: of several paddings the least counts.
std::map<cover::Sizes, const db::BestAnswer*> answers_by_size(const db::BestAnswers& all,
                                                              const std::vector<EnvironmentChoice>& choices) {
  std::map<cover::Sizes, const db::BestAnswer*> by_size;
  for (const EnvironmentChoice& choice : choices) {
    const db::BestAnswer* const answer = choice.chosen ? &all[*choice.chosen] : nullptr;
    if (answer == nullptr || !answer->exact || !answer->untuned || !answer->untuned->outcome.measurement)
      continue;
    const auto [known, is_new] = by_size.try_emplace(sizes_of(answer->problem()), answer);
    if (!is_new && answer->problem().row_padding < known->second->problem().row_padding)
      known->second = answer;
  }
  return by_size;
}

/// Why none of a program's sizes counts.
std::string nothing_counts(const db::BestAnswers& all, const std::vector<EnvironmentChoice>& choices,
                           const CapturedUses& uses) {
  for (const EnvironmentChoice& choice : choices) {
    const cover::Sizes sizes = sizes_of(all[choice.answers.front()].problem());
    if (!choice.chosen && std::ranges::find(uses.sizes, sizes, &CapturedUse::sizes) != uses.sizes.end())
      return fmt::format("no rule chooses among the environments that have its sizes: `tuner best` takes {}",
                         choosing_flags(choices_of(all, choice)));
  }
  return "none of its sizes was measured with the default";
}

}  // namespace

std::string several_kernels(const CapturedUses& uses) {
  if (uses.kernels.size() < 2) return "";
  return fmt::format("{}: counted as one kernel: {}", uses.capture, reports::first_of(uses.kernels, 3));
}

std::vector<std::string> gain_sentences(const db::BestAnswers& all, const CapturedUses& uses) {
  double before = 0;
  double after = 0;
  double here = 0;  ///< what these launches take here, with the default
  bool is_warm = false;
  const std::vector<EnvironmentChoice> choices = choose_environments(all);
  const auto by_size = answers_by_size(all, choices);
  for (const CapturedUse& use : uses.sizes) {
    const auto known = by_size.find(use.sizes);
    if (known == by_size.end()) continue;
    const db::BestAnswer& answer = *known->second;
    before += use.cost;
    after += use.cost / db::times_as_long(answer, *answer.untuned);
    here += static_cast<double>(use.launches) * answer.untuned->outcome.measurement->median_ns;
    is_warm = is_warm || answer.environment().l2 == "warm";
  }
  if (!(before > 0)) return {fmt::format("{}: {}", uses.capture, nothing_counts(all, choices, uses))};
  if (!(uses.program_ns > 0))
    return {fmt::format("{}: no launch was timed, so what it gains is not known", uses.capture)};
  std::string text = fmt::format(
      "{}: {} the default's speed on {} of the GPU time, which {} {} of the program's", uses.capture,
      reports::ratio_text(before / after), reports::percent_text(before / uses.program_ns),
      before < after ? "costs" : "saves", reports::percent_text(std::abs(before - after) / uses.program_ns));
  if (before < uses.cost)
    text += fmt::format("; {} of the kernel's time is at sizes without an answer",
                        reports::percent_text(1 - before / uses.cost));
  std::vector<std::string> sentences = {text};
  if (const std::string several = several_kernels(uses); !several.empty()) sentences.push_back(several);
  if (const double as_long = before / here; as_long > 1 + agrees_within || as_long < 1 - agrees_within)
    sentences.push_back(fmt::format(
        "in the program these launches take {} the default's time here{}", reports::ratio_text(as_long),
        is_warm && as_long > 1
            ? ": other work may leave the L2 cold there, which `tuner run --l2 cold` measures"
            : ", so that it may gain another share"));
  return sentences;
}

}  // namespace tuner::cli::answers
