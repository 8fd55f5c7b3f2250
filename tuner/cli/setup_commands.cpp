#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "config/spec_draft.hpp"
#include "reports/table.hpp"
#include "reports/text.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string source;
  std::string entry;
  bool force = false;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file))
    throw model::UsageError(fmt::format("cannot read {}", file.string()), "give the CUDA source of a kernel");
  return {std::istreambuf_iterator<char>(in), {}};
}

const source::SourceKernel& chosen_kernel(const source::KernelSource& source, const InitOptions& options) {
  std::vector<std::string> names;
  for (const source::SourceKernel& kernel : source.kernels) {
    if (kernel.name == options.entry) return kernel;
    names.push_back(kernel.name);
  }
  if (names.empty()) {
    throw model::UsageError(fmt::format("{} defines no __global__ function", options.source),
                            "headers are not looked into: give the file that defines the kernel");
  }
  if (!options.entry.empty()) {
    const std::string meant = util::did_you_mean(options.entry, names);
    throw model::UsageError(fmt::format("`{}` is no kernel of {}", options.entry, options.source),
                            meant.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : meant);
  }
  if (names.size() > 1) {
    throw model::UsageError(
        fmt::format("{} has {} kernels: {}", options.source, names.size(), fmt::join(names, ", ")),
        fmt::format("say which with --entry, as --entry {}", names.front()));
  }
  return source.kernels.front();
}

void refuse_existing(const fs::path& file, bool force) {
  if (force || !fs::exists(file)) return;
  throw model::UsageError(fmt::format("{} is there already", file.string()), "--force replaces it");
}

int init(const InitOptions& options) {
  const fs::path file = options.source;
  const source::KernelSource source = source::read_kernel_source(text_of(file));
  const source::SourceKernel& kernel = chosen_kernel(source, options);
  const fs::path spec_file = file.parent_path() / (kernel.name + ".toml");
  const fs::path reference_file = file.parent_path() / (kernel.name + "_reference.cu");
  refuse_existing(spec_file, options.force);
  const config::SpecDraft draft =
      config::draft_spec(kernel, source, file.filename().string(), reference_file.filename().string());
  util::write_file(spec_file.string(), draft.spec);
  // Whoever has written a reference keeps it.
  const bool has_reference = fs::exists(reference_file);
  if (!has_reference) util::write_file(reference_file.string(), draft.reference);
  write_out(fmt::format("{}\n{}{}\n", spec_file.string(), reference_file.string(),
                        has_reference ? " (was there, and is as it was)" : ""));
  write_err(fmt::format("{} is a spec of `{}`, which {} defines in line {}; {} is for what is right",
                        spec_file.string(), kernel.name, file.string(), kernel.line,
                        reference_file.string()));
  write_err("what the source does not say:");
  int number = 0;
  for (const std::string& question : draft.questions) write_err(fmt::format("{:3}. {}", ++number, question));
  write_err(fmt::format("then: tuner check {}", spec_file.string()));
  return 0;
}

}  // namespace

void add_init(const CommandPlace& place) {
  Command<InitOptions> command(place, "init", "Write a first spec of a kernel from its source",
                               [](const Context&, const InitOptions& options) { return init(options); });
  InitOptions& options = command.options();
  command.option("source", options.source, "FILE.cu", "a CUDA source")->required();
  command.option("--entry,-e", options.entry, "NAME", "the kernel, where the source has several");
  command.flag("--force", options.force, "replace a spec that is there; a reference stays");
  command->footer(
      "Writes KERNEL.toml, with a `?` at every guess, and KERNEL_reference.cu, where you write the correct "
      "computation.\n"
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
  for (const config::KnownSetting& known : config::known_settings()) names.emplace_back(known.name);
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
