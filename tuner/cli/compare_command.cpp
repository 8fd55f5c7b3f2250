#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "db/database.hpp"
#include "db/final_queries.hpp"
#include "tuner/cli/answer_style.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/compare_formats.hpp"
#include "tuner/cli/compare_sides.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/measure/policy.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/repeat.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/worker/device_lock.hpp"

namespace tuner::cli {
namespace {

struct CompareOptions {
  std::string a;
  std::string b;
  std::string format = "table";
  bool fresh = false;
  std::vector<std::string> kernels;
};

/// What a comparison by new measurements needs of the command line; the sizes are the trials'.
sweep::Request make_request(const config::Settings& settings, const CompareOptions& options,
                            const Backend& backend) {
  sweep::Request request;
  const KernelCatalog catalog = KernelCatalog::load(options.kernels);
  for (const model::KernelSpec& kernel : catalog.selected()) {
    request.work.push_back({space::KernelSpace(kernel), {}});
    for (model::KernelSpec& baseline : space::baselines(kernel)) {
      request.work.push_back({space::KernelSpace(std::move(baseline)), {}});
    }
  }
  request.device = backend.device;
  request.compiler = backend.compiler;
  request.policy = measure::policy(settings.text("measure"), settings.text("l2") == "cold");
  request.seed = settings.seed().value_or(0);
  return request;
}

/// Both as measured now. A final speaks of the fastest; here it is always A by B.
Compared compare_outcome(const model::FinalOutcome& outcome, Compared both) {
  both.a.outcome.measurement = outcome.standings[0].measurement;
  both.b.outcome.measurement = outcome.standings[1].measurement;
  const auto ratio = [&](std::size_t i) {
    const model::Standing& standing = outcome.standings[i];
    return measure::Ratio{standing.ratio, standing.ratio_low, standing.ratio_high};
  };
  both.ratio = measure::quotient(ratio(0), ratio(1));
  both.verdict = measure::verdict(both.ratio);
  both.how = fmt::format("measured now, in {} rounds of both in turn", outcome.rounds);
  return both;
}

Compared compare_fresh(const config::Settings& settings, const CompareOptions& options,
                       const model::TrialRecord& a, const model::TrialRecord& b) {
  if (a.problem != b.problem) {
    throw model::UsageError(fmt::format("A is of {}, B of {}: their times say nothing of each other",
                                        a.problem.text(), b.problem.text()),
                            "name trials of one problem");
  }
  Backend backend = open_backend(settings);
  const sweep::Request request = make_request(settings, options, backend);
  write_err(fmt::format("measuring both again on {} ({}), {}", backend.device.name, backend.device.id,
                        backend.compiler));
  compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
  const model::FinalOutcome outcome =
      sweep::repeat_in_turn(request, {a, b}, {pool, *backend.runners.front(), backend.oracle});
  Compared both{a, b, {}, measure::Verdict::tied, ""};
  both.a.comparison_class = both.b.comparison_class = sweep::comparison_class(request, a.problem.type);
  return compare_outcome(outcome, std::move(both));
}

Compared compare_stored(const config::Settings& settings, const model::TrialRecord& a,
                        const model::TrialRecord& b) {
  const db::Connection own = db::open_for_reading(settings.database());
  return compare_trials(a, b, db::final_between(own, a.key, b.key));
}

/// Both trials, and the verdict. Times are those that were compared.
std::string side_by_side(const config::Settings& settings, const Compared& compared) {
  const db::Connection own = db::open_for_reading(settings.database());
  AnswerStyle style(own);
  const auto facts = [&](const model::TrialRecord& trial) {
    return load_facts(own, trial, settings.cache_folder());
  };
  return answers::trials_text(facts(compared.a), facts(compared.b), style.for_stdout()) + '\n' +
         verdict_text(compared, stdout_columns());
}

int compare(const Context& context, const CompareOptions& options) {
  const config::Settings settings = context.settings();
  const Side a = load_side(settings.database(), options.a);
  const Side b = load_side(settings.database(), options.b);
  if (a.trial.has_value() != b.trial.has_value()) {
    throw model::UsageError(
        fmt::format("'{}' is a trial, '{}' many", a.trial ? a.name : b.name, a.trial ? b.name : a.name),
        "compare two trials, or two of runs, databases and exports");
  }
  if (options.fresh && !a.trial) {
    throw model::UsageError("--fresh measures two trials again; these are runs, databases or exports",
                            "give the identifiers of two trials, as `tuner best` shows them");
  }
  if (!a.trial) {
    const ComparedSides sides = compare_best(a, b);
    write_out(options.format == "json" ? compare_json(sides) : compare_text(sides, stdout_columns()));
    return static_cast<int>(model::ExitCode::done);
  }
  const Compared compared = options.fresh ? compare_fresh(settings, options, *a.trial, *b.trial)
                                          : compare_stored(settings, *a.trial, *b.trial);
  write_out(options.format == "json" ? compare_json({{compared}, {}, {}}) : side_by_side(settings, compared));
  return static_cast<int>(model::ExitCode::done);
}

}  // namespace

void add_compare(CLI::App& app, Context& context, Action& action) {
  auto* command = app.add_subcommand(
      "compare", "Say which of two trials, runs, databases or exports is faster, and how sure that is");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("A", options->a, "a trial's or run's identifier (its first digits), or a file")
      ->required();
  command->add_option("B", options->b, "the same")->required();
  command->add_flag("--fresh", options->fresh,
                    "compile both trials and measure them again now, in turn; nothing is stored");
  command
      ->add_option("--kernel,-k", options->kernels,
                   "for --fresh: where the trials' kernels are found; without it the shipped ones")
      ->type_name("NAME|FILE");
  command->add_option("--format", options->format, "table; json")->check(CLI::IsMember({"table", "json"}));
  add_setting_flags(*command, context,
                    {"db", "device", "measure", "l2", "seed", "compile_jobs", "compile_timeout_s",
                     "run_timeout_s", "run_timeout_factor", "cache_dir", "cache_limit_mb"});
  command->footer(
      "The answer is faster, slower or tied, with the ratio of A's time to B's and its 95 % interval. Two "
      "trials that\n"
      "took part in one final were sampled in turn: drift hit both alike. Samples taken apart know nothing "
      "of "
      "what\n"
      "drifted between them; --fresh does. Of runs, databases and exports the best configurations are "
      "compared, problem\n"
      "by problem, within one class: device, driver, toolkit, type, L2 policy, method.\n"
      "Example: tuner compare 3fa1c2 9be004 --fresh");
  command->callback(
      [&context, &action, options] { action = [&context, options] { return compare(context, *options); }; });
}

}  // namespace tuner::cli
