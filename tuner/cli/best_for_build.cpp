#include "tuner/cli/best_for_build.hpp"

#include <fmt/format.h>

#include <set>

#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

std::string unanswered(const FoundBest& found, const db::BestAnswer& answer) {
  for (const answers::Missing& missing : found.missing) {
    if (missing.tuning_case.problem.kind() == answer.problem().kind() &&
        missing.tuning_case.environment == answer.environment())
      return missing.reason;
  }
  return "";
}

namespace {

std::string_view unmeasured(const FoundBest& found, const db::BestAnswer& answer) {
  return unanswered(found, answer).empty() ? "was never measured" : "has no answer";
}

[[noreturn]] void refuse_to_choose(const db::BestAnswers& all, const answers::EnvironmentChoice& choice) {
  std::string what = choice.why + ":";
  const answers::Chosen choices = answers::choices_of(all, choice);
  for (const db::BestAnswer* one : choices)
    what +=
        fmt::format("\n  {}: {}", one->environment().text(), util::counted(one->settled, "configuration"));
  throw model::UsageError(what, "choose with " + answers::choosing_flags(choices));
}

/// What a build takes is one answer, of the size asked for, or by a rule with a bound, unless the nearest
/// will do. Its place.
std::size_t only_answer(const db::Connection& connection, const config::Settings& settings,
                        const FoundBest& found, const BestOptions& options) {
  const db::BestAnswers& all = found.answers;
  if (options.size.empty()) {
    throw model::UsageError(fmt::format("--format {} is of one size", options.format),
                            fmt::format("for example tuner best 1024 --format {}", options.format));
  }
  std::set<std::string> families;
  for (const db::BestAnswer& answer : all) families.insert(answer.problem().family);
  if (families.size() > 1) {
    throw model::UsageError(fmt::format("{} families have an answer for size {}: {}", families.size(),
                                        options.size, fmt::join(families, ", ")),
                            fmt::format("name one: --family {}", *families.begin()));
  }
  require_one_kind(all);
  const answers::EnvironmentChoice choice = answers::choose_environments(all).front();
  if (!choice.chosen) refuse_to_choose(all, choice);
  const db::BestAnswer& answer = all[*choice.chosen];
  if (!answer.exact && found.by_rule[*choice.chosen].empty() && !options.nearest) {
    const std::string measured = answer.problem().size_text();
    throw NothingFound(
        fmt::format("size {} {}; the nearest is {}", options.size, unmeasured(found, answer), measured),
        "--nearest takes it; to measure what was asked for: " +
            measuring_command(connection, settings, question_of(answer, options), options.size));
  }
  return *choice.chosen;
}

}  // namespace

Question question_of(const db::BestAnswer& answer, const BestOptions& options) {
  Question asked = options;
  asked.family = answer.problem().family;
  return asked;
}

void write_for_build(const db::Connection& connection, const config::Settings& settings,
                     const FoundBest& found, const db::BestQuery& query, const BestOptions& options) {
  const std::size_t place = only_answer(connection, settings, found, options);
  const db::BestAnswer& answer = found.answers[place];
  SpecsAtHand specs(connection, options.spec);
  model::Problem asked = asked_problem(answer.problem(), query.sizes);
  asked.row_padding = query.row_padding.value_or(asked.row_padding);
  const packing::BuildRecipe recipe = recipe_of(connection, answer.winner, specs, asked);
  if (recipe.is_excluded) {
    throw NothingFound(
        fmt::format("what is best at {}, {}, may be wrong at {}: a constraint of its spec does not hold",
                    answer.problem().size_text(), answer.winner.configuration.text(), options.size),
        "measure there: " +
            measuring_command(connection, settings, question_of(answer, options), options.size));
  }
  if (options.format == "header") write_out(answers::best_comments(answer) + packing::build_defines(recipe));
  if (options.format == "flags") write_out(packing::build_flags(recipe) + "\n");
  if (options.format == "cmake") write_out(packing::build_cmake(recipe));
  if (options.format == "env") write_out(packing::build_env(recipe));
  write_err(fmt::format("{} {} of {}", answer.winner.kernel, answer.winner.problem.text(),
                        answer.environment().text()));
  if (!recipe.arguments.empty()) {
    write_err(
        fmt::format("run-time parameters, to be passed as arguments: {}", packing::arguments_text(recipe)));
  }
  if (!recipe.library.empty()) write_err(packing::library_text(recipe));
  if (!recipe.headers.empty()) write_err(recipe.headers);
  if (!recipe.doubt.empty())
    write_err(fmt::format("warning: {}; --kernel FILE names another spec", recipe.doubt));
  if (answer.is_approximate()) write_err(answers::approximate_text(answer));
  if (!found.by_rule[place].empty())
    write_err(found.by_rule[place]);
  else if (!answer.exact)
    write_err(fmt::format("size {} {}: this is of the nearest", options.size, unmeasured(found, answer)));
  const answers::EnvironmentChoice choice = answers::choose_environments(found.answers).front();
  if (!choice.why.empty()) write_err(choice.why + "; `tuner best` shows all");
  if (choice.faster) write_err("faster and not the answer: " + answers::faster_text(found.answers, choice));
}

}  // namespace tuner::cli
