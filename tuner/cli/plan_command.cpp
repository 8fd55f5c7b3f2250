#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "tuner/cli/answer_style.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/run_sentences.hpp"
#include "tuner/cli/signals.hpp"
#include "tuner/cli/sweep_plan.hpp"
#include "tuner/cli/terminal/line_printer.hpp"
#include "tuner/cli/worker_setup.hpp"
#include "tuner/sweep/strategy_choice.hpp"

namespace tuner::cli {
namespace {

std::string hours_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  return seconds < 3600 ? fmt::format("{:.1f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

bool may_end_early(const OutlinedSweep& sweep) {
  const sweep::StrategyChoice choice(sweep.request.strategy);
  for (const sweep::Group& group : sweep.list.groups) {
    if (choice.until(group.count_competing(sweep.request), sweep.request.until)) return true;
  }
  return false;
}

/// `label: value`, both in the columns where the other lines have theirs.
void write_fact(std::string_view label, const std::string& value) {
  constexpr std::size_t label_columns = 11;
  write_prose(fmt::format("{:<{}}{}", label, label_columns, value), label_columns);
}

/// By what times are expected: of many kernels the first few.
void write_basis(const std::vector<std::string>& basis) {
  constexpr std::size_t most_told = 6;
  for (std::size_t i = 0; i < std::min(basis.size(), most_told); ++i) write_fact("", basis[i]);
  if (basis.size() > most_told) write_fact("", fmt::format("and {} more likewise", basis.size() - most_told));
}

void write_split(const SweepPlan& plan, const OutlinedSweep& sweep, const OutlineOptions& options) {
  const int compilers = sweep.backend.compile_jobs;
  const double compiling = plan.compile_seconds / compilers;
  const bool compile_bound = compiling > plan.device_seconds;
  write_fact(
      "in one:",
      fmt::format(
          "{} or more: {}", hours_text(std::max(compiling, plan.device_seconds)),
          compile_bound
              ? fmt::format("{} compilers bind; `tuner compile` can go before, where no GPU is", compilers)
              : "the device binds"));
  const int parts = sensible_parts(plan, compilers);
  if (options.shard && options.shard->of > 1) {
    write_fact("this is:", "shard " + options.shard->text());
  } else if (parts > 1) {
    write_fact("to split:", fmt::format("into {0}, of about {1} each: --shard 1/{0} to --shard {0}/{0}",
                                        parts, hours_text(std::max(compiling, plan.device_seconds) / parts)));
  } else {
    write_fact("to split:", "not worth it");
  }
}

int show_plan(const Context& context, const OutlineOptions& options) {
  const config::Settings settings = context.settings();
  db::ResultStore known = known_results(settings);
  SignalGuard signals;
  terminal::LinePrinter printer(open_terminal(settings), terminal::steady_clock());
  const OutlinedSweep sweep = outline_sweep(settings, options, known, printer, signals.stop());
  printer.clear();
  if (signals.stop()) return 128 + signals.signal();
  for (const std::string& notice : sweep.notices) write_err(notice);
  for (const std::string& notice : sweep.list.notices) write_err(notice);
  for (const std::string& left_out : exclusion_texts(sweep.list)) write_err(left_out);
  if (const std::string again = reopened_text(sweep.list.reopened()); !again.empty()) write_err(again);
  const SweepPlan plan = plan_sweep(sweep, settings, known.connection());
  write_prose(fmt::format("{} ({}), {}", sweep.request.device.name, sweep.request.device.architecture,
                          sweep.request.compiler));
  write_fact("trials:",
             fmt::format("{}{} on {} problems; {} known, {} left", may_end_early(sweep) ? "at most " : "",
                         plan.trials, plan.problems, plan.known, plan.left()));
  if (plan.left() == 0) return 0;
  if (!sweep.compiler_kind.empty()) {
    write_fact("binaries:",
               fmt::format("{}{}, and {} of references; {} of both are in the cache",
                           plan.is_sampled ? "about " : "", plan.binaries, plan.references, plan.cached));
    write_fact("compiling:", fmt::format("{} of one core", hours_text(plan.compile_seconds)));
    write_basis(plan.compile_basis);
  }
  write_fact("measuring:", fmt::format("{} of the device", hours_text(plan.device_seconds)));
  write_basis(plan.device_basis);
  write_split(plan, sweep, options);
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, Context& context, Action& action) {
  auto* command =
      app.add_subcommand("plan", "Say what a sweep would take, and how to split it; no GPU needed");
  auto options = std::make_shared<OutlineOptions>();
  add_outline_flags(*command, context, *options);
  command->footer(
      "Takes the flags of `tuner run`. What compiling and measuring take is told by what the database knows "
      "of the same kernels; of kernels that it knows nothing of, a few configurations are "
      "compiled.\n"
      "Example: tuner plan --gpu sm_90 --sizes 512..4096");
  command->callback([&context, &action, options] {
    action = [&context, options] { return show_plan(context, *options); };
  });
}

}  // namespace tuner::cli
