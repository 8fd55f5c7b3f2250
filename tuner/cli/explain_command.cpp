#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "config/settings.hpp"
#include "db/database.hpp"
#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "reports/summary.hpp"
#include "tuner/cli/answers/best.hpp"
#include "tuner/cli/answers/evidence.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/cover_answer.hpp"
#include "tuner/cli/explained.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

bool is_gpu(const std::optional<model::DeviceInfo>& device) {
  return device && device->architecture.starts_with("sm_");
}

}  // namespace

Explainer::Explainer(const db::Connection& connection, const config::Settings& settings, std::string spec,
                     bool may_compile)
    : m_connection(connection),
      m_settings(settings),
      m_spec(std::move(spec)),
      m_may_compile(may_compile),
      m_devices(db::devices(connection)) {}

const Explainer::Kernel& Explainer::kernel_of(const model::TrialRecord& trial) {
  const auto [known, is_new] = m_kernels.try_emplace(trial.definition);
  Kernel& kernel = known->second;
  if (!is_new || trial.definition.empty()) return kernel;
  try {
    if (!m_specs) m_specs.emplace(m_connection, m_spec);
    for (model::KernelSpec& spec : m_specs->of(trial)) {
      space::KernelSpace whole(spec);
      if (!is_described(trial, whole, m_devices)) continue;
      for (const model::Expression& constraint : spec.constraints) {
        model::KernelSpec alone = spec;
        alone.constraints = {constraint};
        kernel.constraints.emplace_back(constraint.text, space::KernelSpace(std::move(alone)));
      }
      kernel.whole = std::make_unique<space::KernelSpace>(std::move(whole));
      break;
    }
  } catch (const model::Error&) {  // a spec that is no longer readable says nothing
  }
  return kernel;
}

std::vector<explain::Listed> Explainer::listed(const model::TrialRecord& winner,
                                               const model::DeviceLimits& limits) {
  const Kernel& kernel = kernel_of(winner);
  if (!kernel.whole) return {};
  std::vector<explain::Listed> all;
  const auto& assignments = winner.configuration.assignments();
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const auto& parameters = kernel.whole->spec().parameters;
    const auto parameter = std::ranges::find(parameters, assignments[i].name, &model::ParameterSpec::name);
    if (parameter == parameters.end()) continue;
    explain::Listed one{parameter->name, parameter->values, {}};
    for (const model::Value& value : parameter->values) {
      model::Configuration changed = winner.configuration;
      changed.set(i, value);
      if (kernel.whole->allows(winner.problem, changed, limits)) continue;
      const auto by = std::ranges::find_if(kernel.constraints, [&](const auto& constraint) {
        return !constraint.second.allows(winner.problem, changed, limits);
      });
      if (by != kernel.constraints.end()) one.barred.push_back({value, by->first});
    }
    all.push_back(std::move(one));
  }
  return all;
}

explain::Side Explainer::side_of(const model::TrialRecord& trial, std::string& without) const {
  explain::Side side{trial, {}, {}};
  for (db::StoredCounter& stored : db::counters(m_connection, trial.key))
    side.counters.push_back(std::move(stored.counter));
  try {
    answers::TrialCode code = machine_code(m_settings, m_connection, trial, m_may_compile);
    side.code = std::move(code.kernels[code.first]);
  } catch (const model::Error& error) {
    if (m_may_compile && without.empty()) without = error.what();
  }
  return side;
}

answers::Explanation Explainer::operator()(const db::BestAnswer& answer, const db::Ranking& ranked) {
  explain::Subject subject;
  const model::TrialRecord& winner = answer.winner;
  if (const auto* device = device_named(m_devices, winner.environment.device)) subject.device = *device;
  const model::DeviceLimits limits = subject.device ? subject.device->limits : model::DeviceLimits();
  answers::Explanation explained;
  explained.answer = &answer;
  if (is_gpu(subject.device)) {
    subject.winner = side_of(winner, explained.without);
  } else {
    subject.winner.trial = winner;
    subject.device.reset();  // its launches fill no multiprocessors
  }
  const double base = answers::ratio_of_winner(answer, ranked);
  if (const db::Ranked* const next = answers::runner_up(answer, ranked)) {
    subject.runner_up =
        is_gpu(subject.device) ? side_of(next->trial, explained.without) : explain::Side{next->trial, {}, {}};
    subject.runner_up_ratio = next->ratio / base;
    subject.in_turn = next->in_final;
  }
  for (const db::Ranked& one : ranked)
    if (one.trial.kernel == winner.kernel)
      subject.trials.push_back(
          {one.trial.configuration, one.ratio / base, !model::has_trusted_time(one.trial.outcome.status)});
  subject.listed = listed(winner, limits);
  subject.ceilings = answer.ceilings;
  if (subject.device) {
    subject.occupancy = [device = *subject.device, block = winner.block](
                            const model::KernelResources& resources, std::int64_t dynamic_shared_bytes) {
      return device::cuda::occupancy(device.limits, device.compute_major, device.compute_minor, resources,
                                     block, dynamic_shared_bytes);
    };
  }
  explained.findings = explain::explain(subject);
  return explained;
}

namespace {

struct ExplainOptions : Question {
  std::string what;  ///< sizes, or a parameter; empty: all sizes
  std::string format = "table";

  /// Names of parameters begin with a letter.
  bool is_of_parameter() const {
    return !what.empty() && std::isdigit(static_cast<unsigned char>(what[0])) == 0;
  }
};

/// What is asked about.
struct Asked {
  db::BestQuery query;
  db::BestAnswers all;
  answers::Chosen chosen;
};

/// Of each family and size the answer that `tuner best` would give; where no rule chooses, all of them.
answers::Chosen chosen_of(const db::BestAnswers& all) {
  answers::Chosen chosen;
  for (const answers::EnvironmentChoice& choice : answers::choose_environments(all)) {
    if (choice.chosen) chosen.push_back(&all[*choice.chosen]);
    if (!choice.chosen) std::ranges::copy(answers::choices_of(all, choice), std::back_inserter(chosen));
  }
  return chosen;
}

Asked ask(const Context& context, const config::Settings& settings, const db::Connection& connection,
          const ExplainOptions& options) {
  Asked asked;
  asked.query = query_of(context, settings, connection, options);
  asked.all = answers_to_cover(connection, asked.query);
  const std::string sizes = options.is_of_parameter() ? "" : options.what;
  const bool has_others = !asked.all.empty();
  if (!sizes.empty())
    std::erase_if(asked.all, [wanted = config::parse_sizes(sizes)](const db::BestAnswer& answer) {
      return !is_of_sizes(answer.problem(), wanted);
    });
  if (asked.all.empty())
    find_nothing(connection, settings, options, sizes, "", "",
                 has_others ? "; `tuner best` answers by the sizes that were measured" : "");
  asked.chosen = options.is_of_parameter() ? of_one_environment(asked.all) : chosen_of(asked.all);
  std::ranges::stable_sort(
      asked.chosen, reports::problem_less,
      [](const db::BestAnswer* answer) -> const auto& { return answer->problem(); });
  return asked;
}

int explain_parameter(const db::Connection& connection, const ExplainOptions& options, const Asked& asked) {
  std::vector<db::Ranking> rankings;
  for (const db::BestAnswer* const answer : asked.chosen)
    rankings.push_back(db::ranking(connection, *answer, asked.query));
  const answers::ParameterEffect effect = answers::parameter_effect(options.what, asked.chosen, rankings);
  if (effect.sizes.empty()) {
    const std::vector<std::string> names = answers::parameter_names(rankings);
    const std::string meant = util::did_you_mean(options.what, names);
    throw model::UsageError(
        fmt::format("no trial{} has a parameter {}", asked_text(options), util::one_line(options.what, 60)),
        !meant.empty()  ? meant
        : names.empty() ? "they have none"
                        : fmt::format("they have {}", fmt::join(names, ", ")));
  }
  write_out(options.format == "json" ? answers::effect_json(effect)
                                     : answers::effect_text(effect, answer_style(connection)));
  return 0;
}

/// Whether there are answers of several devices.
bool names_devices(const db::BestAnswers& all) {
  return std::ranges::any_of(all, [&](const db::BestAnswer& answer) {
    return answer.winner.environment.device != all.front().winner.environment.device;
  });
}

int explain_winners(const config::Settings& settings, const db::Connection& connection,
                    const ExplainOptions& options, const Asked& asked) {
  constexpr std::size_t most_compiled = 2;  // each takes seconds
  Explainer explainer(connection, settings, options.spec, asked.chosen.size() <= most_compiled);
  std::vector<answers::Explanation> all;
  for (const db::BestAnswer* const answer : asked.chosen) {  // the trials of one at a time
    all.push_back(explainer(*answer, db::ranking(connection, *answer, asked.query)));
    all.back().names_device = names_devices(asked.all);
  }
  if (options.format == "json") {
    write_out(answers::explanations_json(all));
    return 0;
  }
  const answers::Style style = answer_style(connection);
  std::string text;
  for (const answers::Explanation& one : all)
    text += (text.empty() ? "" : "\n") + answers::explanation_text(one, style);
  write_out(text);
  return 0;
}

int explain(const Context& context, ExplainOptions options) {
  name_kernel(options);
  const config::Settings settings = context.settings();
  const db::Connection connection = db::open_results(settings.database());
  const Asked asked = ask(context, settings, connection, options);
  const int code = options.is_of_parameter() ? explain_parameter(connection, options, asked)
                                             : explain_winners(settings, connection, options, asked);
  say_spec_changes(connection, asked.chosen, options.spec, context);
  return code;
}

}  // namespace

void add_explain(const CommandPlace& place) {
  Command<ExplainOptions> command(
      place, "explain", "Say why the best is as fast as it is, or what a parameter's values cost", explain);
  ExplainOptions& options = command.options();
  command.option("SIZES|PARAMETER", options.what, "",
                 "sizes, as 1024 or 512..2048: why the best is fast; a parameter, as TILE_K: what its values "
                 "cost; default: all sizes");
  add_question(command, options);
  command.choice("--format", options.format, {"table", "json"}, "table or json");
  command.pages();
  command.settings("db type pad measure l2 execution cache_dir");
  command->footer(
      "For a size: what binds its best, what the runner-up lacks, which parameters matter, what to try next. "
      "From the counters of `tuner profile` where there are any, else from machine code, resources, ceilings "
      "and times. For one or two sizes, machine code that is no longer cached is compiled again.\n"
      "For a parameter, at each size: the best configuration with a value against the best with any. For "
      "each "
      "value the other parameters have their best tried values.\n"
      "Example: tuner explain 1024\n         tuner explain TILE_K --kernel sgemm");
}

}  // namespace tuner::cli
