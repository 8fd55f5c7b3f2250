#include "tuner/cli/sanitize_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>
#include <set>

#include "tuner/cli/backend.hpp"
#include "tuner/cli/capture.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/sanitize/sanitizer.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace sanitize = device::cpu::sanitize;

/// Extents of every dimension where the space is listed; the runs are at sizes chosen for each configuration.
/// It may hold others where rows are not aligned, and where sizes are multiples of large tiles.
constexpr std::array<std::int64_t, 4> listing_sizes = {64, 67, 1024, 4096};
/// Of a space that is sampled, at so many of them; at the others what is valid at none before.
constexpr std::ptrdiff_t sampled_whole = 2;
/// A space of at most so many configurations is run whole.
constexpr std::size_t affordable_space = 16;
constexpr std::size_t most_run = 64;
/// So much longer than a plain one may a run of what is watched take, and compiling it.
constexpr int watched_run = 12;
constexpr int watched_compile = 2;

}  // namespace

void load_address_sanitizer(const Context& context) {
  const compile::host::HostCompiler compiler({.instrument = compile::host::Instrument::memory});
  std::vector<std::string> words = {"tuner"};
  words.insert(words.end(), context.arguments.begin(), context.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  sanitize::restart_with_address_sanitizer(compiler.address_sanitizer_library(), arguments.data());
}

namespace {

struct Tally {
  std::size_t configurations = 0;
  std::size_t run = 0;
  std::size_t runs = 0;
  std::size_t findings = 0;
  std::size_t nowhere = 0;    ///< cannot be launched at any size that was tried
  std::size_t waiting = 0;    ///< their blocks wait for each other
  std::size_t unreached = 0;  ///< before the budget was spent
  bool is_sample = false;
};

/// The spec without the conditions that see a size: its space has whatever is valid at some.
model::KernelSpec at_any_size(model::KernelSpec spec) {
  std::set<std::string> seen(spec.sizes.begin(), spec.sizes.end());
  seen.insert(spec.row_padding);
  const auto sees_one = [&](const model::Expression& expression) {
    return std::ranges::any_of(space::names_in(expression.text),
                               [&](const std::string& name) { return seen.contains(name); });
  };
  for (std::size_t known = 0; known != seen.size();) {
    known = seen.size();
    for (const model::NamedExpression& derived : spec.derived)
      if (sees_one(derived.value)) seen.insert(derived.name);
  }
  std::erase_if(spec.constraints, sees_one);
  std::erase_if(spec.worth_trying, sees_one);
  return spec;
}

std::vector<model::Configuration> sample(const space::ConfigurationList& list, bool few) {
  std::vector<model::Configuration> sampled;
  if (few && list.size() > affordable_space)
    for (const std::size_t index : search::covering_sample(list, most_run)) sampled.push_back(list[index]);
  else
    for (std::size_t i = 0; i < list.size(); ++i) sampled.push_back(list[i]);
  return sampled;
}

/// What is to be run.
struct ToRun {
  std::vector<model::Configuration> configurations;
  bool is_sample = false;  ///< of more
};

/// Problems of the sizes that --sizes asks for or files are of; nothing where neither says any.
std::optional<std::vector<model::Problem>> problems_asked_for(const config::Settings& settings,
                                                              const model::KernelSpec& spec,
                                                              model::ElementType type) {
  if (settings.find("sizes")->layer != config::Layer::command_line && !recorded_sizes(spec, type))
    return std::nullopt;
  return problems_to_check(spec, settings);
}

/// The whole space, excluded at the sizes or not, where `all` or it is small; else samples of what is valid
/// at the sizes asked for, or at those to list.
ToRun configurations_of(const space::KernelSpace& kernel, model::ElementType type, bool all,
                        const model::DeviceLimits& limits,
                        const std::optional<std::vector<model::Problem>>& asked) {
  const model::KernelSpec& spec = kernel.spec();
  std::vector<model::Problem> problems = asked.value_or(std::vector<model::Problem>());
  for (std::size_t i = 0; i < listing_sizes.size() && !asked; ++i)
    problems.push_back(
        space::make_problem(spec, std::vector<std::int64_t>(spec.sizes.size(), listing_sizes[i]), type, 0));
  ToRun chosen;
  if (problems.empty()) return chosen;
  const space::KernelSpace whole(at_any_size(spec));
  chosen.is_sample = !all && whole.list(problems.front(), limits).size() > affordable_space;
  const space::KernelSpace& listed = chosen.is_sample ? kernel : whole;
  std::set<std::vector<std::int64_t>> seen;
  std::set<std::string> taken;
  for (auto problem = problems.begin(); problem != problems.end(); ++problem) {
    if (!seen.insert(listed.seen_of(*problem, limits)).second) continue;
    const auto has_it = [&](const model::Configuration& one) {
      return std::any_of(problems.begin(), problem,
                         [&](const auto& earlier) { return kernel.contains(earlier, one, limits); });
    };
    const bool only_others = chosen.is_sample && !asked && problem - problems.begin() >= sampled_whole;
    for (model::Configuration& one : sample(listed.list(*problem, limits), chosen.is_sample)) {
      if (only_others && has_it(one)) continue;
      if (taken.insert(one.canonical_json()).second) chosen.configurations.push_back(std::move(one));
    }
  }
  return chosen;
}

/// Sanitizers run one block after the other.
bool blocks_wait_for_each_other(const model::Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const model::Step& step) {
    return (step.cooperative ? step.grid : step.cluster).count() > 1;
  });
}

/// Those of `asked` that the configuration can be run at; where none was asked for, awkward ones.
std::vector<model::Problem> problems_of(const space::KernelSpace& kernel,
                                        const model::Configuration& configuration, model::ElementType type,
                                        const std::optional<std::vector<model::Problem>>& asked,
                                        const sanitize::Sanitizer& sanitizer) {
  if (!asked) return sanitize::awkward_problems(kernel, configuration, type, sanitizer.limits());
  std::vector<model::Problem> problems;
  std::ranges::copy_if(*asked, std::back_inserter(problems), [&](const model::Problem& problem) {
    return kernel.contains(problem, configuration, sanitizer.limits());
  });
  return problems;
}

void leave_out_waiting(std::vector<model::Problem>& problems, const space::KernelSpace& kernel,
                       const model::Configuration& configuration, const sanitize::Sanitizer& sanitizer) {
  std::erase_if(problems, [&](const model::Problem& problem) {
    const auto plan = kernel.make_plan(problem, configuration, sanitizer.limits());
    const auto* const made = std::get_if<model::Plan>(&plan);
    return made != nullptr && blocks_wait_for_each_other(*made);
  });
}

/// What is said of a configuration that was not begun with, or is not run.
constexpr std::string_view unreached = "unreached\n";
constexpr std::string_view nowhere = "nowhere\n";
constexpr std::string_view waiting = "waiting\n";

/// A line of its numbers, then a line for each finding.
std::string check_one(const space::KernelSpace& kernel, const model::Configuration& configuration,
                      model::ElementType type, const std::optional<std::vector<model::Problem>>& asked,
                      sanitize::Sanitizer& sanitizer) {
  std::vector<model::Problem> problems = problems_of(kernel, configuration, type, asked, sanitizer);
  if (problems.empty()) return std::string(nowhere);
  leave_out_waiting(problems, kernel, configuration, sanitizer);
  if (problems.empty()) return std::string(waiting);
  std::string said = fmt::format("{}\n", problems.size());
  for (const sanitize::Finding& finding : sanitizer.check(kernel, configuration, problems)) {
    said += finding.line() + "\n";
  }
  return said;
}

void add(Tally& tally, const std::string& said) {
  if (said == unreached) {
    ++tally.unreached;
    return;
  }
  ++tally.configurations;
  tally.nowhere += said == nowhere ? 1 : 0;
  tally.waiting += said == waiting ? 1 : 0;
  if (said == nowhere || said == waiting) return;
  const std::size_t first_end = said.find('\n');
  std::size_t problems = 0;
  std::from_chars(said.data(), said.data() + first_end, problems);
  ++tally.run;
  tally.runs += problems;
  tally.findings += static_cast<std::size_t>(std::ranges::count(said, '\n')) - 1;
}

/// `seconds_left`: of the budget.
Tally check_kernel(const space::KernelSpace& kernel, const config::Settings& settings, bool all,
                   const std::function<double()>& seconds_left, sanitize::Sanitizer& sanitizer,
                   terminal::LinePrinter& printer) {
  const model::KernelSpec& spec = kernel.spec();
  const model::ElementType type =
      space::make_problem(spec, std::vector<std::int64_t>(spec.sizes.size(), listing_sizes[0]),
                          settings.type(), 0)
          .type;
  const auto asked = problems_asked_for(settings, spec, type);
  const ToRun chosen = configurations_of(kernel, type, all, sanitizer.limits(), asked);
  const std::vector<model::Configuration>& configurations = chosen.configurations;
  Tally tally;
  tally.is_sample = chosen.is_sample;
  const auto say_progress = [&] {
    printer.status(fmt::format("{}: {} of {}, {}", spec.name, tally.configurations,
                               util::counted(configurations.size(), "configuration"),
                               util::counted(tally.findings, "finding")),
                   static_cast<double>(tally.configurations) / static_cast<double>(configurations.size()));
  };
  if (!configurations.empty()) say_progress();
  sanitize::run_side_by_side(
      configurations.size(), compile_jobs(settings),
      [&](std::size_t i) {
        return seconds_left() <= 0 ? std::string(unreached)
                                   : check_one(kernel, configurations[i], type, asked, sanitizer);
      },
      [&](std::size_t, const std::string& said) {
        add(tally, said);
        const std::string findings = said.substr(said.find('\n') + 1);
        if (!findings.empty()) {
          printer.clear();
          write_out(findings);
        }
        say_progress();
      });
  printer.clear();
  return tally;
}

sanitize::Sanitizer make_sanitizer(const config::Settings& settings) {
  using std::chrono::milliseconds;
  const milliseconds run = runner_settings(settings).run_deadline;
  const milliseconds compile = compiler_settings(settings).deadline;
  return sanitize::Sanitizer({.run_limit = run * watched_run,
                              .compile_limit = compile * watched_compile,
                              .cache = binary_cache(settings)});
}

std::string summary(const std::string& kernel, const Tally& tally) {
  std::string text =
      fmt::format("{}: {} at {} each run, {}", kernel, util::counted(tally.run, "configuration"),
                  util::counted(tally.run == 0 ? 0 : tally.runs / tally.run, "size"),
                  util::counted(tally.findings, "finding"));
  if (tally.unreached > 0)
    text +=
        fmt::format("; {} not reached, the budget is spent", util::counted(tally.unreached, "configuration"));
  if (tally.nowhere > 0)
    text +=
        fmt::format("; not run: {} that can be launched at none of the sizes tried: name others with --sizes",
                    tally.nowhere);
  if (tally.waiting > 0) text += fmt::format("; not run: {} whose blocks wait for each other", tally.waiting);
  if (tally.is_sample) text += "; a sample: --all runs every one";
  return text + "\n";
}

}  // namespace

int check_sanitized(const Context& context, const std::vector<model::KernelSpec>& kernels,
                    const config::Settings& settings, bool all) {
  load_address_sanitizer(context);
  sanitize::Sanitizer sanitizer = make_sanitizer(settings);
  terminal::LinePrinter printer(open_terminal(settings), terminal::steady_clock());
  const double began = terminal::steady_clock()();
  const auto budget = static_cast<double>(settings.budget().time.count());
  const auto seconds_left = [&] { return budget > 0 ? began + budget - terminal::steady_clock()() : 1; };
  std::size_t findings = 0;
  bool all_run = true;
  for (const model::KernelSpec& spec : kernels) {
    if (!model::runs_on(spec.device_kinds, settings.text("device"))) {
      write_out(fmt::format("{}: left out: its spec has devices = [\"{}\"]\n", spec.name,
                            fmt::join(spec.device_kinds, "\", \"")));
      continue;
    }
    const Tally tally =
        check_kernel(space::KernelSpace(spec), settings, all, seconds_left, sanitizer, printer);
    write_out(summary(spec.name, tally));
    findings += tally.findings;
    all_run = all_run && tally.run > 0;
  }
  using model::ExitCode;
  return static_cast<int>(findings > 0 ? ExitCode::failed
                          : all_run    ? ExitCode::done
                                       : ExitCode::nothing_found);
}

std::vector<sanitize::Finding> sanitizer_findings(const space::KernelSpace& kernel, model::ElementType type,
                                                  const config::Settings& settings) {
  sanitize::Sanitizer sanitizer = make_sanitizer(settings);
  std::optional<std::vector<model::Problem>> asked;
  if (recorded_sizes(kernel.spec(), type)) asked = problems_to_check(kernel.spec(), settings);
  const ToRun chosen = configurations_of(kernel, type, true, sanitizer.limits(), asked);
  if (chosen.configurations.empty()) throw model::Error("its constraints leave no configuration");
  const model::Configuration& only = chosen.configurations.front();
  std::vector<model::Problem> problems = problems_of(kernel, only, type, asked, sanitizer);
  // Large ones take long, and awkward ones show most.
  if (problems.empty())
    problems = problems_of(kernel, only, type, problems_to_check(kernel.spec(), settings), sanitizer);
  if (problems.empty()) throw model::Error("its launch is valid at none of the sizes");
  leave_out_waiting(problems, kernel, only, sanitizer);
  if (problems.empty()) throw model::Error("its blocks wait for each other");
  return sanitizer.check(kernel, only, problems);
}

}  // namespace tuner::cli
