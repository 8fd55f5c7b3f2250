#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <ranges>
#include <string>

#include "db/finals.hpp"
#include "db/pending_results.hpp"
#include "db/planning.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/count_finalists.hpp"
#include "tuner/cli/event_log.hpp"
#include "tuner/cli/gpu_conditions.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/question.hpp"
#include "tuner/cli/report_writer.hpp"
#include "tuner/cli/run_sentences.hpp"
#include "tuner/cli/sweep_display.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/cluster/publisher.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/in_turn.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

/// As squeue shows it: an array's task is `1234_5`.
std::string slurm_task() {
  const std::string array = util::environment_variable("SLURM_ARRAY_JOB_ID");
  if (array.empty()) return util::environment_variable("SLURM_JOB_ID");
  return array + "_" + util::environment_variable("SLURM_ARRAY_TASK_ID");
}

cluster::PartProgress who_publishes(const std::optional<sweep::Shard>& shard, const std::string& database) {
  cluster::PartProgress progress;
  if (shard) progress.part = {shard->number, shard->of};
  progress.host = util::host_name();
  progress.process = ::getpid();
  progress.job = slurm_task();
  progress.owner = model::Digest::random().hex().substr(0, 16);
  progress.database = database;
  return progress;
}

/// `tuner run --publish FILE`. Without FILE it does nothing.
class Publishing {
 public:
  /// Merges what FILE holds into the database, which is there already, and says so; then publishes from time
  /// to time. `stop` outlives this. Throws model::Error where FILE cannot be written or is no database.
  Publishing(const std::string& file, const config::Settings& settings,
             const std::optional<sweep::Shard>& shard, const std::atomic<bool>& stop)
      : m_file(file), m_database(std::filesystem::absolute(settings.database()).string()) {
    if (m_file.empty()) return;
    cluster::Publication publication(m_database, m_file);
    if (const auto added = publication.take_over()) {
      write_err(fmt::format("{} had been published before: {} of it {} new here", m_file,
                            util::counted(added->trials, "trial"), added->trials == 1 ? "was" : "were"));
    }
    m_publisher = std::make_unique<cluster::Publisher>(
        std::move(publication), who_publishes(shard, m_database), settings.number("publish_every_s"), stop);
  }

  /// Who counts for the progress beside FILE, and has something to say; null without FILE.
  cluster::Publisher* publisher() const { return m_publisher.get(); }

  /// Publishes a last time and says where. The exit code: `code`, or that of a failure where not everything
  /// could be published.
  int settle(sweep::Ending ending, int code) {
    if (!m_publisher) return code;
    const std::string failure = m_publisher->finish(
        ending == sweep::Ending::interrupted ? cluster::RunState::interrupted : cluster::RunState::done);
    for (const std::string& notice : m_publisher->take_notices()) write_err("warning: " + notice);
    m_publisher.reset();
    if (failure.empty()) {
      write_err("published: " + m_file);
      return code;
    }
    write_problem(fmt::format("tuner: not everything is published: {}", failure));
    write_problem(fmt::format(
        "  all of it is in {}; `tuner merge` takes it, and the same command publishes it", m_database));
    return static_cast<int>(model::ExitCode::failed);
  }

 private:
  std::string m_file;
  std::string m_database;
  std::unique_ptr<cluster::Publisher> m_publisher;
};

/// Problems that could not even be prepared were asked for and are missing: that is a failure.
int exit_code(const sweep::Summary& summary, bool all_failed, const SignalGuard& signals) {
  if (summary.ending == sweep::Ending::interrupted) return signals.exit_code();
  const bool failed = all_failed || summary.unprepared > 0 || summary.refused > 0;
  return static_cast<int>(failed ? model::ExitCode::failed : model::ExitCode::done);
}

/// The fastest of each group that is known already, and of the group that comes first what a trial took
/// before.
Expected expected(const sweep::TrialList& list, const sweep::Request& request, db::ResultStore& store) {
  Expected expected;
  expected.seconds = request.budget.seconds;
  expected.trials = request.budget.trials;
  expected.objective = request.policy.objective;
  if (const auto problems = problems_asked_for(request); !problems.empty())
    expected.environment = sweep::environment(request, problems.front().type);
  for (auto group = list.groups.rbegin(); group != list.groups.rend(); ++group) {
    if (group->count_known() == static_cast<std::int64_t>(group->candidates.size())) continue;
    expected.problems->push_back(group->problem);
    if (group->count_known() > 0) {
      const model::Environment environment = sweep::environment(request, group->problem.type);
      const bool has_energy = request.policy.objective != model::Objective::time;
      const auto pace = db::pace(store.connection(), group->problem, environment, has_energy);
      if (pace && pace->problem == group->problem && pace->has_energy == has_energy &&
          db::measures_alike(pace->environment, environment))
        expected.seconds_each = pace->seconds;
    }
    if (const auto fastest = group->fastest_known(request))
      if (auto trial = store.find(group->key(request, *fastest)))
        expected.known_best.push_back(std::move(*trial));
  }
  return expected;
}

/// Ends what the second signal cuts off: the run is marked here, since the process does not come to it.
/// Returns whether it had begun.
bool interrupt_run(const std::filesystem::path& database, const model::Digest& run) {
  db::OpenOptions options;
  options.busy_timeout = std::chrono::milliseconds(500);  // who asked twice does not wait for another process
  try {
    db::ResultStore store(database, options);
    store.end_run(run, "interrupted");
    return !runs_named(store.connection(), run.hex()).empty();
  } catch (const std::exception&) {  // the next start mends the row
    return true;
  }
}

/// Everything known of the sweep's problems in its environment, whichever run measured it, for `path`, which
/// may be empty. Says why there is no report, since the sweep's own end matters more. The exit code.
int report_sweep(const db::Connection& connection, const config::Settings& settings,
                 const sweep::Request& request, const Context& context, const std::string& path) {
  if (path.empty()) return 0;
  const std::vector<model::Problem> problems = problems_asked_for(request);
  ReportOptions options;
  options.path = path;
  options.command = context.command_line();
  options.filter.device = request.device.name;
  options.keep = [&](const model::TrialRecord& trial) {
    return trial.environment == sweep::environment(request, trial.problem.type) &&
           std::ranges::find(problems, trial.problem) != problems.end();
  };
  try {
    write_report(connection, settings, options);
    return 0;
  } catch (const NothingFound&) {
    write_problem("no report: nothing has a result");
  } catch (const model::Error& error) {
    write_error(fmt::format("no report: {}", error.what()), "`tuner report -o FILE` writes one");
  }
  return static_cast<int>(model::ExitCode::failed);
}

void say_neighbours(GpuNeighbours& neighbours, terminal::LinePrinter& printer) {
  for (const std::string& sentence : neighbours.sentences()) printer.warning(sentence);
}

std::string ids_of(const std::vector<model::DeviceInfo>& devices) {
  return fmt::format("{}", fmt::join(devices | std::views::transform(&model::DeviceInfo::id), ", "));
}

/// What the device can do at most, where the database does not know it yet.
void add_ceilings(const config::Settings& settings, const sweep::Request& request, const Backend& backend,
                  const sweep::Services& of_run, db::ResultStore& store, terminal::LinePrinter& printer,
                  sweep::Summary& summary) {
  if (settings.text("ceilings") == "off") return;
  SweepDisplay display(printer, {backend.device});
  const auto do_sweep = [&](const sweep::Request& ceilings, const sweep::TrialList& list) {
    compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
    sweep::Services services = backend.services(pool, of_run.sink, of_run.source, display, of_run.stop);
    services.runners.resize(1);
    return sweep::sweep(ceilings, list, services).ending;
  };
  sweep::measure_ceilings({shipped_in("ceilings/"), request, measure::policy("quick"), of_run.source, display,
                           of_run.stop, db::ceilings(store.connection(), request.device.name), do_sweep,
                           [&](const model::Ceiling& ceiling) { store.record_ceiling(ceiling); }},
                          summary);
}

/// What --same-bits-as asks for; measured first where it is unknown.
void find_bits(const std::string& as, const Backend& backend, db::ResultStore& store,
               terminal::LinePrinter& printer, const SignalGuard& signals, sweep::Request& request) {
  if (as.empty()) return;
  request.same_bits = sweep::SameBits{same_bits_as(store.connection(), as).trial};
  SweepDisplay display(printer, backend.devices());
  display.notice("only trials with the bits of " + as + " count");
  const auto do_sweep = [&](const sweep::Request& references, const sweep::TrialList& list) {
    compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
    sweep::Services services = backend.services(pool, store, store, display, signals.stop());
    sweep::sweep(references, list, services);
  };
  sweep::find_references(request, {store, display, do_sweep});
}

/// A run on a GPU has it for itself. Two on the CPU take no notice of each other.
std::string say_other_run(const Backend& backend, const sweep::Request& request, db::ResultStore& store) {
  if (!backend.locks.empty() || !backend.recorded_device.empty()) return "";
  const auto runs = db::runs(store.connection());
  const auto other = std::ranges::find_if(runs, [&](const model::RunRecord& run) {
    return run.id != request.run.id && run.state == "running" && run.host == util::host_name() &&
           run.device.id == backend.device.id && !db::is_abandoned(run);
  });
  if (other == runs.end()) return "";
  return fmt::format(
      "another run measures on {} and records in this database ({}): trials that both list are measured "
      "twice, "
      "and each run slows the other",
      backend.device.id, other->command_line);
}

struct RunOptions : SweepOptions {
  std::string events;
  bool goes_on = false;  ///< behind another clock's run, in the same file of events
};

int run_once(const Context& context, RunOptions& options) {
  SignalGuard signals;
  const config::Settings settings = context.settings();
  const std::string report = settings.find("report") ? settings.text("report") : "";
  if (report == "-" && options.events == "-")
    throw model::UsageError("--events - and --report - would mix on standard output", "name a file for one");
  Selection selection = select_work(context, settings, options);
  if (!report.empty()) require_report(report);
  const sweep::StrategyChoice strategy(settings.text("strategy"));  // throws, before anything is made
  if (!settings.text("device").starts_with("replay:")) settings.cache_folder();  // throws likewise
  Backend backend = selection.open(settings);  // before a database is made: it may not be there
  db::ResultStore store(settings.database());
  if (!store.notice().empty()) selection.notices.push_back(store.notice());

  Publishing publishing(options.publish, settings, options.shard, signals.stop());
  sweep::Request request = make_request(selection, settings, options, backend, store);
  std::optional<ClockGuard> locked;
  if (options.clock_mhz > 0 && backend.recorded_device.empty()) {
    require_clock(backend.devices(), options.clock_mhz);
    std::vector<std::string> gpus;
    for (const model::DeviceInfo& device : backend.devices()) gpus.push_back(device.uuid);
    locked.emplace(std::move(gpus), options.clock_mhz);
  }
  begin_run(context, settings, request);
  const std::string resumed = options.resume;
  const bool may_resume = options.fresh || options.retry_failed;
  if (may_resume && options.resume.empty()) options.resume = request.run.id.hex().substr(0, 12);
  play_recorded(request, backend);
  signals.set_last_words([&, run = request.run.id, database = settings.database()] {
    const bool has_begun = interrupt_run(database, run);
    say_cut_off(context, has_begun ? options.resume : resumed);
  });

  terminal::LinePrinter printer(open_terminal(settings), terminal::steady_clock());
  const std::vector<model::DeviceInfo> devices = backend.devices();
  SweepDisplay shown(printer, devices, publishing.publisher());
  std::optional<EventLog> events;
  if (!options.events.empty()) events.emplace(options.events, shown, options.goes_on);
  sweep::Observer& display = events ? static_cast<sweep::Observer&>(*events) : shown;
  display.notice(fmt::format("{} ({}), {}; order from seed {}, inputs from seed {}", backend.device.name,
                             ids_of(devices), backend.compiler, request.seed, request.inputs_seed));
  for (const std::string& notice : selection.notices) display.notice(notice);
  const std::string uncounted = options.counters ? why_not_countable(backend.device) : "";
  if (!uncounted.empty()) display.notice("--counters: " + uncounted + "; the sweep goes on without them");

  if (const std::string other = say_other_run(backend, request, store); !other.empty())
    printer.warning(other);

  GpuNeighbours neighbours(devices);
  if (!options.same_bits_as.empty()) say_neighbours(neighbours, printer);  // as long as it is not us
  find_bits(options.same_bits_as, backend, store, printer, signals, request);
  if (request.same_bits)
    shown.count_only([&](const model::TrialRecord& trial) { return sweep::gives_bits(request, trial); });
  const double began = terminal::steady_clock()();
  const sweep::TrialList list = sweep::list_trials(
      request, store, long_look(printer, "counting configurations", request.budget.seconds, signals.stop()));
  printer.clear();
  if (request.budget.seconds)
    request.budget.seconds = std::max(0.0, *request.budget.seconds - (terminal::steady_clock()() - began));
  if (request.budget.trials) *request.budget.trials += list.baselines_left(request);
  for (const std::string& notice : list.notices) display.notice(notice);
  if (signals.stop()) {
    say_how_to_go_on(sweep::Ending::interrupted, context, resumed);
    return signals.exit_code();
  }
  say_exclusions(list, display);
  if (list.total() > list.known()) say_unlaunchable(list, display);
  if (const std::string again = reopened_text(list.reopened()); !again.empty()) display.notice(again);
  if (list.total() > list.known()) say_strategy(strategy, request, list, display);
  Expected beginning = expected(list, request, store);
  beginning.devices = devices;
  shown.expect(beginning);
  if (events) events->expect(beginning);
  if (list.total() > list.known() && !request.same_bits) say_neighbours(neighbours, printer);
  db::PendingResults results(store, [&](const std::string& sentence) { printer.warning(sentence); });
  compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
  sweep::Services services = backend.services(pool, results, store, display, signals.stop());
  if (const std::string others = sweep::other_declarations(request, store); !others.empty())
    display.notice(others);
  sweep::Summary summary = sweep::sweep(request, list, services);
  add_ceilings(settings, request, backend, services, store, printer, summary);
  sweep::hold_declarations(request, services);
  if (options.counters && uncounted.empty() && summary.ending != sweep::Ending::interrupted) {
    compile::CompilePool again(backend.compile_jobs, backend.make_compiler);  // the sweep has ended its own
    const auto count = [&, metrics = asked_metrics(settings)](const model::TrialRecord& trial) {
      return sweep::profile_again(request, trial, metrics, {again, *backend.runners.front(), backend.oracle});
    };
    count_finalists(request, best_answers(request, store.connection()), store, count, display,
                    signals.stop());
  }
  backend.close();  // a process on a GPU is another program's from now on
  if (summary.finished > 0) say_neighbours(neighbours, printer);
  shown.ended();
  printer.finish();

  sweep::declare_own(request, services);
  if (options.events != "-") say_best(request, list, summary, store.connection(), results.pending() > 0);
  const bool all_failed = is_all_failed(list, request, summary);
  say_end(summary, backend.compile_jobs, all_failed);
  if (request.shard) say_what_shards_lack(*request.shard, context);
  const int reported = report_sweep(store.connection(), settings, request, context, report);
  say_where(settings, reported == 0 ? report : "");
  say_how_to_go_on(summary.ending, context, options.resume);
  const int ended = settle(results, exit_code(summary, all_failed, signals));
  const int code = publishing.settle(summary.ending, ended == 0 ? reported : ended);
  if (events) events->ended(summary, code);
  return code;
}

int run(const Context& context, RunOptions options) {
  if (options.clock.empty()) return run_once(context, options);
  if (options.clock == "list") {
    const config::Settings settings = context.settings();
    write_out(clocks_text(select_work(context, settings, options).open(settings).devices()));
    return 0;
  }
  const std::vector<int> clocks = parse_clocks(options.clock);
  if (clocks.size() > 1 && context.settings().find("report"))
    throw model::UsageError("--report would be of the last clock alone",
                            "leave it out; `tuner report -o FILE` then has every clock");
  int worst = 0;
  for (const int mhz : clocks) {
    options.clock_mhz = mhz;
    write_err(fmt::format("at a clock of {} MHz:", mhz));
    const int code = run_once(context, options);
    if (code >= static_cast<int>(model::ExitCode::interrupted)) return code;
    worst = std::max(worst, code);
    options.goes_on = true;
  }
  return worst;
}

}  // namespace

void add_run(const CommandPlace& place) {
  Command<RunOptions> command(place, "run", "Tune kernels: try, verify and remember every configuration",
                              run);
  add_sweep_flags(command);
  command.option(
      "--events", command.options().events, "FILE",
      "write what happens there, a line of JSON an event; - is standard output, in place of the tables");
  command->footer(
      "Each result is kept as soon as it is made and never measured twice: the same command again does only "
      "what is missing. Ctrl-C finishes the current trial or final; a second one ends at once.\n"
      "Example: tuner run --sizes 512..4096 --kernel register_tile --budget 5m --report report.md");
}

}  // namespace tuner::cli
