#include "tuner/cli/answers/captured_gain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/answers/cover.hpp"

namespace tuner::cli::answers {
namespace {

/// How far times in a program and here may differ by before that is said.
constexpr double agrees_within = 0.1;

}  // namespace

std::vector<std::string> gain_sentences(const db::BestAnswers& all, const CapturedUses& uses) {
  double before = 0;
  double after = 0;
  double here = 0;  ///< what these launches take here, with the default
  bool is_warm = false;
  for (const EnvironmentChoice& choice : choose_environments(all)) {
    const db::BestAnswer* const answer = choice.chosen ? &all[*choice.chosen] : nullptr;
    if (answer == nullptr || !answer->exact || !answer->untuned || !answer->untuned->outcome.measurement)
      continue;
    for (const CapturedUse& use : uses.sizes) {
      if (sizes_of(answer->problem()) != use.sizes) continue;
      before += use.cost;
      after += use.cost / db::times_as_long(*answer, *answer->untuned);
      here += static_cast<double>(use.launches) * answer->untuned->outcome.measurement->median_ns;
      is_warm = is_warm || answer->environment().l2 == "warm";
    }
  }
  if (!(before > 0))
    return {fmt::format("{}: none of its sizes was measured with the default", uses.capture)};
  if (!(uses.program_ns > 0))
    return {fmt::format("{}: no launch was timed, so what it gains is not known", uses.capture)};
  std::string text = fmt::format(
      "{}: {} the default's speed on {} of the GPU time, which saves {} of the program's", uses.capture,
      reports::ratio_text(before / after), reports::percent_text(before / uses.program_ns),
      reports::percent_text((before - after) / uses.program_ns));
  if (before < uses.cost)
    text += fmt::format("; {} of the kernel's time is at sizes without an answer",
                        reports::percent_text(1 - before / uses.cost));
  std::vector<std::string> sentences = {text};
  if (const double as_long = before / here; as_long > 1 + agrees_within || as_long < 1 - agrees_within)
    sentences.push_back(fmt::format(
        "in the program these launches take {} the default's time here{}", reports::ratio_text(as_long),
        is_warm && as_long > 1
            ? ": other work may leave the L2 cold there, which `tuner run --l2 cold` measures"
            : ", so that it may gain another share"));
  return sentences;
}

}  // namespace tuner::cli::answers
