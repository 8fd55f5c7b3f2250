#include "tuner/cli/run_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tuner/cli/context.hpp"
#include "tuner/model/error.hpp"

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
      "{} trials in {:.1f} s ({:.1f} a second): {}, {:.1f} of {} cores compiling, "
      "waiting for a compiler {:.0f} %",
      summary.finished, summary.wall_seconds, static_cast<double>(summary.finished) / summary.wall_seconds,
      busy_text(summary), summary.compiling.busy_seconds / summary.wall_seconds, compile_jobs,
      100 * summary.waiting_seconds / device_seconds);
}

std::string resume_command(const Context& context) {
  Context again = context;
  std::erase(again.arguments, "--fresh");
  std::erase(again.arguments, "--retry-failed");
  return again.command_line();
}

/// Without the shard, and where it was published.
std::string command_of_whole(const Context& context) {
  Context whole = context;
  std::vector<std::string>& arguments = whole.arguments;
  for (const std::string name : {"--shard", "--publish"}) {
    std::erase_if(arguments, [&](const std::string& argument) { return argument.starts_with(name + "="); });
    const auto flag = std::find(arguments.begin(), arguments.end(), name);
    if (flag != arguments.end()) arguments.erase(flag, std::min(flag + 2, arguments.end()));
  }
  return whole.command_line();
}

void say_leftover(const std::string& what, const std::filesystem::path& file) {
  write_err("tuner: " + what);
  write_err(file.empty() ? "  no folder could take them; they are lost with this process"
                         : fmt::format("  they are in {}; `tuner import` takes them", file.string()));
}
}  // namespace

std::vector<std::string> exclusion_texts(const sweep::TrialList& list) {
  std::vector<std::pair<const sweep::Exclusion*, int>> first;  // of each kernel, and how many more
  for (const sweep::Exclusion& exclusion : list.excluded) {
    const auto known = std::find_if(first.begin(), first.end(),
                                    [&](const auto& one) { return one.first->kernel == exclusion.kernel; });
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
    observer.notice(fmt::format(
        "not tried: {}{} of {} configurations of {} at {}, which this device cannot launch: {}{}{}",
        lost.is_about ? "about " : "", lost.configurations, lost.of, lost.kernel, lost.problem.size_text(),
        lost.example, lost.configurations > 1 ? " (the first)" : "", more));
  };
  constexpr std::size_t most_said = 4;
  if (most.size() > most_said)
    return say(*worst, fmt::format("; {} more kernels have such", most.size() - 1));
  for (const auto& [kernel, lost] : most) say(*lost, "");
}

std::string reopened_text(std::int64_t reopened) {
  if (reopened == 0) return "";
  return fmt::format("{} dropped early for a best that is out of the race since, and {} measured again",
                     reopened == 1 ? "1 trial was" : fmt::format("{} trials were", reopened),
                     reopened == 1 ? "is" : "are");
}

void say_strategy(const sweep::StrategyChoice& strategy, const sweep::Request& request,
                  const sweep::TrialList& list, sweep::Observer& observer) {
  std::vector<std::size_t> sizes;
  for (const sweep::Group& group : list.groups) sizes.push_back(group.count_competing(request));
  if (sizes.empty()) return;
  const auto [fewest, most] = std::minmax_element(sizes.begin(), sizes.end());
  observer.notice(strategy.sentence(*fewest, *most));
}

void say_end(const sweep::Summary& summary, int compile_jobs, bool all_failed) {
  if (const std::string spent = time_spent(summary, compile_jobs); !spent.empty()) write_err(spent);
  for (const sweep::Summary::Device& device : summary.devices) {
    if (!device.left.empty()) write_err(fmt::format("{} left the sweep: {}", device.id, device.left));
  }
  if (all_failed && summary.known == 0 && summary.finished == 0) {
    write_err("nothing has a result: no trial was measured");
  } else if (all_failed && summary.failed == 0) {
    write_err(
        "nothing has a result: all trials failed before; `tuner list failures` says why, and --retry-failed "
        "tries what was run again");
  } else if (summary.failed > 0) {
    write_err(fmt::format("{} trials failed{}; `tuner list failures` says why", summary.failed,
                          all_failed ? ", which is all of them: nothing has a result" : ""));
  }
  if (summary.passed_over > 0) {
    write_err(fmt::format("{} configurations were compiled and not run: what they compiled to ruled them out",
                          summary.passed_over));
  }
  if (summary.finals > 0 && summary.finished == 0) {
    write_err(fmt::format("{} final{} held: what was known had not all been measured in turn", summary.finals,
                          summary.finals == 1 ? "" : "s"));
  }
  if (summary.unprepared > 0) {
    write_err(
        fmt::format("{} trials were left out: their inputs or their reference could not be made (see above)",
                    summary.unprepared));
  }
}

void say_what_shards_lack(const sweep::Shard& shard, const Context& context) {
  if (shard.of == 1) return;
  write_err(fmt::format(
      "this was shard {}, so no final was held. When all are done, bring their databases together "
      "with `tuner merge`; there this does what is missing and holds the finals:{}",
      shard.text(), pasteable(command_of_whole(context))));
}

void say_where(const config::Settings& settings, const std::string& report) {
  write_err(fmt::format("database: {}", settings.database().string()));
  if (!report.empty()) write_err(fmt::format("report:   {}", report));
}

void say_how_to_go_on(sweep::Ending ending, const Context& context) {
  if (ending == sweep::Ending::interrupted) {
    write_err("interrupted; everything measured is kept. To resume:" + pasteable(resume_command(context)));
  } else if (ending == sweep::Ending::budget_spent) {
    write_err("the budget is spent; to go on:" + pasteable(resume_command(context)));
  }
}

void say_cut_off(const Context& context) {
  write_err("ended at once; everything measured before is kept. To resume:" +
            pasteable(resume_command(context)));
}

bool is_all_failed(const sweep::TrialList& list, const sweep::Request& request,
                   const sweep::Summary& summary) {
  std::int64_t failed = summary.competing_failed;
  std::int64_t tried = summary.competing;
  for (const sweep::Group& group : list.groups) {
    group.known.for_each([&](std::size_t i, const search::Result& known) {
      const model::KernelSpec& spec = request.work[group.work[group.candidates[i].kernel]].kernel.spec();
      if (!model::may_win(spec.role)) return;
      ++tried;
      if (model::is_failure(known.status)) ++failed;
    });
  }
  return list.total() > 0 && failed == tried;
}

int settle(db::PendingResults& results, int code) {
  const auto leftover = results.finish();
  if (!leftover) return code;
  if (leftover->trials + leftover->finals > 0) {
    say_leftover(fmt::format("{} trials and {} finals could not be written to the database: {}",
                             leftover->trials, leftover->finals, leftover->reason),
                 leftover->file);
  }
  if (leftover->refused > 0) {
    say_leftover(fmt::format("{} results were refused by the database", leftover->refused),
                 leftover->refused_file);
  }
  return static_cast<int>(model::ExitCode::failed);
}

}  // namespace tuner::cli
