#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "db/database.hpp"
#include "db/finals.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/in_turn.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

std::optional<double> allowed_share(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::string_view number = util::trimmed(text);
  const bool is_share = number.ends_with('%');
  if (is_share) number = util::trimmed(number.substr(0, number.size() - 1));
  const auto percent = util::parse_number<double>(number);
  if (!is_share || !percent || *percent < 0 || *percent > 1000) {
    throw model::UsageError(fmt::format("--fail-if-slower takes a percentage, '{}' is none", text),
                            "for example --fail-if-slower 1%");
  }
  return *percent / 100;
}

namespace {

struct CompareOptions {
  std::string a;
  std::string b;
  std::string format = "table";
  std::string fail_if_slower;  ///< empty: nothing fails
  bool fresh = false;
  std::vector<std::string> kernels;
};

/// What a comparison by new measurements needs of the command line; the sizes are the trials'. Kernels that
/// are not named are found where sweeps read them.
sweep::Request fresh_request(const config::Settings& settings, const CompareOptions& options,
                             const Backend& backend, const db::Connection& own,
                             const std::vector<model::TrialRecord>& trials) {
  sweep::Request request = make_request(settings, backend);
  for (const model::TrialRecord& trial : trials)
    if (options.kernels.empty())
      std::ranges::move(kernel_of(own, trial, "", backend.device), std::back_inserter(request.work));
  for (model::KernelSpec& kernel : with_baselines(KernelCatalog::load(options.kernels).selected()))
    request.work.push_back({space::KernelSpace(std::move(kernel)), {}});
  request.seed = request.inputs_seed = settings.seed().value_or(0);
  return request;
}

/// Both as measured now. A final speaks of the fastest; here it is always A by B.
Compared compare_outcome(const model::FinalOutcome& outcome, Compared both) {
  both.a.outcome.measurement = outcome.standings[0].measurement;
  both.b.outcome.measurement = outcome.standings[1].measurement;
  both.ratio = ratio_between(outcome.standings[0], outcome.standings[1]);
  both.verdict = measure::verdict(both.ratio);
  both.how = fmt::format("measured now, in {} rounds of both in turn", outcome.rounds);
  both.in_turn = true;
  return both;
}

Compared compare_fresh(const config::Settings& settings, const CompareOptions& options,
                       const db::Connection& own, const model::TrialRecord& a, const model::TrialRecord& b) {
  require_one_problem(a, b);
  Backend backend = open_backend(settings);
  const sweep::Request request = fresh_request(settings, options, backend, own, {a, b});
  write_err(fmt::format("measuring both again on {} ({}), {}", backend.device.name, backend.device.id,
                        backend.compiler));
  compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
  const model::FinalOutcome outcome =
      sweep::repeat_in_turn(request, {a, b}, {pool, *backend.runners.front(), backend.oracle});
  Compared both{a, b, {}, measure::Verdict::tied, "", false, {}, {}};
  both.a.environment = both.b.environment = sweep::environment(request, a.problem.type);
  return compare_outcome(outcome, std::move(both));
}

/// Both trials, and the verdict. Times are those that were compared.
std::string side_by_side(const db::Connection& own, const config::Settings& settings,
                         const Compared& compared) {
  const auto facts = [&](const model::TrialRecord& trial) {
    return load_facts(own, trial, settings.cache_folder());
  };
  return answers::trials_text(facts(compared.a), facts(compared.b), answer_style(own)) + '\n' +
         verdict_text(compared, stdout_screen());
}

void require_one_kind(const Side& a, const Side& b, const CompareOptions& options) {
  if (a.trial.has_value() != b.trial.has_value()) {
    throw model::UsageError(
        fmt::format("'{}' is a trial, '{}' many", a.trial ? a.name : b.name, a.trial ? b.name : a.name),
        "compare two trials, or two of runs, databases and exports");
  }
  if (options.fresh && !a.trial) {
    throw model::UsageError("--fresh measures two trials again; these are runs, databases or exports",
                            "give the identifiers of two trials, as `tuner best` shows them");
  }
}

int exit_of(const std::optional<Limit>& limit) {
  return static_cast<int>(limit && limit->any_slower() ? model::ExitCode::slower : model::ExitCode::done);
}

std::string compared_as(const std::string& format, const ComparedSides& sides,
                        const std::optional<Limit>& limit) {
  if (format == "json") return compare_json(sides, limit);
  if (format == "junit") return compare_junit(sides, *limit);
  if (format == "github") return compare_github(sides, *limit);
  return compare_text(sides, limit, stdout_screen());
}

int compare_many(const ComparedSides& sides, const CompareOptions& options,
                 const std::optional<double>& share) {
  if (share && sides.both.empty()) {
    throw NothingFound(
        "no problem was measured by both in one environment, so nothing is known to be fast enough",
        "without --fail-if-slower what each has is shown");
  }
  std::optional<Limit> limit;
  if (share) limit = judge(sides.both, *share);
  write_out(compared_as(options.format, sides, limit));
  return exit_of(limit);
}

int compare(const Context& context, const CompareOptions& options) {
  const config::Settings settings = context.settings();
  const std::optional<double> share = allowed_share(options.fail_if_slower);
  if (!share && (options.format == "junit" || options.format == "github")) {
    throw model::UsageError(fmt::format("--format {} says what --fail-if-slower finds", options.format),
                            "add --fail-if-slower 2%");
  }
  const Side a = load_side(settings.database(), options.a);
  const Side b = load_side(settings.database(), options.b);
  require_one_kind(a, b, options);
  if (!a.trial) return compare_many(compare_best(a, b), options, share);
  const db::Connection own = db::open_results(settings.database());
  const Compared compared =
      options.fresh ? compare_fresh(settings, options, own, *a.trial, *b.trial)
                    : compare_trials(*a.trial, *b.trial, db::final_between(own, a.trial->key, b.trial->key));
  std::optional<Limit> limit;
  if (share) limit = judge({compared}, *share);
  if (options.format != "table")
    write_out(compared_as(options.format, {{compared}, {}, {}}, limit));
  else
    write_out(side_by_side(own, settings, compared) +
              (limit ? limit_text({compared}, *limit, stdout_columns()) : ""));
  return exit_of(limit);
}

}  // namespace

void add_compare(const CommandPlace& place) {
  Command<CompareOptions> command(
      place, "compare",
      "Say which of two trials, runs, databases, exports or baselines is faster, and how sure that is",
      compare);
  CompareOptions& options = command.options();
  command->add_option("A", options.a, "a trial's or run's identifier (its first digits), or a file")
      ->required();
  command->add_option("B", options.b, "the same")->required();
  command.flag("--fresh", options.fresh,
               "compile both trials and measure them again now, in turn; nothing is stored");
  command.option("--kernel,-k", options.kernels, "NAME|FILE",
                 "for --fresh: where the trials' kernels are found; without it where sweeps read them");
  command.option("--fail-if-slower", options.fail_if_slower, "PERCENT",
                 "exit 5 where A is surely slower than B by more than this, as 1%");
  command.choice("--format", options.format, {"table", "json", "junit", "github"},
                 "table; json; with --fail-if-slower also junit: JUnit's XML; github: annotations");
  command.pages();
  command.settings(
      "db device measure l2 execution seed compile_jobs compile_timeout_s run_timeout_s run_timeout_factor "
      "cache_dir cache_limit_mb");
  command->footer(
      "The answer is faster, slower or tied, with the ratio of A's time to B's and its 95 % interval. Two "
      "trials of one final were sampled in turn, so drift hits both alike. Samples taken apart contain "
      "drift; "
      "--fresh avoids it. Runs, databases and exports are compared by their best configurations, "
      "problem by problem, within one environment: device, driver, toolkit, type, L2 policy, method, "
      "execution, locked clock, inputs.\n"
      "--fail-if-slower compares samples in turn, else the fastest of both, which a lowered clock does not "
      "change. At most "
      "one comparison of unchanged kernels in a hundred fails. A result that is neither surely slower nor "
      "surely fast enough is named and does not fail. A launch too small for the measured noise is named and "
      "not judged.\n"
      "Examples: tuner compare 3fa1c2e 9be0041 --fresh; tuner compare tonight.db main.db --fail-if-slower "
      "1%");
}

}  // namespace tuner::cli
