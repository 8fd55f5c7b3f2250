#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "config/spec_draft.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/capture/capture_reader.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/captured_memory.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/kernel_program.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string source;
  std::string entry;
  std::string capture;
  bool force = false;
};

void refuse_existing(const fs::path& file, bool force) {
  if (force || !fs::exists(file)) return;
  throw model::UsageError(fmt::format("{} is there already", file.string()), "--force replaces it");
}

/// Plain names of kernels with launches that were kept.
std::vector<std::string> kept_kernels(const model::Capture& capture) {
  std::vector<std::string> names;
  for (const model::CapturedKernel& kernel : capture.kernels)
    if (!kernel.kept.empty() && std::ranges::count(names, kernel.plain) == 0) names.push_back(kernel.plain);
  return names;
}

/// The captured kernel of this name: of several instances of a template the longest with launches.
const model::CapturedKernel& captured_kernel(const model::Capture& capture, const std::string& name) {
  const model::CapturedKernel* chosen = nullptr;
  for (const model::CapturedKernel& kernel : capture.kernels) {
    if (kernel.plain != name || kernel.kept.empty()) continue;
    if (chosen != nullptr)
      write_err(fmt::format("{} is left out: the spec has {}", kernel.readable, chosen->readable));
    if (chosen == nullptr) chosen = &kernel;
  }
  if (chosen != nullptr) return *chosen;
  const auto seen = std::ranges::find(capture.kernels, name, &model::CapturedKernel::plain);
  throw model::UsageError(
      fmt::format(
          "{} has no launch of {} that was kept{}", capture.path, name,
          seen == capture.kernels.end() ? "" : fmt::format(", of {} that it counted", seen->launches)),
      fmt::format("capture the program again, with --save {}:sizes", name));
}

int init(const InitOptions& options) {
  const fs::path file = options.source;
  model::Capture capture;
  if (!options.capture.empty()) capture = capture::read_capture(options.capture);
  for (const std::string& failure : capture.failures) write_err(failure);
  const KernelProgram read(file);
  const source::Program& program = read.program();
  const source::ProgramFunction& kernel = chosen_kernel(
      program, {options.source, options.entry, kept_kernels(capture), options.capture, "--entry "});
  const fs::path spec_file = file.parent_path() / (kernel.name + ".toml");
  const fs::path reference_file = file.parent_path() / (kernel.name + "_reference.cu");
  refuse_existing(spec_file, options.force);
  config::DraftRequest request{file.filename().string(), reference_file.filename().string(),
                               read.header_folders()};
  CapturedFiles memory;
  std::optional<config::CapturedSource> captured;
  if (!options.capture.empty()) {
    const std::string folder = kernel.name + "_recorded";
    captured.emplace(captured_kernel(capture, kernel.name), memory, capture.device, folder);
    refuse_existing(file.parent_path() / folder, options.force);
    request.captured = &*captured;
  }
  const config::SpecDraft draft = config::draft_spec(program, kernel, request);
  make_files(draft.files, file.parent_path());
  util::write_file(spec_file.string(), draft.spec);
  // Whoever has written a reference keeps it.
  const bool has_reference = fs::exists(reference_file);
  if (!has_reference && !draft.reference.empty()) util::write_file(reference_file.string(), draft.reference);
  write_out(spec_file.string() + "\n");
  if (!draft.reference.empty())
    write_out(fmt::format("{}{}\n", reference_file.string(),
                          has_reference ? " (was there, and is as it was)" : ""));
  write_err(fmt::format(
      "{} is a spec of `{}`, which {} defines in line {}{}", spec_file.string(), kernel.name,
      program.files()[static_cast<std::size_t>(kernel.file)].name, kernel.line,
      draft.reference.empty() ? "" : fmt::format("; {} is for what is right", reference_file.string())));
  if (captured)
    write_err(fmt::format("{} holds what a launch of {} found and left", captured->folder, options.capture));
  if (!draft.questions.empty())
    write_err(captured ? "what source and capture do not say:" : "what the source does not say:");
  int number = 0;
  for (const std::string& question : draft.questions) write_err(fmt::format("{:3}. {}", ++number, question));
  const std::string sizes = captured ? " --sizes " + draft.sizes : "";
  write_err(fmt::format("then: tuner check {}{}", spec_file.string(), sizes));
  if (captured) write_err(fmt::format("      tuner run --kernel {}{}", spec_file.string(), sizes));
  return 0;
}

}  // namespace

void add_init(const CommandPlace& place) {
  Command<InitOptions> command(place, "init", "Write a first spec of a kernel from its source",
                               [](const Context&, const InitOptions& options) { return init(options); });
  InitOptions& options = command.options();
  command.option("source", options.source, "FILE.cu", "a CUDA source")->required();
  command.option("--entry,-e", options.entry, "NAME", "the kernel, where the source has several");
  command.option("--from", options.capture, "CAPTURE",
                 "a folder of `tuner capture --save`: the spec has the launches that it kept");
  command.flag("--force", options.force, "replace a spec that is there; a reference stays");
  command->footer(
      "Reads the kernel, its launch `<<<…>>>` in the same file, and local headers. Writes KERNEL.toml, with "
      "a `?` "
      "at every guess, and KERNEL_reference.cu: the function that computes the same on the CPU, or a place "
      "to write "
      "it.\n"
      "With --from nothing is left to write: arguments, inputs, sizes, launch and what is right are the "
      "program's.\n"
      "Example: tuner init saxpy.cu && tuner check saxpy.toml");
}

namespace {

int show_config(const Context& context, const std::string& format) {
  const config::Settings settings = context.settings();
  reports::Table table({{"setting"},
                        {"value", reports::Align::left, true},
                        {"from", reports::Align::left, true},
                        {"variable", reports::Align::left, false, 1},
                        {"meaning", reports::Align::left, true, 2}});
  for (const config::KnownSetting& known : config::known_settings()) {
    const config::Setting* setting = settings.find(known.name);
    std::string value = setting ? setting->value : "(" + std::string(known.unset) + ")";
    if (known.name == "db") value = settings.database().string();
    if (known.name == "cache_dir") value = settings.cache_folder().string();
    table.add_row({std::string(known.name), value, setting ? setting->origin : "unset",
                   config::variable_name(known.name), std::string(known.description)});
  }
  write_table(table, "settings", format);
  return 0;
}

}  // namespace

void add_config(const CommandPlace& place) {
  Command<std::string> command(place, "config", "Show every setting, its value and where it came from",
                               show_config);
  std::vector<std::string> names;
  for (const config::KnownSetting& known : config::known_settings())
    if (known.name != "color") names.emplace_back(known.name);  // which every command has
  command.table_format(command.options());
  command.settings(names);
  command->footer(
      "Strongest first: flag, environment variable, tuner.toml of the project, user's tuner.toml "
      "($XDG_CONFIG_HOME/tuner/tuner.toml), shipped default.");
}

namespace {

int show_cache(const Context& context, const NoOptions&) {
  const auto cache = binary_cache(context.settings());
  const compile::CacheStats stats = cache->stats();
  write_out(fmt::format("{}: {} binaries, {} of at most {}\n", cache->folder().string(), stats.entries,
                        reports::bytes_text(stats.bytes), reports::bytes_text(cache->limit_bytes())));
  return 0;
}

int prune_cache(const Context& context, std::int64_t target_mib) {
  const compile::CacheStats removed = binary_cache(context.settings())->prune(target_mib << 20);
  write_err(fmt::format("{} binaries removed, {}", removed.entries, reports::bytes_text(removed.bytes)));
  return 0;
}

}  // namespace

void add_cache(const CommandPlace& place) {
  Command<NoOptions> cache(place, "cache", "Show or prune the compiled binaries kept between runs",
                           show_cache);
  cache->require_subcommand(0, 1);
  cache.settings({"cache_dir", "cache_limit_mb"});
  Command<std::int64_t> prune({*cache.operator->(), place.context, place.action}, "prune",
                              "remove the binaries used longest ago", prune_cache);
  prune.option("--to", prune.options(), "N", "MiB to keep; 0 removes all")
      ->check(CLI::NonNegativeNumber)
      ->required();
}

}  // namespace tuner::cli
