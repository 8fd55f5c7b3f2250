#include "tuner/cli/run_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "db/queries.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/model/error.hpp"
#include "tuner/model/winner.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

std::string busy_text(const sweep::Summary& summary) {
  std::vector<std::string> devices;
  for (const sweep::Summary::Device& device : summary.devices) {
    devices.push_back(
        fmt::format("{} busy {:.0f} %", device.id, 100 * device.measuring_seconds / summary.wall_seconds));
  }
  return fmt::format("{}", fmt::join(devices, ", "));
}

std::string time_spent(const sweep::Summary& summary, int compile_jobs) {
  if (summary.finished == 0 || summary.wall_seconds <= 0) return "";
  const double device_seconds = summary.wall_seconds * static_cast<double>(summary.devices.size());
  return fmt::format(
      "{} in {:.1f} s ({:.1f} a second): {}, {:.1f} of {} cores compiling, waiting for a compiler {:.0f} %",
      util::counted(summary.finished, "trial"), summary.wall_seconds,
      static_cast<double>(summary.finished) / summary.wall_seconds, busy_text(summary),
      summary.compiling.busy_seconds / summary.wall_seconds, compile_jobs,
      100 * summary.waiting_seconds / device_seconds);
}

/// Takes a flag away, however it was written: `--shard 1/2`, `--shard=1/2`, `--fresh`.
void erase_flag(std::vector<std::string>& arguments, const std::string& name, bool has_value) {
  std::erase_if(arguments, [&](const std::string& argument) { return argument.starts_with(name + "="); });
  const auto flag = std::ranges::find(arguments, name);
  if (flag != arguments.end()) arguments.erase(flag, std::min(flag + (has_value ? 2 : 1), arguments.end()));
}

/// What `run` and those after it have measured is not to be measured again.
std::string going_on(Context context, const std::string& run) {
  if (!run.empty()) {
    erase_flag(context.arguments, "--resume", true);
    context.arguments.insert(context.arguments.end(), {"--resume", run});
  }
  return pasteable(context.command_again());
}

/// Without the shard, and where it was published.
std::string command_of_whole(Context context) {
  for (const char* const name : {"--fresh", "--retry-failed"}) erase_flag(context.arguments, name, false);
  for (const char* const name : {"--shard", "--publish", "--resume"})
    erase_flag(context.arguments, name, true);
  return context.command_again();
}

void say_leftover(const std::string& what, const std::filesystem::path& file) {
  write_problem("tuner: " + what);
  write_problem(file.empty()
                    ? "  no folder could take them; they are lost with this process"
                    : fmt::format("  they are in {0}; this adds them to a database: tuner import {1}",
                                  file.string(), util::shell_quote(file.string())));
}
}  // namespace

std::vector<std::string> exclusion_texts(const sweep::TrialList& list) {
  std::vector<std::pair<const sweep::Exclusion*, int>> first;  // of each kernel, and how many more
  for (const sweep::Exclusion& exclusion : list.excluded) {
    const auto known =
        std::ranges::find_if(first, [&](const auto& one) { return one.first->kernel == exclusion.kernel; });
    if (known == first.end())
      first.emplace_back(&exclusion, 0);
    else
      ++known->second;
  }
  std::vector<std::string> texts;
  for (const auto& [exclusion, more] : first) {
    texts.push_back(fmt::format("left out: {} at {}{}: {}", exclusion->kernel, exclusion->problem.text(),
                                more == 0 ? "" : fmt::format(" and {} more", more), exclusion->reason));
  }
  return texts;
}

void say_exclusions(const sweep::TrialList& list, sweep::Observer& observer) {
  for (const std::string& text : exclusion_texts(list)) observer.notice(text);
  if (list.groups.empty() && !list.excluded.empty()) {
    const sweep::Exclusion& one = list.excluded.front();
    throw model::UsageError(
        fmt::format("nothing is left to tune: {} at {}: {}", one.kernel, one.problem.text(), one.reason),
        "give other sizes with --sizes, or look at the constraints");
  }
}

void say_unlaunchable(const sweep::TrialList& list, sweep::Observer& observer) {
  std::map<std::string, const sweep::Unlaunchable*> most;
  const sweep::Unlaunchable* worst = nullptr;
  for (const sweep::Unlaunchable& lost : list.unlaunchable) {
    const sweep::Unlaunchable*& known = most[lost.kernel];
    if (known == nullptr || known->configurations < lost.configurations) known = &lost;
    if (worst == nullptr || worst->configurations < lost.configurations) worst = &lost;
  }
  const auto say = [&](const sweep::Unlaunchable& lost, const std::string& more) {
    observer.notice(fmt::format("not tried: {}{} of {} of {} at {}, which this device cannot launch: {}{}{}",
                                lost.is_about ? "about " : "", lost.configurations,
                                util::counted(lost.of, "configuration"), lost.kernel,
                                lost.problem.size_text(), lost.example,
                                lost.configurations > 1 ? " (the first)" : "", more));
  };
  constexpr std::size_t most_said = 4;
  if (most.size() > most_said)
    return say(*worst, fmt::format("; {} more kernels have such", most.size() - 1));
  for (const auto& [kernel, lost] : most) say(*lost, "");
}

static std::string they_were(std::int64_t count, std::string_view noun) {
  return util::counted(count, noun) + (count == 1 ? " was" : " were");
}

std::string reopened_text(std::int64_t reopened) {
  if (reopened == 0) return "";
  return fmt::format("{} dropped early against a best that no longer competes, and {} measured again",
                     they_were(reopened, "trial"), reopened == 1 ? "is" : "are");
}

void say_strategy(const sweep::StrategyChoice& strategy, const sweep::Request& request,
                  const sweep::TrialList& list, sweep::Observer& observer) {
  std::vector<std::size_t> sizes;
  for (const sweep::Group& group : list.groups) sizes.push_back(group.count_competing(request));
  if (sizes.empty()) return;
  const auto [fewest, most] = std::ranges::minmax_element(sizes);
  observer.notice(strategy.sentence(*fewest, *most));
}

void say_end(const sweep::Summary& summary, int compile_jobs, bool all_failed) {
  if (const std::string spent = time_spent(summary, compile_jobs); !spent.empty()) write_err(spent);
  for (const sweep::Summary::Device& device : summary.devices) {
    if (summary.devices.size() > 1 && summary.finished > 0)
      write_err(fmt::format("{}: {}", device.id, device.time.text()));
    if (!device.left.empty()) write_err(fmt::format("{} left the sweep: {}", device.id, device.left));
  }
  if (all_failed && summary.ending != sweep::Ending::done && summary.failed == 0) {
    write_err(
        fmt::format("nothing has a result: no trial that may be used was measured before the end{}",
                    summary.ending == sweep::Ending::budget_spent ? "; that takes a larger --budget" : ""));
  } else if (all_failed && summary.known == 0 && summary.finished == 0) {
    write_err("nothing has a result: no trial was measured");
  } else if (all_failed && summary.failed == 0 && summary.competing > 0) {
    write_err(fmt::format("nothing has a result: what was tried was skipped: {}", summary.skipped_why));
  } else if (all_failed && summary.failed == 0) {
    write_err(
        "nothing has a result: all trials failed or were skipped before; `tuner list failures` says why, and "
        "--retry-failed tries them again");
  } else if (summary.failed > 0) {
    write_err(fmt::format("{} failed{}; `tuner list failures` says why",
                          util::counted(summary.failed, "trial"),
                          all_failed && summary.failed == 1 ? ": nothing has a result"
                          : all_failed                      ? ", which is all of them: nothing has a result"
                                                            : ""));
  }
  if (summary.skipped_by_strategy > 0) {
    write_err(
        fmt::format("{} compiled and not run: registers, spills or occupancy predict a time over 10 % behind "
                    "the best",
                    they_were(summary.skipped_by_strategy, "configuration")));
  }
  if (summary.finals > 0 && summary.finished == 0) {
    write_err(fmt::format("{} held: some known trials had not been in one",
                          util::counted(summary.finals, "final")));
  }
  if (summary.unprepared > 0) {
    write_err(fmt::format("{} left out: inputs or reference could not be made (see above)",
                          they_were(summary.unprepared, "trial")));
  }
}

void say_what_shards_lack(const sweep::Shard& shard, const Context& context) {
  if (shard.of == 1) return;
  write_err(
      fmt::format("this was shard {}, so no final was held. When all are done, bring their databases "
                  "together with `tuner merge`; there this does what is missing and holds the finals:{}",
                  shard.text(), pasteable(command_of_whole(context))));
}

void say_where(const config::Settings& settings, const std::string& report) {
  const std::string database = settings.database().string();
  write_err("database: " + database, database);
  if (!report.empty()) write_err("report:   " + report, report);
}

void say_how_to_go_on(sweep::Ending ending, const Context& context, const std::string& run) {
  if (ending == sweep::Ending::interrupted) {
    write_problem("interrupted; everything measured is kept. To resume:" + going_on(context, run));
  } else if (ending == sweep::Ending::budget_spent) {
    write_problem("the budget is spent; to go on:" + going_on(context, run));
  }
}

void say_cut_off(const Context& context, const std::string& run) {
  write_problem("ended at once; everything measured before is kept. To resume:" + going_on(context, run));
}

bool is_all_failed(const sweep::TrialList& list, const sweep::Request& request,
                   const sweep::Summary& summary) {
  std::int64_t failed = summary.competing_failed;
  std::int64_t tried = summary.competing;
  for (const sweep::Group& group : list.groups) {
    group.known.for_each([&](std::size_t i, const search::Result& known) {
      const model::KernelSpec& spec = group.work_of(request, i).kernel.spec();
      if (!model::may_win(spec.role)) return;
      ++tried;
      if (model::is_failure(known.status) || known.status == model::TrialStatus::skipped) ++failed;
    });
  }
  return list.total() > 0 && failed == tried;
}

int settle(db::PendingResults& results, int code) {
  const auto leftover = results.finish();
  if (!leftover) return code;
  if (leftover->trials + leftover->finals > 0) {
    say_leftover(fmt::format("{} and {} could not be written to the database: {}",
                             util::counted(leftover->trials, "trial"),
                             util::counted(leftover->finals, "final"), leftover->reason),
                 leftover->file);
  }
  if (leftover->refused > 0) {
    say_leftover(fmt::format("{} refused by the database",
                             leftover->refused == 1 ? "1 result was"
                                                    : fmt::format("{} results were", leftover->refused)),
                 leftover->refused_file);
  }
  return static_cast<int>(model::ExitCode::failed);
}

namespace {

/// db::BestAnswers more than these are not shown again by a sweep that found nothing to do.
constexpr std::size_t few_sizes = 12;

/// What --same-bits-as asked for.
std::optional<db::SameBitsAs> bits_asked_for(const sweep::Request& request) {
  return request.same_bits ? std::optional(db::SameBitsAs{request.same_bits->as}) : std::nullopt;
}

}  // namespace

db::BestAnswers best_answers(const sweep::Request& request, const db::Connection& connection) {
  db::BestAnswers found;
  for (const model::Problem& problem : problems_asked_for(request)) {
    db::TrialFilter filter;
    filter.problem = problem;
    filter.environment = sweep::environment(request, problem.type);
    db::BestQuery query;
    query.same_bits = bits_asked_for(request);
    const model::Objective objective = request.policy.objective;
    for (db::BestAnswer& answer : db::best_of_each(connection, filter, query.same_bits)) {
      db::Ranking ranked;
      if (objective != model::Objective::time) ranked = db::ranking(connection, answer, query);
      if (answers::answer_by(objective, answer, ranked)) found.push_back(std::move(answer));
    }
  }
  return found;
}

namespace {

const db::BestAnswer* answer_of(const db::BestAnswers& answers, const model::Problem& problem) {
  const auto found = std::ranges::find_if(
      answers, [&](const db::BestAnswer& answer) { return answer.winner.problem == problem; });
  return found == answers.end() ? nullptr : &*found;
}

std::string why_not_started(const sweep::Summary& summary) {
  if (summary.ending == sweep::Ending::budget_spent) return "not started: the budget is spent";
  if (summary.ending == sweep::Ending::interrupted) return "not started: interrupted";
  return summary.refused > 0 ? "refused, for the reason above" : "not started";
}

/// Why a problem that was asked for has no answer.
std::string reason(const model::Problem& problem, const sweep::Request& request, const sweep::TrialList& list,
                   const sweep::Summary& summary, const db::Connection& connection, bool is_held) {
  if (std::ranges::find(list.groups, problem, &sweep::Group::problem) == list.groups.end()) {
    const auto excluded = std::ranges::find(list.excluded, problem, &sweep::Exclusion::problem);
    if (excluded != list.excluded.end()) return "left out: " + excluded->reason;
    return request.shard ? "shard " + request.shard->text() + " has none of its configurations" : "left out";
  }
  std::int64_t tried = 0;  // libraries beside them are no answer
  db::for_each_trial(connection, db::trials_of(problem, sweep::environment(request, problem.type)), {},
                     [&](db::StoredTrial&& one) { tried += model::may_win(one.trial.role) ? 1 : 0; });
  if (tried == 0)
    return is_held ? "the database has no result: it could not be written" : why_not_started(summary);
  return fmt::format("no usable trial{} among {}", request.same_bits ? " that gives the bits asked for" : "",
                     tried);
}

/// The problems without an answer, those with the same reason together.
std::string missing_text(const db::BestAnswers& best, const sweep::Request& request,
                         const sweep::TrialList& list, const sweep::Summary& summary,
                         const db::Connection& connection, bool is_held) {
  std::map<std::string, reports::LabelledTexts> by_family;
  for (const model::Problem& problem : problems_asked_for(request)) {
    if (answer_of(best, problem) == nullptr)
      reports::add_labelled(by_family[problem.family], reports::size_label(problem),
                            reason(problem, request, list, summary, connection, is_held));
  }
  std::string text;
  for (const auto& [family, lines] : by_family)
    for (const auto& [sizes, why] : lines) text += fmt::format("{} {}: {}\n", family, sizes, why);
  return text;
}

/// What a kernel does beside the best of all.
struct Beside {
  std::size_t sizes = 0;       ///< that it was to be tuned at
  std::size_t not_chosen = 0;  ///< another is the answer
  std::size_t unknown = 0;     ///< it has no time
  double least = 0;  ///< its time by the best one's (db::times_as_long), where that is least and most
  double most = 0;
  bool is_approximate = false;  ///< the least: of a race, beside a final, or of few samples
  db::BestAnswer closest;
};

Beside beside_best(const sweep::Work& work, const db::BestAnswers& best, const sweep::Request& request,
                   const db::Connection& connection) {
  db::TrialFilter filter;
  filter.family = work.kernel.spec().family;
  filter.kernel = work.kernel.spec().name;
  filter.environment = sweep::environment(request, work.problems.front().type);
  const db::BestAnswers own = db::best_of_each(connection, filter, bits_asked_for(request));
  Beside found;
  for (const model::Problem& problem : work.problems) {
    const db::BestAnswer* const fastest = answer_of(best, problem);
    if (fastest == nullptr) continue;
    ++found.sizes;
    if (fastest->winner.kernel == filter.kernel) continue;
    ++found.not_chosen;
    const db::BestAnswer* const answer = answer_of(own, problem);
    if (answer == nullptr || !answer->winner.outcome.measurement) {
      ++found.unknown;
      continue;
    }
    const double ratio = db::times_as_long(*fastest, answer->winner);
    if (found.least == 0 || ratio < found.least) {
      found.least = ratio;
      found.is_approximate =
          reports::is_approximate(answer->winner) ||
          (fastest->final && model::entry_of(*fastest->final, answer->winner.key) == nullptr);
      found.closest = *answer;
    }
    found.most = std::max(found.most, ratio);
  }
  return found;
}

std::string range_text(const Beside& one) {
  const std::string least = reports::ratio_text(one.least);
  const std::string most = reports::ratio_text(one.most);
  return (one.is_approximate ? "~" : "") + (least == most ? least : least + " to " + most);
}

/// Of very many kernels those that come closest, in that order, since the view `winner` looks at every kernel
/// to answer for one. The number of those left out.
std::size_t keep_closest(std::vector<const sweep::Work*>& works, const db::BestAnswers& best,
                         const sweep::Request& request, const db::Connection& connection) {
  constexpr std::size_t most_shown = 40;
  if (works.size() <= most_shown) return 0;
  std::map<std::string, double> closest;
  for (const db::BestAnswer& answer : best) {
    const model::Problem& problem = answer.winner.problem;
    const model::CaseName here{problem, sweep::environment(request, problem.type)};
    for (const auto& [kernel, least_ns] : db::least_ns_of_kernels(connection, here)) {
      const double ratio = least_ns / answer.winner.outcome.measurement->median_ns;
      const auto known = closest.try_emplace(kernel, ratio).first;
      known->second = std::min(known->second, ratio);
    }
  }
  std::ranges::stable_sort(works, {}, [&](const sweep::Work* work) {
    const auto known = closest.find(work->kernel.spec().name);
    return known == closest.end() ? std::numeric_limits<double>::infinity() : known->second;
  });
  const std::size_t left_out = works.size() - most_shown;
  works.resize(most_shown);
  return left_out;
}

/// The kernels that are not the answer everywhere, a line for each.
void say_others(const db::BestAnswers& best, const sweep::Request& request, const answers::Style& style,
                const db::Connection& connection) {
  using reports::Align;
  reports::Table table({{"kernel"},
                        {"not chosen at"},
                        {"no time at", Align::right},
                        {"time / best", Align::right},
                        {"closest at", Align::right},
                        {"its time there", Align::right, false, 1},
                        {"trial", Align::left, false, 2}});
  bool is_below = false;
  std::vector<const sweep::Work*> works;
  for (const sweep::Work& work : request.work)
    if (model::may_win(work.kernel.spec().role) && !work.problems.empty()) works.push_back(&work);
  const std::size_t left_out = keep_closest(works, best, request, connection);
  for (const sweep::Work* work : works) {
    const Beside one = beside_best(*work, best, request, connection);
    if (one.not_chosen == 0) continue;
    std::vector<std::string> row = {work->kernel.spec().name,
                                    fmt::format("{} of {}", one.not_chosen, util::counted(one.sizes, "size")),
                                    one.unknown == 0 ? "" : fmt::format("{}", one.unknown)};
    if (one.least == 0) {
      table.add_row(std::move(row));
      continue;
    }
    const model::TrialRecord& winner = one.closest.winner;
    const std::string mark = reports::is_approximate(winner) ? "~" : "";
    row.insert(row.end(),
               {range_text(one), reports::size_label(winner.problem),
                mark + reports::time_text(winner.outcome.measurement->median_ns), style.id(winner.key)});
    table.add_row(std::move(row));
    is_below = is_below || one.least < 0.9995;
  }
  if (table.empty()) return;
  write_out("\nthe other kernels that were tuned:\n" + table.fitted(style.columns));
  if (left_out > 0) write_prose(fmt::format("and {} more, which come less close or have no time", left_out));
  if (is_below) write_prose("below 1×: tied with the best, or faster in a race alone, which decides nothing");
  write_prose("`tuner best SIZE --kernel NAME` shows the best of one");
}

}  // namespace

std::vector<model::Problem> problems_asked_for(const sweep::Request& request) {
  std::vector<model::Problem> problems;
  for (const sweep::Work& work : request.work) {
    for (const model::Problem& problem : work.problems) {
      if (std::ranges::find(problems, problem) == problems.end()) problems.push_back(problem);
    }
  }
  return problems;
}

void say_best(const sweep::Request& request, const sweep::TrialList& list, const sweep::Summary& summary,
              const db::Connection& connection, bool is_held) {
  const db::BestAnswers best = best_answers(request, connection);
  const answers::Style style = answer_style(connection);
  const bool found_nothing_to_do = summary.finished == 0 && summary.finals == 0;
  if (found_nothing_to_do && best.size() > few_sizes) {
    write_prose(fmt::format("nothing new; `tuner best` shows the best of these {} sizes", best.size()));
  } else {
    write_out(answers::best_text(best, style));
  }
  if (const std::string missing = missing_text(best, request, list, summary, connection, is_held);
      !missing.empty())
    write_prose(missing);
  const bool by_time = request.policy.objective == model::Objective::time;
  if (by_time && (!found_nothing_to_do || best.size() <= few_sizes))
    say_others(best, request, style, connection);
}

}  // namespace tuner::cli
