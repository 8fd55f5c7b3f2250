#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "config/settings.hpp"
#include "db/best.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "reports/layout.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/answers/cover.hpp"
#include "tuner/cli/answers/ranking.hpp"
#include "tuner/cli/best_for_build.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

std::string size_of(const BestOptions& options) {
  if (!options.size.empty() && !options.size_flag.empty() && options.size != options.size_flag) {
    throw model::UsageError(
        fmt::format("two sizes were given: {} and --size {}", options.size, options.size_flag),
        "give one; `tuner best` without a size answers for all");
  }
  return options.size.empty() ? options.size_flag : options.size;
}

/// Races again, where the question is asked of another environment, whom the answer knows.
std::string refresh_command(const BestOptions& options, const config::Settings& settings) {
  std::string text = "tuner refresh" + flags_asked(settings);
  if (!options.family.empty()) text += " --family " + util::shell_quote(options.family);
  const std::string& kernel = options.spec.empty() ? options.kernel : options.spec;
  if (!kernel.empty()) text += " --kernel " + util::shell_quote(kernel);
  if (!options.size.empty()) text += " --sizes " + options.size;
  return text;
}

constexpr const char* excluded_default = "a constraint excludes the default";

/// Whether no kernel that may answer has its default there, so that no sweep tries it.
bool excludes_default(const db::Connection& connection, const std::string& kernel, const db::Case& one) {
  const std::vector<model::DeviceInfo> devices = db::devices(connection);
  const model::DeviceInfo* const device = device_named(devices, one.environment.device);
  db::KernelSpecs specs(connection);
  SpecFiles files;
  bool has_kernel = false;
  for (const model::KernelDeclaration& declared : specs.declared(one.problem.family)) {
    if (!model::may_win(declared.role) || (!kernel.empty() && declared.kernel != kernel)) continue;
    const space::KernelSpace* const space = files.find(declared);
    if (space == nullptr || device == nullptr || space->default_configuration(one.problem, device->limits))
      return false;
    has_kernel = true;
  }
  return has_kernel;
}

void say_excluded_defaults(const db::Connection& connection, const BestOptions& options, FoundBest& found) {
  if (options.same_bits_as != "default") return;
  for (answers::Missing& one : found.missing)
    if (excludes_default(connection, options.kernel, one.tuning_case)) one.reason = excluded_default;
}

[[noreturn]] void find_nothing(const db::Connection& connection, const config::Settings& settings,
                               const BestOptions& options,
                               const std::vector<answers::Missing>& missing = {}) {
  const bool lacks_default =
      !missing.empty() && std::ranges::all_of(missing, [](const answers::Missing& one) {
        return one.reason == excluded_default;
      });
  const bool by_time = options.objective == model::Objective::time;
  const bool has_failed =
      std::ranges::any_of(missing, [](const answers::Missing& one) { return one.tuning_case.failed > 0; });
  find_nothing(connection, settings, options, options.size,
               options.where.empty() ? "" : " with " + options.where,
               !options.where.empty() ? "without --where there may be more"
               : lacks_default        ? "without --same-bits-as all bits count"
               : has_failed           ? "`tuner list failures` says why"
                                      : "",
               by_time ? "" : fmt::format(" --objective {}", model::to_string(options.objective)));
}

/// The case's trials that meet the user's condition; the winner becomes the first of them. False where
/// none does.
bool restrict(const answers::TrialCondition& condition, db::Ranking& ranked, db::BestAnswer& answer) {
  condition.keep(ranked);
  if (ranked.empty()) return false;
  // Not by the condition: those tied may all be of a kernel that lacks a name in it.
  std::erase_if(answer.tied, [&](const model::TrialRecord& tied) {
    return std::ranges::none_of(ranked, [&](const db::Ranked& one) { return one.trial.key == tied.key; });
  });
  if (ranked.front().trial.key == answer.winner.key) {
    answer.tied_count = static_cast<std::int64_t>(answer.tied.size());
    return true;
  }
  answer.winner = ranked.front().trial;
  if (!ranked.front().in_final) answer.final.reset();
  answer.tied.clear();
  answer.tied_count = 0;
  answer.dropped_near = 0;
  return true;
}

FoundBest find(const db::Connection& connection, const db::BestQuery& query, const BestOptions& options) {
  const bool asks_of_counters = options.where.find("__") != std::string::npos;
  const answers::TrialCondition condition(
      options.where, asks_of_counters ? db::counters(connection) : std::vector<db::StoredCounter>{});
  FoundBest found;
  const bool wants_ranking = !condition.empty() || options.top > 0 ||
                             options.objective != model::Objective::time ||
                             (!query.sizes.empty() && options.format == "table");
  const bool wants_first =
      options.top > 0 && condition.empty() && !query.same_bits && options.objective == model::Objective::time;
  db::BestAnswers best = db::best(connection, query);
  for (const db::Unanswered& size : db::unanswered(connection, query, best))
    found.missing.push_back(answers::missing(size, options.kernel));
  // A case may lack a name of the condition; all of them may not.
  std::optional<model::UsageError> mistake;
  bool fits_one = best.empty();
  const auto meets = [&](db::Ranking& ranked, db::BestAnswer& answer) {
    try {
      const bool is_met = restrict(condition, ranked, answer);
      fits_one = true;
      return is_met;
    } catch (const model::UsageError& error) {
      mistake = error;
      return false;
    }
  };
  for (db::BestAnswer& answer : best) {
    db::FirstRanked first;
    if (wants_first)
      first = db::first_ranked(connection, answer, query, static_cast<std::size_t>(options.top));
    else if (wants_ranking)
      first.ranking = db::ranking(connection, answer, query);
    db::Ranking& ranked = first.ranking;
    if (!condition.empty() && !meets(ranked, answer)) {
      found.missing.push_back({answer.tuning_case, "no trial with " + condition.text()});
      continue;
    }
    if (!answers::answer_by(options.objective, answer, ranked)) {
      found.missing.push_back({answer.tuning_case, "the energy of no trial is known"});
      continue;
    }
    // All trials of all sizes may not fit into memory.
    const std::size_t shown = options.top > 0       ? static_cast<std::size_t>(options.top)
                              : query.sizes.empty() ? 0
                                                    : ranked.size();
    const std::size_t kept = std::min(shown, ranked.size());
    found.answers.push_back(std::move(answer));
    found.left_out.push_back(static_cast<std::int64_t>(first.left_out + ranked.size() - kept));
    ranked.resize(kept);
    ranked.shrink_to_fit();
    found.ranked.push_back(std::move(ranked));
  }
  if (mistake && !fits_one) throw model::UsageError(*mistake);
  found.by_rule.resize(found.answers.size());
  found.bounds.resize(found.answers.size());
  return found;
}

void put_chosen_first(FoundBest& found) {
  std::vector<std::size_t> order;
  for (const answers::EnvironmentChoice& choice : answers::choose_environments(found.answers))
    if (choice.chosen) order.push_back(*choice.chosen);
  for (std::size_t i = 0; i < found.answers.size(); ++i)
    if (std::ranges::find(order, i) == order.end()) order.push_back(i);
  FoundBest sorted{{}, std::move(found.missing), {}, {}, std::move(found.by_rule), std::move(found.bounds)};
  for (const std::size_t i : order) {
    sorted.answers.push_back(std::move(found.answers[i]));
    sorted.ranked.push_back(std::move(found.ranked[i]));
    sorted.left_out.push_back(found.left_out[i]);
  }
  found = std::move(sorted);
}

/// Faster answers that the rule left out. Those of one kernel and environment are one line, with the size
/// where most is lost.
void say_faster(const db::BestAnswers& all, const std::vector<answers::EnvironmentChoice>& choices) {
  struct Line {
    const answers::EnvironmentChoice* most = nullptr;
    double ratio = 0;
    int sizes = 0;
  };
  std::map<std::pair<std::string, std::string>, Line> lines;
  for (const answers::EnvironmentChoice& choice : choices) {
    if (!choice.faster) continue;
    const db::BestAnswer& faster = all[*choice.faster];
    const double ratio = all[*choice.chosen].winner.outcome.measurement->median_ns /
                         faster.winner.outcome.measurement->median_ns;
    Line& line = lines[{faster.winner.kernel, faster.environment().text()}];
    ++line.sizes;
    if (ratio <= line.ratio) continue;
    line.most = &choice;
    line.ratio = ratio;
  }
  for (const auto& [name, line] : lines)
    write_prose(fmt::format("faster and not the answer{}: {}",
                            line.sizes > 1 ? fmt::format(" at {} sizes", line.sizes) : "",
                            answers::faster_text(all, *line.most)));
}

/// Which environment is the answer, where there are several. Sizes with the same choice stand together.
void say_choices(const db::BestAnswers& all) {
  std::map<std::string, reports::LabelledTexts> by_family;
  const std::vector<answers::EnvironmentChoice> choices = answers::choose_environments(all);
  for (const answers::EnvironmentChoice& choice : choices) {
    if (choice.why.empty()) continue;
    const model::Problem& problem = all[choice.answers.front()].tuning_case.problem;
    reports::add_labelled(
        by_family[problem.family], reports::size_label(problem),
        choice.chosen ? fmt::format("{}, {}", all[*choice.chosen].tuning_case.environment.text(), choice.why)
                      : fmt::format("{}; choose with {}", choice.why,
                                    answers::choosing_flags(answers::choices_of(all, choice))));
  }
  if (!by_family.empty()) write_out("\n");
  for (const auto& [family, lines] : by_family)
    for (const auto& [sizes, said] : lines) write_prose(fmt::format("{} {}: {}", family, sizes, said));
  say_faster(all, choices);
}

void write_ranking(FoundBest found, const BestOptions& options, const answers::Style& style) {
  std::vector<answers::RankedCase> cases;
  for (std::size_t i = 0; i < found.answers.size(); ++i)
    cases.push_back({std::move(found.answers[i]), std::move(found.ranked[i]), found.left_out[i]});
  write_out(options.format == "json" ? answers::ranking_json(cases) : answers::ranking_text(cases, style));
}

/// Where the size was never measured, the rule's answer takes the place of the nearest size's, or that of
/// what specs allow there, unless --nearest asks for it.
void take_rules(const db::Connection& connection, const db::BestQuery& query, const BestOptions& options,
                FoundBest& found) {
  if (options.size.empty() || options.nearest || options.top > 0 || !options.where.empty() ||
      options.objective != model::Objective::time)
    return;
  for (const answers::EnvironmentChoice& choice : answers::choose_environments(found.answers)) {
    if (!choice.chosen || found.answers[*choice.chosen].exact) continue;
    db::BestAnswer& answer = found.answers[*choice.chosen];
    if (!unanswered(found, answer).empty()) continue;  // it was measured, and nothing could be used
    auto by_rule = answer_by_rule(connection, answer, query, options.spec);
    if (!by_rule && !options.is_for_build())
      by_rule = answer_allowed(connection, answer, query, options.spec);
    if (!by_rule) continue;
    answer = std::move(by_rule->answer);
    if (options.format == "table") found.ranked[*choice.chosen] = db::ranking(connection, answer, query);
    found.by_rule[*choice.chosen] = std::move(by_rule->why);
    found.bounds[*choice.chosen] = std::move(by_rule->bounds);
  }
}

/// Of the size that was asked for; of all sizes it would be a book. `explaining`: the flags with which
/// `tuner explain` is asked the same.
void write_why(const db::Connection& connection, const config::Settings& settings, const FoundBest& found,
               const BestOptions& options, const std::string& explaining, const answers::Style& style) {
  const auto choices = answers::choose_environments(found.answers);
  for (std::size_t i = 0; i < found.answers.size(); ++i) {
    const db::BestAnswer& answer = found.answers[i];
    const auto trials = db::trials(connection, db::trials_of(answer.problem(), answer.environment()));
    write_err(answers::why(
        answer,
        {options.size, unanswered(found, answer), found.by_rule[i],
         device_flag(connection, answer.environment().device),
         measuring_command(connection, settings, question_of(answer, options), answer.problem().size_text())},
        found.ranked[i], answers::evidence(answer, trials), style));
    const bool is_passed_over = std::ranges::any_of(choices, [&](const answers::EnvironmentChoice& choice) {
      return choice.chosen && *choice.chosen != i && std::ranges::count(choice.answers, i) > 0;
    });
    if (!is_passed_over && options.where.empty())  // else explain speaks of another
      write_err(fmt::format(
          "  `tuner explain {}{}` says what binds it, which parameters matter, and what to try next",
          answer.problem().size_text(), explaining));
  }
}

/// Where an answer is from, if not from where it was asked for, and what measures it there in seconds.
void say_provisional(const FoundBest& found, const std::string& asked, const std::string& refreshing) {
  if (asked.empty()) return;
  write_err(fmt::format(
      "provisional: nothing was measured {}; this is from {}. To race its finalists there, in seconds: {}",
      asked, found.answers.front().environment().text(), refreshing));
}

/// A cover of one, as `tuner cover --at-most 1` makes it.
int answer_common(const db::Connection& connection, const config::Settings& settings,
                  const BestOptions& options, const db::BestQuery& query) {
  if (!options.size.empty() || !options.where.empty() || !options.program.empty() || options.top > 0 ||
      options.nearest || options.is_for_build())
    throw model::UsageError("--common is of all sizes and trials, as a table or JSON",
                            "leave out SIZE, --where, --program, --top, --nearest and other formats");
  if (options.objective != model::Objective::time &&
      settings.find("objective")->layer == config::Layer::command_line)
    throw model::UsageError("--common is by time", "leave out --objective");
  require_one_family(db::cases_to_answer(connection, query));
  const db::BestAnswers all = answers_to_cover(connection, query);
  if (all.empty()) find_nothing(connection, settings, options);
  cover::Goal goal;
  goal.at_most = 1;
  const answers::CoverAnswer answer =
      make_cover(load_cover_table(connection, of_one_environment(all), query, options.spec), goal);
  if (options.format == "json") {
    write_out(answers::cover_json(answer));
    return 0;
  }
  const answers::Style style = answer_style(connection);
  const reports::Table losses = answers::losses_of_common(answer);
  const std::string marks = reports::legend(losses);
  write_out(answers::cover_text(answer, style) + '\n' + losses.fitted(style.columns) +
            (marks.empty() ? "" : style.wrapped(marks)));
  return 0;
}

int best(const Context& context, BestOptions options) {
  options.size = size_of(options);
  name_kernel(options);
  const config::Settings settings = context.settings();
  options.objective = *model::parse_word<model::Objective>(settings.text("objective"));
  if (options.top > 0 && options.is_for_build()) {
    throw model::UsageError(fmt::format("--top and --format {} do not go together", options.format),
                            "a build takes one configuration");
  }
  const db::Connection connection = db::open_results(settings.database());
  db::BestQuery query = query_of(context, settings, connection, options);
  ask_for_size(options.size, settings, query);
  if (options.nearest && options.size.empty() && !options.common)
    throw model::UsageError("--nearest is of one SIZE", "name the size: `tuner best 1024 --nearest`");
  if (options.common) return answer_common(connection, settings, options, query);
  FoundBest found = find(connection, query, options);
  std::string provisional = asked_environment(query);
  std::string refreshing = refresh_command(options, settings);
  if (!provisional.empty() && found.answers.empty() && found.missing.empty()) {
    query = without_environment(std::move(query));
    found = find(connection, query, options);
  } else {
    provisional.clear();
  }
  if (found.answers.empty()) provisional.clear();
  Question answered = options;  // where the answer is from
  if (!provisional.empty()) answered.part_of_environment.clear();
  const std::string explaining = flags_of(answered) + (provisional.empty() ? flags_asked(settings) : "");
  if (!provisional.empty()) refreshing += device_flag(connection, found.answers.front().environment().device);
  if (!provisional.empty() && options.is_for_build()) {
    throw NothingFound(fmt::format("nothing was measured {}; {} has an answer", provisional,
                                   found.answers.front().environment().text()),
                       "there, in seconds: " + refreshing);
  }
  if (!options.size.empty()) put_chosen_first(found);
  take_rules(connection, query, options, found);
  say_excluded_defaults(connection, options, found);
  for (const std::string& line : answers::missing_lines(found.missing)) write_err(line);
  say_spec_changes(connection, found.missing, options.kernel, options.spec, context);
  if (found.answers.empty()) find_nothing(connection, settings, options, found.missing);
  std::vector<std::string> gain;  // read before the answer is printed: the capture may have a mistake
  if (!options.program.empty())
    gain = answers::gain_sentences(
        found.answers,
        captured_uses(options.program, spec_named(connection, options.family, options.kernel, options.spec),
                      settings.type()));
  const answers::Style style = answer_style(connection);
  const std::vector<answers::SpecNote> specs = spec_notes(connection, found.answers, options.spec, context);
  const std::vector<std::string> sentences = spec_sentences(found.answers, specs, context);
  if (options.is_for_build()) {
    write_for_build(connection, settings, found, query, options);
  } else if (options.top > 0) {
    write_ranking(found, options, style);
  } else if (options.format == "json") {
    write_out(answers::best_json(found.answers, options.size, specs, found.missing, found.bounds,
                                 !provisional.empty()));
  } else {
    write_out(answers::best_text(found.answers, style));
    if (!options.size.empty() && options.objective != model::Objective::time)
      for (const auto& ranked : found.ranked) write_out("\n" + answers::energy_front_text(ranked, style));
    say_choices(found.answers);
    if (!options.size.empty() && options.objective == model::Objective::time)
      write_why(connection, settings, found, options, explaining,
                {style.id, terminal::columns_of(STDERR_FILENO)});
  }
  for (const std::string& text : sentences) write_err(text);
  for (const std::string& text : answers::orders_elsewhere(connection, found.answers, query, style))
    write_err(text);
  say_provisional(found, provisional, refreshing);
  for (const std::string& text : gain) write_err(text);
  return 0;
}

}  // namespace

void add_best(const CommandPlace& place) {
  Command<BestOptions> command(place, "best",
                               "Say which configuration is best for a size, how sure that is, and why", best);
  BestOptions& options = command.options();
  command.option("SIZE", options.size, "",
                 "1024 or 512x1024x256; without it every measured size is answered");
  command.option("--size,-s", options.size_flag, "SIZE", "the same");
  add_question(command, options);
  command.option("--class", options.part_of_environment, "TEXT", "the former name of --environment")
      ->group("");
  command.count("--top", options.top, "the first N trials of each size, side by side");
  command.option("--where", options.where, "CONDITION",
                 "only trials with this: 'registers <= 64 && TILE_K == 8'; also spill_bytes, shared_bytes, "
                 "block_threads, occupancy (%), time_us, energy_uj, and counters as "
                 "dram__bytes_read_sum (tuner profile); whole numbers, rounded down");
  command.option("--program", options.program, "CAPTURE",
                 "say what the captured program gains by the answers, with --kernel");
  command.choice("--format", options.format, {"table", "json", "header", "flags", "cmake", "env"},
                 "table; json; header: a C header of the macros; flags: all options for nvcc; cmake, env: "
                 "the same as variables of CMake, of a shell");
  command.flag("--common", options.common,
               "the one configuration that loses least over all sizes, and what it loses at each");
  command.flag("--nearest", options.nearest,
               "header and flags may take the nearest size where this one was never measured");
  command.pages();
  command.settings("db type pad measure l2 execution objective");
  command->footer(
      "After the race the finalists of a size are timed again, in turn. Some may be tied with the fastest. "
      "Among those, the one with the fewest registers is chosen, then the smallest block, then the first by "
      "name.\n"
      "A size that was never measured is answered by the rule of `tuner cover` where that has a bound, else "
      "by the nearest one, and the answer says so. Times are compared only within one environment: device, "
      "driver, toolkit, type, L2 policy, method, execution, locked clock, inputs. Where several environments "
      "have an "
      "answer, header, flags and JSON take the one that was searched further and measured more carefully. "
      "Where no rule decides, pick one with --gpu, --measure, --l2, --execution, --type or --environment. "
      "Exit code 3: nothing is known.\n"
      "Example: nvcc $(tuner best 1024 --format flags) -c kernel.cu");
}

}  // namespace tuner::cli
