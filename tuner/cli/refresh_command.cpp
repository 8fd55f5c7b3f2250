#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db/best.hpp"
#include "db/kernel_specs.hpp"
#include "db/queries.hpp"
#include "tuner/cli/answers/refreshed.hpp"
#include "tuner/cli/chosen_race.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using answers::Refreshed;

struct RefreshOptions : Question {
  std::string format = "table";
};

/// Has the specs that are at hand say which results are still of them.
void declare_at_hand(ChosenRace& race, const RefreshOptions& options) {
  SpecFiles files;
  std::vector<sweep::Work>& work = race.request().work;
  for (model::KernelDeclaration declared : db::KernelSpecs(race.connection()).declared()) {
    if (!options.family.empty() && declared.family != options.family) continue;
    if (!options.spec.empty() && declared.kernel == options.kernel) declared.path = options.spec;
    if (const space::KernelSpace* space = files.find(declared)) work.push_back({*space, {}});
  }
  race.declare();
  work.clear();
}

/// The answer at each size in another environment than today's: of the same device before others, then
/// measured by the same method, then the one measured last.
std::vector<Refreshed> known_elsewhere(const Context& context, const config::Settings& settings,
                                       const RefreshOptions& options, const sweep::Request& request,
                                       const db::Connection& connection) {
  db::BestQuery query = query_of(context, settings, connection, options);
  query.method.clear();  // --measure says how they race today
  std::vector<Refreshed> found;
  const auto is_nearer = [&](const model::Environment& a, const model::Environment& b) {
    const auto nearness = [&](const model::Environment& one) {
      return std::pair(one.device == request.device.name, one.method == request.policy.name);
    };
    return nearness(a) > nearness(b);
  };
  for (db::BestAnswer& answer : db::best(connection, query)) {
    const model::Problem& problem = answer.problem();
    const model::Environment& there = answer.environment();
    const model::Environment today = sweep::environment(request, problem.type);
    if (there == today || there.l2 != today.l2 || there.execution != today.execution ||
        there.clock_mhz != today.clock_mhz)
      continue;
    if (context.flags.contains("sizes") && !is_of_sizes(problem, settings.sizes())) continue;
    const auto known =
        std::ranges::find_if(found, [&](const Refreshed& one) { return one.before.problem() == problem; });
    if (known == found.end())
      found.push_back({std::move(answer), std::nullopt, std::nullopt});
    else if (is_nearer(there, known->before.environment()))
      known->before = std::move(answer);
  }
  return found;
}

/// What races again: the winner, those of its final that may win or are tied with it, and the default.
std::vector<model::TrialRecord> finalists_of(db::TrialLoader& loader, const db::BestAnswer& answer) {
  std::vector<model::TrialRecord> trials = {answer.winner};
  const auto add = [&](model::TrialRecord trial) {
    const bool is_known = std::ranges::find(trials, trial.key, &model::TrialRecord::key) != trials.end();
    if (!is_known && model::may_win(trial.role)) trials.push_back(std::move(trial));
  };
  if (answer.final)
    for (const auto& entry : answer.final->entries) add(loader.load(entry.trial));
  for (const model::TrialRecord& tied : answer.tied) add(tied);
  if (answer.untuned) add(*answer.untuned);
  return trials;
}

/// The kernel of a trial of before: the spec that is still what was measured before the others. Nothing where
/// none is at hand.
std::optional<space::KernelSpace> kernel_of_before(SpecsAtHand& specs, const model::TrialRecord& trial,
                                                   const std::vector<model::DeviceInfo>& devices) {
  std::optional<space::KernelSpace> found;
  for (model::KernelSpec& spec : specs.of(trial, true)) {
    space::KernelSpace space(std::move(spec));
    if (!found || is_described(trial, space, devices)) found = std::move(space);
  }
  return found;
}

/// Whom the run races, and the kernels that takes; what is not at hand is told.
std::vector<sweep::Chosen> choose(const std::vector<Refreshed>& known, const std::string& spec,
                                  const db::Connection& connection, sweep::Request& request,
                                  std::vector<std::string>& notices) {
  std::vector<sweep::Chosen> chosen;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  std::set<std::string> absent;
  SpecsAtHand specs(connection, spec);
  const std::vector<model::DeviceInfo> devices = db::devices(connection);
  db::TrialLoader loader(connection);
  for (const Refreshed& one : known) {
    for (const model::TrialRecord& trial : finalists_of(loader, one.before)) {
      const std::pair name(trial.problem.family, trial.kernel);
      if (!places.contains(name)) {
        auto space = kernel_of_before(specs, trial, devices);
        if (space) {
          if (!is_described(trial, *space, devices))
            notices.push_back(trial.kernel +
                              " was edited since it was measured: what races is what it is now");
          places[name] = request.work.size();
          request.work.push_back({std::move(*space), {}});
        } else if (absent.insert(trial.kernel).second) {
          notices.push_back(
              fmt::format("left out: {}, whose spec is not at hand; --kernel FILE names it", trial.kernel));
        }
      }
      const auto place = places.find(name);
      if (place == places.end()) continue;
      std::vector<model::Problem>& problems = request.work[place->second].problems;
      if (std::ranges::find(problems, trial.problem) == problems.end()) problems.push_back(trial.problem);
      chosen.push_back({trial.kernel, trial.problem, trial.configuration});
    }
  }
  return chosen;
}

/// What today's environment answers at the size of `one`, and what became of its winner.
void look_up(const db::Connection& connection, const sweep::Request& request, Refreshed& one) {
  const model::Problem& problem = one.before.problem();
  db::TrialFilter filter = db::trials_of(problem, sweep::environment(request, problem.type));
  db::BestAnswers now = db::best_of_each(connection, filter);
  if (!now.empty()) one.after = std::move(now.front());
  filter.kernel = one.before.winner.kernel;
  for (model::TrialRecord& trial : db::trials(connection, filter))
    if (trial.configuration == one.before.winner.configuration) one.again = std::move(trial);
}

/// Leaves out the sizes that a run which ended early has not come to, and says how many these are.
void leave_out_unreached(std::vector<Refreshed>& sizes) {
  const auto unreached = static_cast<std::int64_t>(
      std::erase_if(sizes, [](const Refreshed& one) { return !one.after && !one.again; }));
  if (unreached > 0) write_err(util::counted(unreached, "size") + " not reached");
}

[[noreturn]] void find_nothing_elsewhere(const config::Settings& settings, const RefreshOptions& options,
                                         const sweep::Request& request) {
  throw NothingFound(
      fmt::format("nothing{} in {} is of another environment than {}", asked_text(options),
                  settings.database().string(),
                  sweep::environment(request, model::ElementType::float32).text()),
      "`tuner run` measures; after a new driver, toolkit or GPU `tuner refresh` races its finalists again");
}

int refresh(const Context& context, RefreshOptions options) {
  name_kernel(options);
  const config::Settings settings = context.settings();
  ChosenRace race(context, settings);
  race.may_go_on();
  sweep::Request& request = race.request();
  request.policy.cuts.clear();  // the former winner is measured whole, however slow it has become
  const auto known = [&] { return known_elsewhere(context, settings, options, request, race.connection()); };
  const std::vector<Refreshed> before = known();
  declare_at_hand(race, options);
  std::vector<Refreshed> sizes = known();
  // What was edited has no result of today; what it is now races in its place.
  for (const Refreshed& one : before) {
    const auto same = [&](const Refreshed& other) { return other.before.problem() == one.before.problem(); };
    if (std::ranges::none_of(sizes, same)) sizes.push_back(one);
  }
  if (sizes.empty()) find_nothing_elsewhere(settings, options, request);
  std::vector<std::string> notices;
  const auto chosen = choose(sizes, options.spec, race.connection(), request, notices);
  race.race(chosen, notices,
            fmt::format("the finalists of {}", sizes.size() == 1 ? "this size" : "these sizes"));

  for (Refreshed& one : sizes) look_up(race.connection(), request, one);
  if (race.was_cut_short()) leave_out_unreached(sizes);
  if (options.format == "json")
    write_out(answers::refreshed_json(sizes));
  else
    write_out(answers::refreshed_text(sizes, answer_style(race.connection())));
  const bool any = std::ranges::any_of(sizes, [](const Refreshed& one) { return one.after.has_value(); });
  return race.end(static_cast<int>(any ? model::ExitCode::done : model::ExitCode::failed));
}

}  // namespace

void add_refresh(const CommandPlace& place) {
  Command<RefreshOptions> command(
      place, "refresh", "Race the finalists of another environment again, after a new driver, toolkit or GPU",
      refresh);
  RefreshOptions& options = command.options();
  command.option("--family", options.family, "NAME", "only this family of kernels");
  command.option("--kernel,-k", options.kernel, "NAME|FILE", "only this kernel, by its name or its spec");
  command.option("--environment", options.part_of_environment, "TEXT",
                 "finalists of environments with this in their text, as 'driver 580'");
  command.choice("--format", options.format, {"table", "json"}, "table; json");
  command.settings(
      "db device sizes type pad seed budget measure l2 execution compile_jobs compile_timeout_s "
      "run_timeout_s run_timeout_factor prepare_timeout_s cache_dir cache_limit_mb progress");
  command->footer(
      "For each size the winner, the others of its final and the default are verified and timed, then the "
      "best of them hold a final. That takes seconds, where a search takes minutes. `tuner run` then "
      "searches for better ones, and takes these results as its first. Finalists come from the same GPU if "
      "it "
      "has any, else from another.\n"
      "Example: tuner refresh --sizes 512..4096");
}

}  // namespace tuner::cli
