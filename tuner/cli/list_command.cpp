#include <fmt/format.h>

#include <algorithm>

#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/result_store.hpp"
#include "db/transfer.hpp"
#include "reports/summary.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/strategy_choice.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

using reports::Align;

/// Of identifiers, as people like them.
constexpr std::size_t least_digits = 7;

struct ListOptions {
  std::vector<std::string> selection;  ///< of kernels
  std::string kernel;                  ///< of failures; empty: of all
  std::string format;
};

int list_kernels(const Context&, const ListOptions& options) {
  const KernelCatalog catalog = KernelCatalog::load(options.selection);
  reports::Table table({{"kernel"},
                        {"family", Align::left, false, 4},
                        {"sizes", Align::left, false, 3},
                        {"types", Align::left, true, 1},
                        {"parameters", Align::left, true, 2},
                        {"description", Align::left, true}});
  for (const model::KernelSpec& kernel : with_baselines(catalog.selected())) {
    std::vector<std::string> parameters;
    for (const model::ParameterSpec& parameter : kernel.parameters) {
      parameters.push_back(fmt::format("{}({})", parameter.name, parameter.values.size()));
    }
    std::vector<std::string> types;
    for (const model::ElementType type : kernel.types) types.emplace_back(model::cuda_name(type));
    table.add_row(
        {kernel.name, kernel.family, fmt::format("{}", fmt::join(kernel.sizes, "x")),
         fmt::format("{}", fmt::join(types, ", ")),
         kernel.role == model::Role::baseline ? "a baseline" : fmt::format("{}", fmt::join(parameters, " ")),
         kernel.description + (kernel.unverified ? " (unverified)" : "")});
  }
  write_table(table, "kernels", options.format);
  return 0;
}

int list_strategies(const Context&, const NoOptions&) {
  reports::Table table({{"strategy"}, {"description", Align::left, true}});
  table.add_row({"auto", sweep::StrategyChoice("auto").rule()});
  reports::Table settings(
      {{"setting"}, {"usual", Align::right}, {"from"}, {"to"}, {"meaning", Align::left, true}});
  for (const search::StrategyKind& kind : search::strategies()) {
    table.add_row({std::string(kind.name), std::string(kind.description)});
    for (const search::Setting& setting : kind.settings) {
      settings.add_row({fmt::format("{}:{}=", kind.name, setting.name), fmt::format("{}", setting.usual),
                        fmt::format("{}", setting.low), fmt::format("{}", setting.high),
                        std::string(setting.description)});
    }
  }
  write_out(table.fitted(stdout_screen()) + "\n" + settings.fitted(stdout_screen()));
  return 0;
}

int list_runs(const Context& context, const ListOptions& options) {
  const db::Connection connection = db::open_results(context.settings().database());
  reports::Table table({{"run"},
                        {"started"},
                        {"state"},
                        {"device", Align::left, true, 1},
                        {"trials", Align::right, false, 2},
                        {"command", Align::left, true}});
  const std::vector<model::RunRecord> runs = db::runs(connection);
  std::vector<std::string> ids;
  for (const model::RunRecord& run : runs) ids.push_back(run.id.hex());
  const std::size_t digits = util::telling_length(ids, least_digits);
  for (const model::RunRecord& run : runs) {
    table.add_row({run.id.hex().substr(0, digits), reports::second_text(run.started_at),
                   db::is_abandoned(run) ? "interrupted" : run.state, run.device.name,
                   fmt::format("{}", run.measured), run.command_line});
  }
  if (table.empty()) throw NothingFound("the database holds no run");
  write_table(table, "runs", options.format);
  return 0;
}

/// `100 float and 2 more`: of the example, and of how many others the rest are.
template <typename Text>
std::string example_and_others(const reports::Trials& trials, const Text& text) {
  std::vector<std::string> texts;
  for (const model::TrialRecord* trial : trials) {
    std::string own = text(*trial);
    if (std::ranges::find(texts, own) == texts.end()) texts.push_back(std::move(own));
  }
  return reports::first_of(texts, 1);
}

int list_failures(const Context& context, const ListOptions& options) {
  const db::Connection connection = db::open_results(context.settings().database());
  db::TrialFilter filter;
  filter.failures = true;
  filter.kernel = options.kernel;
  reports::Table table({{"example"},
                        {"trials", Align::right},
                        {"status"},
                        {"kernel"},
                        {"configuration", Align::left, true, 1},
                        {"problem", Align::left, false, 2},
                        {"reason", Align::left, true}});
  const std::vector<model::TrialRecord> failed = db::trials(connection, filter);
  const answers::Style style = answer_style(connection);
  for (const reports::FailureGroup& group : reports::failure_groups(reports::view(failed))) {
    const model::TrialRecord& example = *group.example;
    table.add_row({style.id(example.key), fmt::format("{}", group.trials.size()),
                   std::string(model::to_string(example.outcome.status)), example.kernel,
                   example_and_others(group.trials, [](const auto& one) { return one.configuration.text(); }),
                   example_and_others(group.trials, [](const auto& one) { return one.problem.text(); }),
                   reports::reason(example)});
  }
  for (const db::OpenAttempt& attempt : db::open_attempts(connection)) {
    if (!options.kernel.empty() && attempt.kernel != options.kernel) continue;
    table.add_row(
        {attempt.trial.hex().substr(0, 12), "1", attempt.is_alive ? "under way" : "unfinished",
         attempt.kernel, attempt.configuration.text(), attempt.problem.text(),
         attempt.is_alive
             ? fmt::format("process {} since {}", attempt.pid, attempt.opened_at)
             : fmt::format("it was running when the {} ({})",
                           attempt.this_boot ? "tuner was killed" : "machine went down", attempt.opened_at)});
  }
  if (table.empty())
    throw NothingFound("the database holds no failure" +
                       (options.kernel.empty() ? "" : " of kernel " + options.kernel));
  write_table(table, "failures", options.format);
  write_err("equal failures are one line; `tuner show EXAMPLE` gives the whole compiler log or driver error");
  return 0;
}

}  // namespace

void add_list(const CommandPlace& place) {
  CLI::App& list =
      *place.parent.add_subcommand("list", "List kernels, devices, strategies, runs or failures");
  list.require_subcommand(1);
  const CommandPlace below{list, place.context, place.action};
  Command<ListOptions> kernels(below, "kernels", "shipped kernels, or those of the files named",
                               list_kernels);
  kernels->add_option("what", kernels.options().selection, "names, families, spec files or folders");
  kernels.table_format(kernels.options().format);
  kernels.pages();
  Command<ListOptions> devices(below, "devices", "devices that can run kernels here, and why others cannot",
                               [](const Context&, const ListOptions& o) { return list_devices(o.format); });
  devices.table_format(devices.options().format);
  Command<NoOptions>(below, "strategies", "search strategies and their settings", list_strategies);
  Command<ListOptions> runs(below, "runs", "what was tuned, newest first", list_runs);
  runs.table_format(runs.options().format);
  runs.pages();
  runs.settings("db");
  Command<ListOptions> failures(below, "failures", "trials that failed, and why", list_failures);
  failures.option("--kernel,-k", failures.options().kernel, "NAME", "only this kernel");
  failures.table_format(failures.options().format);
  failures.pages();
  failures.settings("db");
}

}  // namespace tuner::cli
