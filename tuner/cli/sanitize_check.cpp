#include "tuner/cli/sanitize_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <iterator>
#include <numeric>
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
constexpr std::array<std::int64_t, 2> listing_sizes = {64, 67};
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
  std::size_t run = 0;  ///< of these, valid at some awkward size
  std::size_t runs = 0;
  std::size_t findings = 0;
  std::size_t unreached = 0;  ///< before the budget was spent
};

/// The sample that stands for what the space holds at one listing size.
std::vector<model::Configuration> sample(const space::ConfigurationList& list, bool all) {
  std::vector<std::size_t> chosen;
  if (all || list.size() <= affordable_space) {
    chosen.resize(list.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  } else {
    chosen = search::covering_sample(list, most_run);
  }
  std::vector<model::Configuration> sampled;
  for (const std::size_t index : chosen) sampled.push_back(list[index]);
  return sampled;
}

/// Problems of the sizes that --sizes asks for or files are of; nothing where neither says any.
std::optional<std::vector<model::Problem>> problems_asked_for(const config::Settings& settings,
                                                              const model::KernelSpec& spec,
                                                              model::ElementType type) {
  if (settings.find("sizes")->layer != config::Layer::command_line && !recorded_sizes(spec, type))
    return std::nullopt;
  return problems_to_check(spec, settings);
}

/// What the space holds at the sizes asked for; else at an even and at an odd one: it may offer other
/// configurations to rows that are not aligned.
std::vector<model::Configuration> configurations_of(const space::KernelSpace& kernel, model::ElementType type,
                                                    bool all, const model::DeviceLimits& limits,
                                                    std::optional<std::vector<model::Problem>> problems) {
  const model::KernelSpec& spec = kernel.spec();
  std::vector<model::Configuration> configurations;
  std::set<std::string> taken;
  if (!problems) {
    problems.emplace();
    for (const std::int64_t size : listing_sizes)
      problems->push_back(
          space::make_problem(spec, std::vector<std::int64_t>(spec.sizes.size(), size), type, 0));
  }
  for (const model::Problem& problem : *problems) {
    for (model::Configuration& one : sample(kernel.list(problem, limits), all)) {
      if (taken.insert(one.canonical_json()).second) configurations.push_back(std::move(one));
    }
  }
  return configurations;
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
  std::vector<model::Problem> problems;
  if (asked) {
    std::ranges::copy_if(*asked, std::back_inserter(problems), [&](const model::Problem& problem) {
      return kernel.contains(problem, configuration, sanitizer.limits());
    });
  } else {
    problems = sanitize::awkward_problems(kernel, configuration, type, sanitizer.limits());
  }
  std::erase_if(problems, [&](const model::Problem& problem) {
    const auto plan = kernel.make_plan(problem, configuration, sanitizer.limits());
    const auto* const made = std::get_if<model::Plan>(&plan);
    return made != nullptr && blocks_wait_for_each_other(*made);
  });
  return problems;
}

/// What is said of a configuration that was not begun with.
constexpr std::string_view unreached = "unreached\n";

/// A line of its numbers, then a line for each finding.
std::string check_one(const space::KernelSpace& kernel, const model::Configuration& configuration,
                      model::ElementType type, const std::optional<std::vector<model::Problem>>& asked,
                      sanitize::Sanitizer& sanitizer) {
  const std::vector<model::Problem> problems = problems_of(kernel, configuration, type, asked, sanitizer);
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
  const std::size_t first_end = said.find('\n');
  std::size_t problems = 0;
  std::from_chars(said.data(), said.data() + first_end, problems);
  ++tally.configurations;
  tally.run += problems > 0 ? 1 : 0;
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
  const auto configurations = configurations_of(kernel, type, all, sanitizer.limits(), asked);
  Tally tally;
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
  if (tally.run < tally.configurations) {
    text += fmt::format("; {} more are valid at none of the sizes, or their blocks wait for each other",
                        tally.configurations - tally.run);
  }
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
  const auto configurations = configurations_of(kernel, type, true, sanitizer.limits(), asked);
  if (configurations.empty()) throw model::Error("its launch is valid at none of the sizes");
  const model::Configuration& only = configurations.front();
  return sanitizer.check(kernel, only, problems_of(kernel, only, type, asked, sanitizer));
}

}  // namespace tuner::cli
