#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "db/queries.hpp"
#include "db/transfer.hpp"
#include "tuner/cli/answers/show.hpp"
#include "tuner/cli/backend.hpp"
#include "tuner/cli/command.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/trial_facts.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/compiler.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sass/listing.hpp"
#include "tuner/space/kernel_space.hpp"
#include "tuner/worker/remote_workers.hpp"

namespace tuner::cli {
namespace {

using model::Error;

/// An ELF file for NVIDIA's GPUs: its machine, a half word at byte 18, is EM_CUDA.
bool is_gpu_binary(std::span<const std::byte> binary) {
  constexpr std::size_t machine = 18;
  constexpr std::byte em_cuda{190};
  return binary.size() > machine + 1 && binary[0] == std::byte{0x7F} && binary[1] == std::byte{'E'} &&
         binary[machine] == em_cuda && binary[machine + 1] == std::byte{0};
}

[[noreturn]] void refuse_device(const model::TrialRecord& trial) {
  throw NothingFound(fmt::format("{} ran on {}, and machine code is read of NVIDIA GPUs alone",
                                 trial_name(trial), trial.environment.device),
                     "name a trial of a GPU");
}

[[noreturn]] void refuse_to_compile(const model::TrialRecord& trial, const std::string& why) {
  throw NothingFound(fmt::format("the binary of {} is not in the cache, and {}", trial_name(trial), why),
                     "--cache-dir names another cache; `tuner run --fresh` makes the binary anew");
}

/// The job that made the binary, as far as a spec that is at hand has it.
model::CompileJob job_of(const db::Connection& connection, const model::TrialRecord& trial) {
  const std::string architecture = architecture_of(connection, trial);
  if (architecture.empty())
    refuse_to_compile(
        trial, fmt::format("the database does not know the architecture of {}", trial.environment.device));
  const std::vector<model::KernelSpec> specs = SpecsAtHand(connection, "").of(trial);
  for (const model::KernelSpec& spec : specs) {
    const bool has_same_parameters = std::ranges::all_of(spec.parameters, [&](const auto& parameter) {
      return trial.configuration.find(parameter.name) != nullptr;
    });
    if (!has_same_parameters) continue;
    model::CompileJob job = space::KernelSpace(spec).compile_job(trial.problem, trial.configuration,
                                                                 architecture, trial.environment.toolkit);
    if (job.key() == trial.binary_key) return job;
  }
  refuse_to_compile(trial, specs.empty() ? "its spec is not at hand" : "its spec makes another one today");
}

model::Compilation compile_again(const db::Connection& connection, const config::Settings& settings,
                                 const model::TrialRecord& trial) {
  const model::CompileJob job = job_of(connection, trial);
  auto compiler = std::make_unique<worker::RemoteCompiler>(compile_worker(settings, "nvrtc"),
                                                           compiler_settings(settings));
  if (compiler->name() != job.compiler)
    refuse_to_compile(trial,
                      fmt::format("it was compiled by {}; here is {}", job.compiler, compiler->name()));
  model::Compilation compilation =
      compile::CachingCompiler(std::move(compiler), binary_cache(settings)).compile(job);
  if (compilation.status != model::TrialStatus::ok)
    refuse_to_compile(trial, fmt::format("it does not compile here: {}", compile::gist(compilation.log)));
  return compilation;
}

/// Behind the usual places the one that came with this build.
std::vector<std::string> nvdisasm_places() {
  constexpr const char* variable = "TUNER_NVDISASM";
  std::vector<std::string> places = compile::toolkit_program_places("nvdisasm", variable);
  constexpr std::string_view brought = TUNER_NVDISASM_HINT;
  if (!brought.empty() && std::getenv(variable) == nullptr) places.emplace_back(brought);
  return places;
}

/// What nvdisasm prints of the binary is kept as the log of an entry of its own.
std::string listing_of(const db::Connection& connection, const config::Settings& settings,
                       const model::TrialRecord& trial, bool may_compile) {
  const auto cache = binary_cache(settings);
  model::DigestBuilder digest;
  digest.add("nvdisasm -c -g").add(trial.binary_key);
  const model::Digest key = digest.finish();
  if (const auto kept = cache->load(key); kept && !kept->log.empty()) return kept->log;
  auto binary = cache->load(trial.binary_key);
  if (!binary && !may_compile) refuse_to_compile(trial, "none is compiled again here");
  if (!binary) binary = compile_again(connection, settings, trial);
  if (!is_gpu_binary(binary->binary)) refuse_device(trial);
  model::Compilation made;
  made.log = sass::Disassembler(nvdisasm_places()).listing(binary->binary);
  cache->store(key, made);
  return made.log;
}

}  // namespace

answers::TrialCode machine_code(const config::Settings& settings, const db::Connection& connection,
                                model::TrialRecord trial, bool may_compile) {
  const std::string architecture = architecture_of(connection, trial);
  if (!architecture.empty() && !architecture.starts_with("sm_")) refuse_device(trial);
  if (trial.binary_key.empty() || !trial.resources) {
    const bool is_library = trial.role == model::Role::baseline;
    throw NothingFound(fmt::format(
        "{} has no binary: {}", trial_name(trial),
        is_library ? "a library has its own" : "it did not compile, or its recording does not name it"));
  }
  const model::KernelResources& resources = *trial.resources;
  const sass::Listing listing = sass::read_listing(listing_of(connection, settings, trial, may_compile));
  answers::TrialCode code;
  for (const sass::Code& each : listing.sections) {
    if (!each.is_kernel) continue;
    const bool is_first = each.symbol == resources.symbol;
    if (is_first) code.first = code.kernels.size();
    const bool may_spill = !is_first || resources.spill_store_bytes + resources.spill_load_bytes > 0;
    code.kernels.push_back(analyse(each, listing.architecture, may_spill));
  }
  if (code.kernels.empty() || code.kernel().symbol != resources.symbol)
    throw Error(
        fmt::format("nvdisasm shows no kernel {} in the binary of {}", resources.symbol, trial_name(trial)),
        "TUNER_NVDISASM names another nvdisasm");
  code.trial = std::move(trial);
  return code;
}

namespace {

struct ShowOptions {
  std::vector<std::string> ids;
  bool sass = false;
  std::string format = "text";
};

int show_machine_code(const Context& context, const db::Connection& connection, const ShowOptions& options) {
  std::vector<answers::TrialCode> codes;
  for (const std::string& id : options.ids)
    codes.push_back(machine_code(context.settings(), connection, db::find_trial(connection, id)));
  const answers::Style style = answer_style(connection);
  write_out(options.format == "json" ? answers::code_json(codes)
            : codes.size() == 1      ? answers::code_text(codes.front(), style)
                                     : answers::codes_text(codes.front(), codes.back(), style));
  return 0;
}

int show(const Context& context, const ShowOptions& options) {
  const config::Settings settings = context.settings();
  const db::Connection connection = db::open_results(settings.database());
  if (options.sass) return show_machine_code(context, connection, options);
  std::vector<answers::TrialFacts> trials;
  for (const std::string& id : options.ids) {
    trials.push_back(load_facts(connection, db::find_trial(connection, id), settings.cache_folder()));
  }
  const answers::Style style = answer_style(connection);
  write_out(trials.size() == 1 ? answers::trial_text(trials.front(), style)
                               : answers::trials_text(trials.front(), trials.back(), style));
  return 0;
}

}  // namespace

void add_show(const CommandPlace& place) {
  Command<ShowOptions> command(
      place, "show",
      "Show everything known of a trial, compiler log and samples included; or of two, side by side", show);
  ShowOptions& options = command.options();
  command.option("TRIAL", options.ids, "", "identifiers of one trial or two, or their first digits")
      ->required()
      ->expected(1, 2);
  CLI::Option* const sass = command->add_flag(
      "--sass", options.sass,
      "machine code instead: instructions by loop depth, and the hot loop; of two trials, what differs");
  command.choice("--format", options.format, {"text", "json"}, "of --sass; json has every loop and kernel")
      ->needs(sass);
  command.pages();
  command.settings("db cache_dir");
  command->footer(
      "--sass needs nvdisasm of a CUDA toolkit, and no GPU. A binary that is no longer cached is compiled "
      "again.\n"
      "Example: tuner show 3fa1c2e 9be0041");
}

}  // namespace tuner::cli
