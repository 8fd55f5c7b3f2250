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
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// Whom the answer of a problem was chosen from, the chosen one first.
std::vector<model::Digest> finalists_of(const db::BestAnswer& answer) {
  std::vector<model::Digest> keys = {answer.winner.key};
  if (!answer.final) return keys;
  for (const model::FinalRecord::Entry& entry : answer.final->entries)
    if (entry.trial != answer.winner.key) keys.push_back(entry.trial);
  return keys;
}

std::vector<model::TrialRecord> uncounted(const sweep::Request& request, const db::BestAnswers& answers,
                                          const db::Connection& connection) {
  std::vector<model::TrialRecord> all;
  for (const db::BestAnswer& answer : answers) {
    for (const model::Digest& key : finalists_of(answer)) {
      if (!db::counters(connection, key).empty()) continue;
      model::TrialRecord trial = db::find_trial(connection, key.hex());
      if (model::may_win(trial.role) && sweep::work_of(request, trial) != nullptr &&
          sweep::gives_bits(request, trial))
        all.push_back(std::move(trial));
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> asked_metrics(const config::Settings& settings) {
  std::vector<std::string> metrics;
  const std::string text = settings.find("metrics") != nullptr ? settings.text("metrics") : "";
  for (std::string_view rest = text; !rest.empty();)
    if (const std::string_view name = util::trimmed(util::split_first(rest, ",")); !name.empty())
      metrics.emplace_back(name);
  return metrics;
}

std::string why_not_countable(const model::DeviceInfo& device) {
  if (!model::device_kind(device.kind).is_gpu)
    return device.id + " has no hardware counters, which are of NVIDIA GPUs";
  const std::string why = device::cuda::counters::why_not_permitted();
  return why.empty() ? "" : fmt::format("{} ({})", why, device::cuda::counters::how_to_permit);
}

void count_finalists(const sweep::Request& request, const db::BestAnswers& answers, db::ResultStore& store,
                     const CountTrial& count, sweep::Observer& observer, const std::atomic<bool>& stop) {
  const std::vector<model::TrialRecord> trials = uncounted(request, answers, store.connection());
  if (trials.empty()) return;
  const std::string finalists = util::counted(trials.size(), "finalist");
  observer.notice("counting what " + finalists + " do");
  std::size_t done = 0;
  for (const model::TrialRecord& trial : trials) {
    if (stop) break;
    try {
      store.record_counters(trial.key, count(trial).counters);
      ++done;
    } catch (const model::Error& error) {
      observer.notice(fmt::format("counted {} of {}; then: {}{}", done, finalists, error.what(),
                                  error.hint().empty() ? "" : fmt::format(" ({})", error.hint())));
      return;
    }
  }
  if (done < trials.size())
    observer.notice(fmt::format("counted {} of {}; the same command counts the others", done, finalists));
  else
    observer.notice(fmt::format("counted {}: `tuner explain` says what binds the best", finalists));
}

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
  db::BestQuery query = query_of(context, settings, connection, options);
  ask_for_size(options.size, settings, query);
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
