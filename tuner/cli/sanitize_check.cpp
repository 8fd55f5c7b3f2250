#include "tuner/cli/sanitize_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <numeric>

#include "tuner/cli/terminal/line_printer.hpp"
#include "tuner/compile/host/host_compiler.hpp"
#include "tuner/device/cpu/sanitize/address_sanitizer.hpp"
#include "tuner/device/cpu/sanitize/awkward_sizes.hpp"
#include "tuner/device/cpu/sanitize/sanitizer.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/covering_sample.hpp"

namespace tuner::cli {
namespace {

namespace sanitize = device::cpu::sanitize;

/// Extent of every dimension where the space is listed; the runs are at sizes chosen for each configuration.
constexpr std::int64_t listing_size = 64;
/// A space of at most so many configurations is run whole.
constexpr std::size_t affordable_space = 40;
/// Deadlines of a single run that the runs of one configuration together may take.
constexpr double sizes_together = 24;

void load_address_sanitizer(const Context& context) {
  const compile::host::HostCompiler compiler({.instrument = compile::host::Instrument::memory});
  std::vector<std::string> words = {"tuner"};
  words.insert(words.end(), context.arguments.begin(), context.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  sanitize::restart_with_address_sanitizer(compiler.address_sanitizer_library(), arguments.data());
}

struct Tally {
  std::size_t configurations = 0;
  std::size_t runs = 0;
  std::size_t findings = 0;
};

Tally check_kernel(const space::KernelSpace& kernel, const config::Settings& settings, bool all,
                   sanitize::Sanitizer& sanitizer, terminal::LinePrinter& printer) {
  const model::KernelSpec& spec = kernel.spec();
  const model::Problem problem = space::make_problem(
      spec, std::vector<std::int64_t>(spec.sizes.size(), listing_size), settings.type(), 0);
  const space::ConfigurationList list = kernel.list(problem, sanitizer.limits());
  std::vector<std::size_t> chosen = search::covering_sample(list);
  if (all || list.size() <= affordable_space) {
    chosen.resize(list.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  }
  Tally tally;
  for (const std::size_t index : chosen) {
    const model::Configuration configuration = list[index];
    printer.status(fmt::format("{}: {} of {} configurations, {} findings", spec.name, tally.configurations,
                               chosen.size(), tally.findings),
                   static_cast<double>(tally.configurations) / static_cast<double>(chosen.size()));
    const auto problems = sanitize::awkward_problems(kernel, configuration, problem.type, sanitizer.limits());
    for (const sanitize::Finding& finding : sanitizer.check(kernel, configuration, problems)) {
      printer.clear();
      write_out(finding.line() + "\n");
      ++tally.findings;
    }
    ++tally.configurations;
    tally.runs += problems.size();
  }
  printer.clear();
  return tally;
}

}  // namespace

int check_sanitized(const Context& context, const std::vector<model::KernelSpec>& kernels,
                    const config::Settings& settings, bool all) {
  load_address_sanitizer(context);
  // A configuration runs at several sizes, two kinds of watching each, slower than a plain run.
  const double run_limit_s = sizes_together * settings.number("run_timeout_s");
  sanitize::Sanitizer sanitizer(
      {.run_limit = std::chrono::milliseconds(static_cast<std::int64_t>(run_limit_s * 1000))});
  terminal::LinePrinter printer(open_terminal(settings), terminal::steady_clock());
  std::size_t findings = 0;
  for (const model::KernelSpec& spec : kernels) {
    const Tally tally = check_kernel(space::KernelSpace(spec), settings, all, sanitizer, printer);
    write_out(fmt::format("{}: {} configurations at {} sizes each run, {} findings\n", spec.name,
                          tally.configurations,
                          tally.configurations == 0 ? 0 : tally.runs / tally.configurations, tally.findings));
    findings += tally.findings;
  }
  return static_cast<int>(findings == 0 ? model::ExitCode::done : model::ExitCode::failed);
}

}  // namespace tuner::cli
