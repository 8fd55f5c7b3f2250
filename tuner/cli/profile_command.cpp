#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"
#include "db/best.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "reports/json.hpp"
#include "tuner/cli/answers/show.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/count_finalists.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/device/cuda/counters/counting.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/in_turn.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using model::Error;
using model::ExitCode;
using model::UsageError;

struct ProfileOptions : Question {
  std::string id;
  bool best = false;
  std::string size;
  std::string format = "table";
};

model::TrialRecord best_trial(const Context& context, const config::Settings& settings,
                              const db::Connection& connection, const ProfileOptions& options) {
  db::BestQuery query = query_of(context, settings, options);
  ask_for_size(options.size, settings, query);
  ask_for_bits(connection, options, query);
  db::BestAnswers answers = db::best(connection, query);
  std::erase_if(answers, [](const db::BestAnswer& answer) { return !answer.exact; });
  if (answers.empty()) find_nothing(connection, settings, options, options.size);
  if (answers.size() > 1)
    throw UsageError(fmt::format("{} problems and environments have a best", answers.size()),
                     "say which: --size, --kernel, --environment; or name a trial");
  return std::move(answers.front().winner);
}

model::TrialRecord trial_of(const Context& context, const config::Settings& settings,
                            const db::Connection& connection, const ProfileOptions& options) {
  if (options.best == !options.id.empty())
    throw UsageError(options.best ? "a trial and --best were given" : "which trial is not said",
                     "give a trial's identifier, as `tuner best` shows it, or --best");
  return options.best ? best_trial(context, settings, connection, options)
                      : db::find_trial(connection, options.id);
}

/// Before anything is started: what can be told from the record alone.
void require_countable(const db::Connection& connection, const model::TrialRecord& trial) {
  if (!trial.outcome.measurement || model::is_failure(trial.outcome.status))
    throw NothingFound(fmt::format("{} is {}: only what ran and was right is counted", trial_name(trial),
                                   model::to_string(trial.outcome.status)),
                       "`tuner show` says why");
  const std::string architecture = architecture_of(connection, trial);
  if (!architecture.empty() && !architecture.starts_with("sm_"))
    throw NothingFound(fmt::format("{} ran on {}, which has no hardware counters that are read here",
                                   trial_name(trial), trial.environment.device),
                       "counters are of NVIDIA GPUs");
  if (std::string why = device::cuda::counters::why_not_permitted(); !why.empty())
    throw Error(why, device::cuda::counters::how_to_permit);
}

sweep::Request request_for(const config::Settings& settings, const db::Connection& connection,
                           const Backend& backend, const model::TrialRecord& trial, const std::string& spec) {
  sweep::Request request = make_request(settings, backend);
  request.seed = request.inputs_seed = settings.seed().value_or(0);
  request.policy.flush_l2 = trial.environment.l2 == "cold";
  request.work = kernel_of(connection, trial, spec, backend.device);
  return request;
}

model::Profile count(const config::Settings& settings, const db::Connection& connection,
                     const model::TrialRecord& trial, const ProfileOptions& options) {
  Backend backend = open_backend(settings);
  if (backend.device.name != trial.environment.device)
    throw Error(fmt::format("{} ran on {}, and here is {}", trial_name(trial), trial.environment.device,
                            backend.device.name),
                "--device names another; `tuner refresh` races it here first", ExitCode::no_device);
  const sweep::Request request = request_for(settings, connection, backend, trial, options.spec);
  compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
  return sweep::profile_again(request, trial, asked_metrics(settings),
                              {pool, *backend.runners.front(), backend.oracle});
}

int profile(const Context& context, ProfileOptions options) {
  name_kernel(options);
  const config::Settings settings = context.settings();
  db::open_results(settings.database());  // says what is wrong where it is not there
  db::ResultStore store(settings.database());
  const db::Connection& connection = store.connection();
  const model::TrialRecord trial = trial_of(context, settings, connection, options);
  require_countable(connection, trial);
  const model::Profile counted = count(settings, connection, trial, options);
  store.record_counters(trial.key, counted.counters);

  const std::vector<db::StoredCounter> counters = db::counters(connection, trial.key);
  if (options.format == "json") {
    reports::Json out = {{"schema_version", 1}, {"trial", trial.key.hex()}, {"passes", counted.passes}};
    out["counters"] = reports::Json::array();
    for (const db::StoredCounter& stored : counters) out["counters"].push_back(db::json_of(stored.counter));
    write_out(reports::json_text(out));
    return 0;
  }
  write_err(fmt::format("{} {} {}: {} of one run, taken in {}; the database keeps them", trial_name(trial),
                        trial.problem.text(), trial.configuration.text(),
                        util::counted(counted.counters.size(), "metric"),
                        counted.passes == 1 ? "one pass" : fmt::format("{} passes", counted.passes)));
  write_out(answers::counters_text(counters, answer_style(connection)));
  return 0;
}

}  // namespace

void add_profile(const CommandPlace& place) {
  Command<ProfileOptions> command(
      place, "profile", "Count what a trial does on its GPU: traffic, instructions, stalls", profile);
  ProfileOptions& options = command.options();
  command.option("TRIAL", options.id, "", "a trial's identifier, or its first digits");
  command.flag("--best", options.best, "the best of what the next options select instead");
  command.option("--size", options.size, "SIZE", "of --best: 1024 or 512x1024x256");
  add_question(command, options);
  command.choice("--format", options.format, {"table", "json"}, "table; json");
  command.settings(
      "db device metrics seed compile_jobs compile_timeout_s run_timeout_s run_timeout_factor "
      "prepare_timeout_s cache_dir cache_limit_mb");
  command->footer(
      "The trial is compiled, verified and run a few times in a process of its own; nothing is timed. The "
      "counters are kept with the trial: `tuner show` prints them, `tuner export` and `tuner merge` take "
      "them along. NVIDIA's CUPTI reads them. The driver may want an administrator for that, and the message "
      "says how to change it.\n"
      "Example: tuner profile --best --size 1024");
}

}  // namespace tuner::cli
