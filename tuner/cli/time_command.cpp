#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "config/kernel_file.hpp"
#include "config/time_specs.hpp"
#include "db/finals.hpp"
#include "tuner/cli/chosen_race.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/compare.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/kernel_program.hpp"
#include "tuner/model/digest.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/in_turn.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

struct TimeOptions {
  std::vector<std::string> kernels;
  std::string arguments;
  std::vector<std::string> block;
  std::vector<std::string> grid;
  std::vector<std::string> shared;
  std::vector<std::string> macros;
  std::string tolerance;
  std::string git;
  std::string keep;
  std::string fail_if_slower;
  bool no_compare = false;
  std::string format;
};

/// A kernel as it was named, and its program.
struct NamedKernel {
  std::string shown;  ///< as people know it
  fs::path file;      ///< that is read
  std::string entry;
  std::unique_ptr<KernelProgram> read;
  const source::ProgramFunction* function = nullptr;
};

NamedKernel read_kernel(const std::string& named, const fs::path& file, std::string entry,
                        const SourceBuild& build) {
  NamedKernel kernel{"", fs::absolute(file).lexically_normal(), std::move(entry),
                     std::make_unique<KernelProgram>(file, build), nullptr};
  const std::string plain = kernel.entry.substr(0, kernel.entry.find('<'));
  kernel.function = &chosen_kernel(kernel.read->program(), {named, plain, {}, "", named + ":"});
  kernel.shown = kernel.entry.empty() ? kernel.function->name : kernel.entry;
  kernel.entry = kernel.function->qualified_name() + kernel.entry.substr(plain.size());
  return kernel;
}

/// `a.cu:kernel` and `a.cu:q::tile<32>`; without a name the file's only kernel.
std::pair<std::string, std::string> file_and_entry(const std::string& text) {
  if (fs::is_regular_file(text)) return {text, ""};
  std::size_t colon = std::string::npos;  // the last one that is no half of `::`
  for (std::size_t i = text.rfind('/') + 1; i < text.size() && text[i] != '<'; ++i) {
    if (text[i] != ':') continue;
    if (text.compare(i, 2, "::") == 0)
      ++i;
    else
      colon = i;
  }
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// Kernels of one name are told with their files too, then counted.
void tell_apart(std::vector<NamedKernel>& kernels) {
  std::map<std::string, int> named;
  for (const NamedKernel& kernel : kernels) ++named[kernel.shown];
  std::map<std::string, int> numbers;
  for (NamedKernel& kernel : kernels) {
    if (named[kernel.shown] == 1) continue;
    kernel.shown = fmt::format("{}:{}", kernel.file.filename().string(), kernel.entry);
    if (const int number = ++numbers[kernel.shown]; number > 1) kernel.shown += fmt::format(" ({})", number);
  }
}

std::vector<NamedKernel> read_kernels(const TimeOptions& options, const util::TemporaryFolder& folder) {
  std::vector<NamedKernel> kernels;
  SourceBuild build;
  for (const std::string& text : options.macros) build.macros.push_back(macro_of(text));
  if (!options.git.empty() && options.kernels.size() != 1)
    throw model::UsageError(
        fmt::format("--git times one kernel beside its past, and {} are named", options.kernels.size()),
        "name one, as tuner time a.cu:kernel --git HEAD~1");
  for (const std::string& text : options.kernels) {
    const auto& [file, entry] = file_and_entry(text);
    NamedKernel today = read_kernel(file, file, entry, build);
    if (!options.git.empty()) {
      kernels.push_back(read_kernel(fmt::format("{} at {}", file, options.git),
                                    write_revision(file, options.git, folder), today.entry, build));
      kernels.back().shown += " at " + options.git;
    }
    kernels.push_back(std::move(today));
  }
  tell_apart(kernels);
  return kernels;
}

/// Names that specs may have, each of one kernel.
std::vector<std::string> spec_names(const std::vector<NamedKernel>& kernels) {
  std::vector<std::string> names;
  for (const NamedKernel& kernel : kernels) {
    std::string name = kernel.shown.substr(0, 40);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_' && c != '-' && c != '.'; }, '-');
    if (std::ranges::count(names, name) > 0) name += fmt::format("-{}", names.size() + 1);
    names.push_back(std::move(name));
  }
  return names;
}

/// That of the kernel: one for all, or one for each.
std::string of_kernel(const std::vector<std::string>& texts, std::size_t number, std::size_t kernels,
                      const char* flag) {
  if (texts.empty()) return "";
  if (texts.size() != 1 && texts.size() != kernels)
    throw model::UsageError(fmt::format("{} is given {} times, for {} kernels", flag, texts.size(), kernels),
                            "give it once for all, or once for each in their order");
  return texts.size() == 1 ? texts.front() : texts[number];
}

config::TimeRequest request_for(const TimeOptions& options, const std::vector<NamedKernel>& kernels,
                                const fs::path& folder) {
  const auto from_specs = [&](const fs::path& path) {
    return path.lexically_normal().lexically_relative(folder).string();
  };
  const std::vector<std::string> names = spec_names(kernels);
  config::TimeRequest request;
  std::string all;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const NamedKernel& kernel = kernels[i];
    config::TimedKernel timed{names[i],         kernel.file.string(),
                              kernel.entry,     kernel.read->program(),
                              *kernel.function, from_specs(kernel.file.parent_path())};
    for (const std::string& include : kernel.read->header_folders())
      timed.include.push_back(from_specs(kernel.file.parent_path() / include));
    const auto said = [&](const std::vector<std::string>& texts, const char* flag) {
      return of_kernel(texts, i, kernels.size(), flag);
    };
    timed.block = config::split_list(said(options.block, "--block"), config::ListOf::expressions);
    timed.grid = config::split_list(said(options.grid, "--grid"), config::ListOf::expressions);
    timed.shared_bytes = said(options.shared, "--shared-bytes");
    all += timed.name + '\n';
    request.kernels.push_back(std::move(timed));
  }
  request.family = "time-" + model::DigestBuilder().add(all).finish().hex().substr(0, 12);
  if (!options.arguments.empty()) request.arguments = options.arguments;
  for (const std::string& text : options.macros) request.macros.push_back(macro_of(text));
  request.reference_file = "reference.cu";
  request.compares = !options.no_compare;
  if (options.tolerance.empty()) return request;
  request.tolerance = util::parse_number<double>(options.tolerance);
  if (!request.tolerance || *request.tolerance < 0)
    throw model::UsageError(
        fmt::format("--tolerance takes a number from 0 on, '{}' is none", options.tolerance),
        "for example --tolerance 1e-3");
  return request;
}

/// Those of --sizes, else those of the program, else some that are usual.
std::vector<std::vector<std::int64_t>> sizes_of(const config::Settings& settings, config::TimeSpecs& specs) {
  if (const config::Setting* said = settings.find("sizes"); said->layer <= config::Layer::environment)
    return settings.sizes();
  std::vector<std::int64_t> sizes;
  for (const std::optional<std::int64_t>& one : specs.present)
    if (one && *one > 0) sizes.push_back(*one);
  if (sizes.size() == specs.sizes.size()) return {sizes};
  constexpr std::int64_t usual_length = 1 << 20;
  constexpr std::int64_t usual_edge = 1024;
  const std::int64_t usual = specs.sizes.size() == 1 ? usual_length : usual_edge;
  specs.assumed.push_back(fmt::format("{} = {}", fmt::join(specs.sizes, " = "), usual));
  return {{usual}};
}

/// Only these sizes: at others the kernels need not be right.
std::string constraint_of(const config::TimeSpecs& specs,
                          const std::vector<std::vector<std::int64_t>>& sizes) {
  std::string text;
  for (const std::vector<std::int64_t>& one : sizes) {
    if (one.size() != 1 && one.size() != specs.sizes.size())
      throw model::UsageError(fmt::format("a size has {} numbers, and the kernels have {}: {}", one.size(),
                                          specs.sizes.size(), fmt::join(specs.sizes, ", ")),
                              "give one number for all, or one for each, as 512x1024");
    std::string all;
    for (std::size_t i = 0; i < specs.sizes.size(); ++i)
      all += fmt::format("{}{} == {}", all.empty() ? "" : " && ", specs.sizes[i],
                         one.size() == 1 ? one[0] : one[i]);
    text += fmt::format("{}{}", text.empty() ? "" : " || ", all);
  }
  return fmt::format("constraints = [\"{}\"]\n", text);
}

std::vector<model::KernelSpec> write_specs(const config::TimeRequest& request, const config::TimeSpecs& specs,
                                           const std::string& constraint, const fs::path& folder) {
  std::vector<model::KernelSpec> out;
  if (!specs.reference.empty()) util::write_file((folder / request.reference_file).string(), specs.reference);
  for (std::size_t i = 0; i < specs.specs.size(); ++i) {
    const fs::path file = folder / (request.kernels[i].name + ".toml");
    const std::string unverified = specs.reference.empty() ? "verify = \"none\"\n" : "";
    util::write_file(file.string(), constraint + unverified + "\n" + specs.specs[i]);
    config::LoadedKernels loaded = config::load_kernel_file(file);
    if (!loaded.mistakes.empty() || loaded.kernels.empty()) {
      print_mistakes(loaded);
      throw model::UsageError(
          fmt::format("{} cannot be timed as it was said", request.kernels[i].name),
          "the lines above are of the spec that was made; --args, --block and --grid change it");
    }
    out.push_back(std::move(loaded.kernels.front()));
  }
  return out;
}

model::Configuration only_configuration(const model::KernelSpec& spec) {
  std::vector<model::Assignment> values;
  for (const model::ParameterSpec& one : spec.parameters) values.push_back({one.name, one.values.front()});
  return model::Configuration(std::move(values));
}

class Timing {
 public:
  Timing(const std::vector<NamedKernel>& named, const std::vector<model::KernelSpec>& specs,
         const config::Settings& settings, const std::vector<std::vector<std::int64_t>>& sizes)
      : m_named(named), m_specs(specs) {
    for (const std::vector<std::int64_t>& one : sizes)
      m_problems.push_back(space::make_problem(specs.front(), one, settings.type(), 0));
  }

  TimedKernels time(ChosenRace& race, const std::vector<std::string>& notices) {
    sweep::Request& request = race.request();
    std::vector<sweep::Chosen> chosen;
    for (const model::KernelSpec& spec : m_specs) {
      request.work.push_back({space::KernelSpace(spec), m_problems});
      for (const model::Problem& problem : m_problems)
        chosen.push_back({spec.name, problem, only_configuration(spec)});
    }
    sweep::sample_whole(request.policy);
    request.policy.final.finalists = static_cast<int>(m_specs.size());
    request.policy.final.within = 1e9;
    request.fresh = true;
    request.budget = {};  // a project's is of its sweeps
    require_one_to_launch(request);
    race.race(chosen, notices, "the kernels");
    TimedKernels timed;
    timed.device = request.device.name;
    timed.interrupted = race.interrupted();
    for (const model::Problem& problem : m_problems)
      timed.sizes.push_back(look_up(race.connection(), request, problem, timed.interrupted != 0));
    return timed;
  }

 private:
  TimedSize look_up(const db::Connection& connection, const sweep::Request& request,
                    const model::Problem& problem, bool interrupted) const {
    TimedSize size{problem, {}};
    for (std::size_t i = 0; i < m_specs.size(); ++i) {
      TimedSize::Kernel& kernel = size.kernels.emplace_back();
      kernel.name = m_named[i].shown;
      db::TrialFilter filter = db::trials_of(problem, sweep::environment(request, problem.type));
      filter.kernel = m_specs[i].name;
      db::for_each_trial(connection, filter, {.samples = true, .measurements = false},
                         [&](db::StoredTrial&& stored) { kernel.trial = std::move(stored.trial); });
      kernel.failure = failure_of(kernel, i, request, problem, interrupted);
    }
    TimedSize::Kernel& first = size.kernels.front();
    for (TimedSize::Kernel& kernel : size.kernels)
      if (&kernel != &first && kernel.failure.empty() && first.failure.empty())
        kernel.to_first = compare_trials(*kernel.trial, *first.trial,
                                         db::final_between(connection, kernel.trial->key, first.trial->key));
    return size;
  }

  std::string failure_of(const TimedSize::Kernel& kernel, std::size_t number, const sweep::Request& request,
                         const model::Problem& problem, bool interrupted) const {
    if (!kernel.trial) {
      const std::string why = why_unlaunchable(request.work[number].kernel, request, problem);
      if (!why.empty()) return why;
      return interrupted ? "interrupted before it was run" : "it was not run, for the reason above";
    }
    const model::TrialOutcome& outcome = kernel.trial->outcome;
    if (outcome.status == model::TrialStatus::ok) return "";
    const std::string detail = outcome.detail.empty() ? kernel.trial->compile_log : outcome.detail;
    if (outcome.status == model::TrialStatus::wrong_result && number > 0)
      return fmt::format("its results are not those of {}: {}", m_named.front().shown, detail);
    return fmt::format("{}: {}", model::to_string(outcome.status), util::one_line(detail, 400));
  }

  static std::string why_unlaunchable(const space::KernelSpace& kernel, const sweep::Request& request,
                                      const model::Problem& problem) {
    const auto plan = kernel.make_plan(problem, only_configuration(kernel.spec()), request.device.limits);
    const auto* const rejection = std::get_if<space::Rejection>(&plan);
    return rejection != nullptr ? rejection->reason : "";
  }

  void require_one_to_launch(const sweep::Request& request) const {
    std::string first;
    for (const sweep::Work& work : request.work) {
      for (const model::Problem& problem : m_problems) {
        const std::string why = why_unlaunchable(work.kernel, request, problem);
        if (why.empty()) return;
        if (first.empty()) first = why;
      }
    }
    throw model::Error(fmt::format("no kernel can be launched on {}: {}", request.device.name, first),
                       "--block, --grid and --shared-bytes set the launch");
  }

  const std::vector<NamedKernel>& m_named;
  const std::vector<model::KernelSpec>& m_specs;
  std::vector<model::Problem> m_problems;
};

int time_kernels(const Context& context, const TimeOptions& options) {
  const util::TemporaryFolder temporary;
  Context here = context;
  if (!here.flags.contains("db")) here.flags["db"] = (temporary.path() / "time.db").string();
  const config::Settings settings = here.settings();
  const std::optional<double> share = allowed_share(options.fail_if_slower);
  const fs::path folder =
      options.keep.empty() ? temporary.path() / "specs" : fs::absolute(options.keep).lexically_normal();
  fs::create_directories(folder);
  const std::vector<NamedKernel> named = read_kernels(options, temporary);
  const config::TimeRequest request = request_for(options, named, folder);
  config::TimeSpecs specs = config::time_specs(request);
  const std::vector<std::vector<std::int64_t>> sizes = sizes_of(settings, specs);
  const std::vector<model::KernelSpec> kernels =
      write_specs(request, specs, constraint_of(specs, sizes), folder);
  Timing timing(named, kernels, settings, sizes);
  std::vector<std::string> notices;
  if (!specs.assumed.empty()) notices.push_back(fmt::format("assumed: {}", fmt::join(specs.assumed, "; ")));
  if (!specs.not_compared.empty())
    notices.push_back(fmt::format("results are not held against each other: {}", specs.not_compared));
  db::ResultStore made(settings.database());
  ChosenRace race(here, settings);
  TimedKernels timed = timing.time(race, notices);
  timed.assumed = specs.assumed;
  timed.not_compared = specs.not_compared;
  timed.allowed_share = share;
  write_out(options.format == "json" ? timed_json(timed) : timed_text(timed, stdout_columns()));
  return race.settle(exit_code_of(timed));
}

}  // namespace

void add_time(const CommandPlace& place) {
  Command<TimeOptions> command(place, "time", "Time kernels beside each other, without a spec", time_kernels);
  TimeOptions& options = command.options();
  command
      .option("KERNEL", options.kernels, "FILE.cu:NAME",
              "kernels with the same arguments; the name may be left out where the file has one kernel")
      ->required();
  command.option("--args", options.arguments, "LIST",
                 "'float[N] in random, float[N] out, N': one for each parameter; _ for a guess");
  command.option("--block", options.block, "X,Y,Z", "the block; once for all kernels, or once for each");
  command.option("--grid", options.grid, "X,Y,Z", "the grid: 'ceil_div(N, 256)'; of a source file");
  command.option("--shared-bytes", options.shared, "BYTES", "dynamic shared memory; of a source file");
  command.option("--set", options.macros, "NAME=VALUE", "a macro of the sources");
  command.option("--git", options.git, "REV", "time one kernel beside its source at this revision");
  command.option("--tolerance", options.tolerance, "NUMBER",
                 "by how much results may differ, relative and absolute (unset: by their type)");
  command.flag("--no-compare", options.no_compare, "do not compare results with the first kernel's");
  command.apart("--tolerance", "--no-compare", "--tolerance is of comparing");
  command.option("--fail-if-slower", options.fail_if_slower, "PERCENT",
                 "exit 5 where a kernel is surely slower than the first by more than this");
  command.option("--keep", options.keep, "FOLDER", "keep the specs that are made, for `tuner run`");
  command.table_or_json(options.format);
  command.settings(
      "sizes type device measure l2 execution seed db compile_jobs compile_timeout_s run_timeout_s "
      "run_timeout_factor cache_dir cache_limit_mb progress");
  command
      ->add_option_function<std::string>(
          "--size", [&context = place.context](const std::string& value) { context.flags["sizes"] = value; })
      ->group("");
  command->footer(
      "What the flags leave out comes from a launch <<<>>> in the file, or is guessed and printed. Results "
      "are compared with the first kernel's. All are sampled in turn, as in a final. Without --db nothing is "
      "kept. Exit code 1: a kernel fails, or its results differ.\n"
      "Examples: tuner time 'a.cu:old' 'a.cu:new' --size 1000000; tuner time a.cu:scale --git HEAD~1 --args "
      "'float[N] in, float[N] out, 2.5, N'");
}

}  // namespace tuner::cli
