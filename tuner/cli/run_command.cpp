#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "db/best.hpp"
#include "db/final_queries.hpp"
#include "db/pending_results.hpp"
#include "db/result_store.hpp"
#include "reports/numbers.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/baselines.hpp"
#include "tuner/cli/best_table.hpp"
#include "tuner/cli/ceilings.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/gpu_neighbours.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/problems.hpp"
#include "tuner/cli/report_writer.hpp"
#include "tuner/cli/rivals.hpp"
#include "tuner/cli/signals.hpp"
#include "tuner/cli/sweep_display.hpp"
#include "tuner/measure/policy.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/sweep/sweep.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/worker/device_lock.hpp"

namespace tuner::cli {
namespace {

struct RunOptions {
  std::vector<std::string> kernels;
  bool fresh = false;
  bool retry_failed = false;
};

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::uint64_t random_seed() {
  const model::Digest digest = model::Digest::random();
  return static_cast<std::uint64_t>(model::DigestHash{}(digest)) % 1'000'000'000;
}

sweep::Request make_request(const Context& context, const config::Settings& settings,
                            const RunOptions& options, const Backend& backend, std::vector<sweep::Work> work,
                            std::vector<sweep::Work> rivals) {
  sweep::Request request;
  request.work = std::move(work);
  request.rivals = std::move(rivals);
  request.device = backend.device;
  request.compiler = backend.compiler;
  request.policy = measure::policy(settings.text("measure"), settings.text("l2") == "cold");
  request.strategy = settings.text("strategy");
  request.until = settings.until();
  // Who wants every time to the end wants every configuration, unless told otherwise.
  const std::string& measure = settings.text("measure");
  if (!request.until && (measure == "complete" || measure == "exhaustive")) request.until = 0;
  request.seed = settings.seed().value_or(random_seed());
  const config::Budget budget = settings.budget();
  if (budget.time.count() > 0) request.budget.seconds = static_cast<double>(budget.time.count());
  if (budget.device_time.count() > 0)
    request.budget.device_seconds = static_cast<double>(budget.device_time.count());
  if (budget.trials > 0) request.budget.trials = budget.trials;
  request.fresh = options.fresh;
  request.retry_failed = options.retry_failed;
  request.recorded_device = backend.recorded_device;
  request.run.id = model::Digest::random();
  request.run.command_line = context.command_line();
  request.run.state = "running";
  request.run.host = host_name();
  request.run.version = version();
  request.run.strategy = request.strategy;
  request.run.seed = request.seed;
  request.run.device = backend.device;
  request.run.toolkit = backend.compiler;
  return request;
}

/// In the order asked for, whatever the order of the search.
std::vector<model::Problem> problems_of(const sweep::Request& request) {
  std::vector<model::Problem> problems;
  for (const sweep::Work& work : request.work) {
    for (const model::Problem& problem : work.problems) {
      if (std::find(problems.begin(), problems.end(), problem) == problems.end()) problems.push_back(problem);
    }
  }
  return problems;
}

/// The best of every problem of the sweep, in the sweep's own class.
std::vector<db::BestAnswer> answers(const sweep::Request& request, const db::Connection& connection) {
  std::vector<db::BestAnswer> found;
  for (const model::Problem& problem : problems_of(request)) {
    db::TrialFilter filter;
    filter.problem = problem;
    filter.comparison_class = sweep::comparison_class(request, problem.type);
    for (db::BestAnswer& answer : db::best_of_each(connection, filter)) found.push_back(std::move(answer));
  }
  return found;
}

/// What the other kernels of the sweep reached where one of them is the best of all.
struct Others {
  std::vector<db::BestAnswer> best;
  std::string dropped;  ///< a line for each kernel and problem of which all trials were dropped early
};

Others others_than(const std::vector<db::BestAnswer>& best, const sweep::Request& request,
                   const db::Connection& connection) {
  Others others;
  const auto add = [&](const std::string& kernel, const model::Problem& problem) {
    db::TrialFilter filter;
    filter.kernel = kernel;
    filter.problem = problem;
    filter.comparison_class = sweep::comparison_class(request, problem.type);
    const std::size_t before = others.best.size();
    for (db::BestAnswer& answer : db::best_of_each(connection, filter))
      others.best.push_back(std::move(answer));
    if (others.best.size() > before) return;
    filter.superseded = false;
    filter.status = model::TrialStatus::dropped;
    const std::vector<model::TrialRecord> dropped = db::trials(connection, filter);
    if (dropped.empty() || !dropped.front().outcome.measurement) return;
    others.dropped += fmt::format("{} at {}: dropped early, at best ~{} ({})\n", kernel, problem.text(),
                                  reports::time_text(dropped.front().outcome.measurement->median_ns),
                                  dropped.front().configuration.text());
  };
  for (const sweep::Work& work : request.work) {
    const model::KernelSpec& spec = work.kernel.spec();
    if (!model::may_win(spec.role)) continue;
    for (const model::Problem& problem : work.problems) {
      const bool is_best = std::any_of(best.begin(), best.end(), [&](const db::BestAnswer& answer) {
        return answer.winner.kernel == spec.name && answer.winner.problem == problem;
      });
      if (!is_best) add(spec.name, problem);
    }
  }
  return others;
}

void say_best(const sweep::Request& request, const db::Connection& connection) {
  const std::vector<db::BestAnswer> best = answers(request, connection);
  write_out(best_text(best));
  const Others others = others_than(best, request, connection);
  if (others.best.empty() && others.dropped.empty()) return;
  write_out("\nthe best of the other kernels that were tuned:\n");
  if (!others.best.empty()) write_out(best_text(others.best));
  write_out(others.dropped);
}

void say_exclusions(const sweep::TrialList& list, sweep::Observer& observer) {
  for (const sweep::Exclusion& exclusion : list.excluded) {
    observer.notice(
        fmt::format("left out: {} at {}: {}", exclusion.kernel, exclusion.problem.text(), exclusion.reason));
  }
  if (list.groups.empty() && !list.excluded.empty()) {
    const sweep::Exclusion& first = list.excluded.front();
    throw model::UsageError(fmt::format("nothing is left to tune: {} at {}: {}", first.kernel,
                                        first.problem.text(), first.reason),
                            "give other sizes with --sizes, or look at the constraints");
  }
}

/// Once for each kernel: sizes differ little in this.
void say_unlaunchable(const sweep::TrialList& list, sweep::Observer& observer) {
  std::map<std::string, const sweep::Unlaunchable*> most;
  for (const sweep::Unlaunchable& lost : list.unlaunchable) {
    const sweep::Unlaunchable*& known = most[lost.kernel];
    if (known == nullptr || known->configurations < lost.configurations) known = &lost;
  }
  for (const auto& [kernel, lost] : most) {
    observer.notice(
        fmt::format("not tried: {} of {} configurations of {} at {}, which this device cannot launch: {}{}",
                    lost->configurations, lost->of, kernel, lost->problem.size_text(), lost->example,
                    lost->configurations > 1 ? " (the first)" : ""));
  }
}

void say_strategy(const sweep::StrategyChoice& strategy, const sweep::Request& request,
                  const sweep::TrialList& list, sweep::Observer& observer) {
  std::vector<std::size_t> sizes;
  for (const sweep::Group& group : list.groups) sizes.push_back(group.count_competing(request));
  if (sizes.empty()) return;
  const auto [fewest, most] = std::minmax_element(sizes.begin(), sizes.end());
  observer.notice(strategy.sentence(*fewest, *most));
}

std::string time_spent(const sweep::Summary& summary, const Backend& backend) {
  if (summary.finished == 0 || summary.wall_seconds <= 0) return "";
  return fmt::format(
      "{} trials in {:.1f} s ({:.1f} a second): {} busy {:.0f} %, {:.1f} of {} cores compiling, "
      "waiting for a compiler {:.0f} %",
      summary.finished, summary.wall_seconds, static_cast<double>(summary.finished) / summary.wall_seconds,
      backend.device.id, 100 * summary.measuring_seconds / summary.wall_seconds,
      summary.compiling.busy_seconds / summary.wall_seconds, backend.compile_jobs,
      100 * summary.waiting_seconds / summary.wall_seconds);
}

std::string resume_command(const Context& context) {
  Context again = context;
  std::erase(again.arguments, "--fresh");
  std::erase(again.arguments, "--retry-failed");
  return again.command_line();
}

/// Problems that could not even be prepared were asked for and are missing: that is a failure.
int exit_code(const sweep::Summary& summary, const SignalGuard& signals) {
  if (summary.ending == sweep::Ending::interrupted) return 128 + signals.signal();
  return static_cast<int>(summary.unprepared > 0 ? model::ExitCode::failed : model::ExitCode::done);
}

/// Everything known of the sweep's problems in its class, whichever run measured it.
void report_sweep(const db::Connection& connection, const sweep::Request& request, const Context& context,
                  const std::string& path) {
  const std::vector<model::Problem> problems = problems_of(request);
  ReportOptions options;
  options.path = path;
  options.command = context.command_line();
  options.filter.device = request.device.name;
  options.keep = [&](const model::TrialRecord& trial) {
    return trial.comparison_class == sweep::comparison_class(request, trial.problem.type) &&
           std::find(problems.begin(), problems.end(), trial.problem) != problems.end();
  };
  write_report(connection, options);
}

void say_where(const config::Settings& settings, const std::string& report) {
  write_err(fmt::format("database: {}", settings.database().string()));
  if (!report.empty()) write_err(fmt::format("report:   {}", report));
}

void say_neighbours(GpuNeighbours& neighbours, terminal::LinePrinter& printer) {
  if (const auto sentence = neighbours.sentence()) printer.warning(*sentence);
}

void say_end(const sweep::Summary& summary, const Backend& backend) {
  if (const std::string spent = time_spent(summary, backend); !spent.empty()) write_err(spent);
  if (summary.failed > 0) {
    write_err(fmt::format("{} trials failed; `tuner list failures` says why", summary.failed));
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

void say_how_to_go_on(sweep::Ending ending, const Context& context) {
  if (ending == sweep::Ending::interrupted) {
    write_err("interrupted; everything measured is kept. To resume:\n  " + resume_command(context));
  } else if (ending == sweep::Ending::budget_spent) {
    write_err("the budget is spent; to go on:\n  " + resume_command(context));
  }
}

void say_leftover(const std::string& what, const std::filesystem::path& file) {
  write_err("tuner: " + what);
  write_err(file.empty() ? "  no folder could take them; they are lost with this process"
                         : fmt::format("  they are in {}; `tuner import` takes them", file.string()));
}

/// Tells what could not be written, once more at the end: it must not scroll away.
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

/// What the device can do at most, where the database does not know it yet.
void add_ceilings(const config::Settings& settings, const sweep::Request& request, Backend& backend,
                  db::PendingResults& results, db::ResultStore& store, terminal::LinePrinter& printer,
                  const std::atomic<bool>& stop, sweep::Summary& summary) {
  if (summary.ending == sweep::Ending::interrupted || settings.text("ceilings") == "off") return;
  SweepDisplay display(printer, "");
  const sweep::Ending ending = measure_ceilings(
      {KernelCatalog::load({}).selected(), request, backend, results, store, display, stop,
       db::ceilings(store.connection(), request.device.name),
       [&](const model::Ceiling& ceiling) { store.record_ceiling(ceiling); }, summary.finished > 0});
  if (ending == sweep::Ending::interrupted) summary.ending = ending;
}

int run(const Context& context, const RunOptions& options) {
  const config::Settings settings = context.settings();
  const auto selection = options.kernels.empty() ? std::vector{settings.text("kernels")} : options.kernels;
  const KernelCatalog catalog = KernelCatalog::load(selection);
  std::vector<std::string> notices;
  std::vector<sweep::Work> work = make_work(catalog.selected(), settings, notices);
  const std::string report = settings.find("report") ? settings.text("report") : "";
  if (!report.empty()) require_deliverable(report);
  const sweep::StrategyChoice strategy(settings.text("strategy"));  // throws, before anything is made
  db::ResultStore store(settings.database());
  if (!store.notice().empty()) notices.push_back(store.notice());

  SignalGuard signals;
  Backend backend = open_backend(settings);
  if (settings.text("baselines") == "on") add_baselines(catalog.all(), backend.device, work, notices);
  const auto lock =
      backend.device.kind == "cuda" ? std::make_unique<worker::DeviceLock>(backend.device) : nullptr;
  const sweep::Request request =
      make_request(context, settings, options, backend, std::move(work), find_rivals(catalog, store));

  terminal::LinePrinter printer(open_terminal(settings), terminal::steady_clock());
  SweepDisplay display(
      printer, catalog.selected().front().metrics.empty() ? "" : catalog.selected().front().metrics[0].name);
  display.notice(fmt::format("{} ({}), {}; order and inputs from seed {}", backend.device.name,
                             backend.device.id, backend.compiler, request.seed));
  for (const std::string& notice : notices) display.notice(notice);

  const sweep::TrialList list = sweep::list_trials(request, store);
  say_exclusions(list, display);
  say_unlaunchable(list, display);
  say_strategy(strategy, request, list, display);
  GpuNeighbours neighbours(backend.device);
  if (list.total() > list.known()) say_neighbours(neighbours, printer);
  db::PendingResults results(store, [&](const std::string& sentence) { printer.warning(sentence); });
  compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
  sweep::Services services{pool,           *backend.runner,          results,       store, display,
                           backend.oracle, terminal::steady_clock(), signals.stop()};
  sweep::Summary summary = sweep::sweep(request, list, services);
  add_ceilings(settings, request, backend, results, store, printer, signals.stop(), summary);
  backend.runner.reset();  // ends the worker: whoever is on the GPU now is somebody else
  if (summary.finished > 0) say_neighbours(neighbours, printer);
  printer.finish();

  say_best(request, store.connection());
  say_end(summary, backend);
  if (!report.empty()) report_sweep(store.connection(), request, context, report);
  say_where(settings, report);
  say_how_to_go_on(summary.ending, context);
  return settle(results, exit_code(summary, signals));
}

}  // namespace

void add_run(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand("run", "Tune kernels: try, verify and remember every configuration");
  auto options = std::make_shared<RunOptions>();
  command
      ->add_option("--kernel,-k", options->kernels, "kernels to tune: names, families, spec files or folders")
      ->type_name("NAME|FILE");
  command->add_flag("--fresh", options->fresh, "measure again what is known; older measurements are kept");
  command->add_flag("--retry-failed", options->retry_failed,
                    "try again what failed when it was run, quarantined trials included");
  add_setting_flags(*command, context,
                    {"sizes",
                     "device",
                     "type",
                     "pad",
                     "strategy",
                     "seed",
                     "budget",
                     "until",
                     "measure",
                     "l2",
                     "ceilings",
                     "baselines",
                     "compile_jobs",
                     "compile_timeout_s",
                     "run_timeout_s",
                     "run_timeout_factor",
                     "prepare_timeout_s",
                     "report",
                     "db",
                     "cache_dir",
                     "cache_limit_mb",
                     "progress",
                     "color"});
  command->footer(
      "A result is kept as soon as it is made, and never measured twice: the same command again does only "
      "what is\n"
      "missing. Ctrl-C finishes the launch in hand; twice ends at once.\n"
      "Example: tuner run --sizes 512..4096 --kernel register_tile --budget 5m --report report.md");
  command->callback(
      [&context, &action, options] { action = [&context, options] { return run(context, *options); }; });
}

}  // namespace tuner::cli
