#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "config/spec_draft.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/output_file.hpp"
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

const config::SourceKernel& chosen_kernel(const config::KernelSource& source, const InitOptions& options) {
  std::vector<std::string> names;
  for (const config::SourceKernel& kernel : source.kernels) {
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
  const config::KernelSource source = config::read_kernel_source(text_of(file));
  const config::SourceKernel& kernel = chosen_kernel(source, options);
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

void add_init(CLI::App& app, Context& /*context*/, Action& action) {
  auto* command = app.add_subcommand("init", "Write a first spec of a kernel from its source");
  auto options = std::make_shared<InitOptions>();
  command->add_option("source", options->source, "a CUDA source")->type_name("FILE.cu")->required();
  command->add_option("--entry,-e", options->entry, "the kernel, where the source has several")
      ->type_name("NAME");
  command->add_flag("--force", options->force, "replace a spec that is there; a reference stays");
  command->footer(
      "Writes KERNEL.toml, with a `?` at every guess, and KERNEL_reference.cu, in which you say what is "
      "right.\n"
      "Example: tuner init saxpy.cu && tuner check saxpy.toml");
  command->callback([&action, options] { action = [options] { return init(*options); }; });
}

}  // namespace tuner::cli
