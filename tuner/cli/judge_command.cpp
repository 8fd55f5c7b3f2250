#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "config/kernel_file.hpp"
#include "config/time_specs.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/kernel_program.hpp"
#include "tuner/cli/outlined_sweep.hpp"
#include "tuner/cli/sanitize_check.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/source/tokens.hpp"
#include "tuner/space/space.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

struct JudgeOptions {
  std::string candidate;
  std::string against;
  std::string entry;
  std::string block;
  std::string grid;
  std::string shared;
  std::vector<std::string> parameters;
  std::string fail_if_slower;
  bool same_bits = false;
  std::string format;
  bool no_sanitizers = false;
  bool sanitizers_only = false;  ///< what the process for the sanitizers is told
};

model::Assignment assignment_of(const std::string& text) {
  auto [name, value] = macro_of(text);
  const auto number = util::parse_number<std::int64_t>(value);
  return {std::move(name), number ? model::Value(*number) : model::Value(std::move(value))};
}

model::KernelSpec spec_against(const JudgeOptions& options) {
  const KernelCatalog catalog = KernelCatalog::load({options.against});
  if (catalog.selected().size() != 1)
    throw model::UsageError(fmt::format("'{}' names {} kernels", options.against, catalog.selected().size()),
                            "a candidate is held against one spec");
  const model::KernelSpec& spec = catalog.selected().front();
  if (!spec.verify)
    throw model::UsageError(fmt::format("{} says nothing of what is right", spec.name),
                            "a spec to judge by has [verify]");
  return spec;
}

using Assignments = std::vector<model::Assignment>;

config::LoadedKernels candidate_of(const model::KernelSpec& spec, const JudgeOptions& options,
                                   const Assignments& usual = {}) {
  if (!std::filesystem::is_regular_file(options.candidate))
    throw model::UsageError(fmt::format("{}: there is no such file", options.candidate));
  const auto expressions = [](const std::string& text) {
    return config::split_list(text, config::ListOf::expressions);
  };
  config::CandidateLaunch launch{
      options.entry, expressions(options.block), expressions(options.grid), options.shared, {}};
  for (const std::string& text : options.parameters) launch.parameters.push_back(assignment_of(text));
  return config::candidate_kernel(spec, options.candidate, launch, usual);
}

/// A macro that is misspelt changes nothing: it may be of a header that is not beside the candidate.
void say_unknown_macros(const model::KernelSpec& spec, const model::KernelSpec& candidate,
                        const JudgeOptions& options) {
  std::string text = options.block + ' ' + options.grid + ' ' + options.shared;
  for (const model::SourceText& file : candidate.source) text += '\n' + file.text;
  const auto words = source::tokens_of(text);
  for (const std::string& option : options.parameters) {
    const std::string name = assignment_of(option).name;
    const bool is_known = std::ranges::count(spec.parameters, name, &model::ParameterSpec::name) > 0 ||
                          std::ranges::count(words, name, &source::Token::text) > 0;
    if (!is_known) write_err(fmt::format("{} is a macro of other headers: no source here has it", name));
  }
}

constexpr std::string_view finding_mark = "finding: ";
constexpr std::string_view cannot_mark = "cannot run: ";

/// In a process of its own, which AddressSanitizer is loaded into: prints what is wrong, a line each.
int run_sanitizers_here(const Context& context, const config::Settings& settings,
                        const model::KernelSpec& candidate) {
  load_address_sanitizer(context);
  const space::KernelSpace kernel(candidate);
  const model::ElementType type = settings.type().value_or(candidate.types.front());
  for (const auto& finding : sanitizer_findings(kernel, type, settings)) {
    const bool is_compilation = finding.kind == device::cpu::sanitize::Finding::Kind::compilation;
    write_out(fmt::format("{}{}\n", is_compilation ? cannot_mark : finding_mark, finding.line()));
  }
  return 0;
}

/// How long the sanitizers may take altogether.
constexpr std::chrono::minutes sanitizers_limit{10};

SanitizerReport run_sanitizers(const Context& context, const model::KernelSpec& candidate,
                               const JudgeOptions& options) {
  SanitizerReport report;
  if (options.no_sanitizers) {
    report.why_not = "--no-sanitizers";
  } else if (std::ranges::none_of(model::device_kinds(), [&](const model::DeviceKind& kind) {
               return kind.has_sanitizers && model::runs_on(candidate.device_kinds, kind.name);
             })) {
    report.why_not = "the spec is for no device that has sanitizers";
  }
  if (!report.why_not.empty()) return report;
  std::vector<std::string> command = {"/proc/self/exe"};
  command.insert(command.end(), context.arguments.begin(), context.arguments.end());
  command.push_back("--sanitizers-only");
  const util::CommandResult result =
      util::run_command(command, std::filesystem::current_path(), sanitizers_limit);
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(finding_mark)) report.findings.push_back(line.substr(finding_mark.size()));
    if (line.starts_with(cannot_mark)) report.why_not = line.substr(cannot_mark.size());
  }
  if (result.timed_out) report.why_not = "they took more than ten minutes";
  if (result.exit_code != 0 && report.why_not.empty() && report.findings.empty())
    report.why_not = util::one_line(result.output, 300);
  return report;
}

/// The spec's default on this problem, or where it is none there the first configuration that is; none: {}.
Assignments usual_configuration(const model::KernelSpec& spec, const model::Problem& problem,
                                const model::DeviceLimits& limits) {
  for (const model::KernelSpec& tried : {config::one_alone(spec), spec}) {
    Assignments found;
    space::KernelSpace(tried).enumerate(problem, limits, [&](const model::Configuration& configuration) {
      found = configuration.assignments();
      return false;
    });
    if (!found.empty()) return found;
  }
  return {};
}

/// The spec with `usual`, and the libraries that the device has and a compiler for their callers.
std::vector<sweep::Work> beside(const model::KernelSpec& spec, const Assignments& usual,
                                const model::DeviceInfo& device, const config::Settings& settings,
                                model::ElementType type) {
  std::vector<sweep::Work> out;
  out.push_back({space::KernelSpace(config::one_alone(spec, usual)), {}});
  if (settings.text("baselines") != "on") return out;
  for (model::KernelSpec& library : space::baselines(spec)) {
    const bool offers = std::ranges::find(library.types, type) != library.types.end();
    if (offers && model::runs_on(library.device_kinds, device.kind))
      out.push_back({space::KernelSpace(std::move(library)), {}});
  }
  return out;
}

void judge_sizes(const config::Settings& settings, const model::KernelSpec& spec, const JudgeOptions& options,
                 JudgementReport& report) {
  Backend backend = open_backend(settings);
  report.device = backend.device.name;
  require_nvcc({spec}, backend.device, backend.compiler);
  sweep::Request request = make_request(settings, backend);
  request.seed = request.inputs_seed = settings.seed().value_or(random_seed());
  compile::CompilePool pool(backend.compile_jobs, backend.make_compiler);
  std::vector<std::string> notices;
  const std::vector<model::Problem> all = problems_for(spec, settings, notices);
  for (const std::string& notice : notices) write_err(notice);
  const SignalGuard signals;
  for (const model::Problem& problem : all) {
    const Assignments usual = usual_configuration(spec, problem, backend.device.limits);
    const sweep::Work judged{space::KernelSpace(candidate_of(spec, options, usual).kernels.front()), {}};
    const std::vector<sweep::Work> others = beside(spec, usual, backend.device, settings, problem.type);
    report.sizes.push_back(
        {problem, sweep::judge({request, judged, others, problem, options.same_bits, &signals.stop()},
                               {pool, *backend.runners.front(), backend.oracle})});
    if (signals.stop()) report.interrupted = signals.exit_code();
    if (report.interrupted != 0 || report.sizes.back().judgement.refused()) return;  // one reason is enough
  }
}

int judge_candidate(const Context& context, const JudgeOptions& options) {
  const config::Settings settings = context.settings();
  JudgementReport report;
  report.candidate = options.candidate;
  report.allowed_share = allowed_share(options.fail_if_slower);
  const model::KernelSpec spec = spec_against(options);
  report.against = spec.name;
  const config::LoadedKernels loaded = candidate_of(spec, options);
  const model::KernelSpec& candidate = loaded.kernels.front();
  if (!options.sanitizers_only) say_unknown_macros(spec, candidate, options);
  if (options.sanitizers_only) return run_sanitizers_here(context, settings, candidate);
  for (const model::Diagnostic& mistake : loaded.mistakes)
    report.mistakes.push_back(fmt::format("{}: {}", mistake.where.text(), mistake.message));
  if (report.mistakes.empty()) report.sanitizers = run_sanitizers(context, candidate, options);
  if (report.mistakes.empty() && report.sanitizers.findings.empty())
    judge_sizes(settings, spec, options, report);
  write_out(options.format == "json" ? judgement_json(report) : judgement_text(report, stdout_columns()));
  return exit_code_of(report);
}

}  // namespace

void add_judge(const CommandPlace& place) {
  Command<JudgeOptions> command(place, "judge", "Test a person's or a program's kernel against a spec",
                                judge_candidate);
  JudgeOptions& options = command.options();
  command.option("CANDIDATE", options.candidate, "FILE", "CUDA source with the kernel")->required();
  command.option("--against", options.against, "SPEC", "the spec that says what is right: a name or a file")
      ->required();
  command.option("--entry", options.entry, "NAME", "the kernel's name; without it the spec's");
  command.option("--block", options.block, "X,Y,Z", "its block, as in a spec; without it the default's");
  command.option("--grid", options.grid, "X,Y,Z", "its grid: 'ceil_div(N, 32), ceil_div(M, 32)'");
  command.option("--shared-bytes", options.shared, "BYTES", "its dynamic shared memory");
  command.option("--set", options.parameters, "NAME=VALUE",
                 "a macro; without it the spec's parameters have their defaults");
  command.option("--fail-if-slower", options.fail_if_slower, "PERCENT",
                 "exit 5 where it is surely slower than the spec's default by more than this");
  command.flag("--same-bits", options.same_bits,
               "refuse it where its outputs are not those of the spec's default to the last bit");
  command.flag("--no-sanitizers", options.no_sanitizers, "do not run it on the CPU under sanitizers first");
  command.table_or_json(options.format);
  command->add_flag("--sanitizers-only", options.sanitizers_only)->group("");
  command.settings(
      "sizes type pad device measure l2 execution seed baselines compile_jobs compile_timeout_s "
      "run_timeout_s run_timeout_factor cache_dir cache_limit_mb");
  command->footer(
      "Signature; sanitizers and races on the CPU where it can run there; probes, fences, both input sets, "
      "stability; whether timed launches do their work; then its time in turn with the spec's default and "
      "the libraries; then the same checks on other inputs. Inputs are drawn anew at every call. Exit code "
      "6: it is refused, and the reason is printed.\n"
      "Example: tuner judge candidate.cu --against sgemm --sizes 1000,4096 --format json");
}

}  // namespace tuner::cli
