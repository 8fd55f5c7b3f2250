#include "tuner/cli/trial_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "db/finals.hpp"
#include "db/queries.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/nvrtc/cubin.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

std::vector<model::Digest> runs_named(const db::Connection& connection, const std::string& prefix) {
  std::vector<model::Digest> found;
  for (const model::RunRecord& run : db::runs(connection)) {
    if (run.id.hex().starts_with(prefix)) found.push_back(run.id);
  }
  return found;
}

model::Digest run_named(const db::Connection& connection, const std::string& prefix) {
  constexpr const char* hint = "`tuner list runs` shows identifiers; their first digits will do";
  if (prefix.empty() || prefix.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw model::UsageError(fmt::format("'{}' is not the beginning of a run's identifier", prefix), hint);
  }
  const std::vector<model::Digest> found = runs_named(connection, prefix);
  if (found.empty()) {
    throw NothingFound(fmt::format("no run's identifier begins with {}", prefix), hint);
  }
  if (found.size() > 1) {
    throw model::UsageError(fmt::format("{} runs begin with {}", found.size(), prefix), "give more digits");
  }
  return found.front();
}

namespace {

std::vector<device::cuda::ResourceShare> occupancy_steps(const db::Connection& connection,
                                                         const model::TrialRecord& trial) {
  if (!trial.resources || !trial.occupancy) return {};
  for (const model::DeviceInfo& device : db::devices(connection))
    if (device.name == trial.environment.device && device.compute_major != 0)
      return device::cuda::resource_shares(device.limits, device.compute_major, device.compute_minor,
                                           *trial.resources, trial.block, trial.dynamic_shared_bytes);
  return {};
}

std::optional<std::int64_t> code_bytes(const model::TrialRecord& trial, const std::filesystem::path& cache) {
  if (!trial.resources || trial.binary_key.empty()) return std::nullopt;
  const auto compilation = compile::BinaryCache(cache).load(trial.binary_key);
  if (!compilation) return std::nullopt;
  const std::int64_t bytes = compile::nvrtc::code_bytes(compilation->binary, trial.resources->symbol);
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

answers::TrialFacts::Bits count_bits(const db::Connection& connection, const model::TrialRecord& trial) {
  answers::TrialFacts::Bits bits;
  if (!trial.outcome.output_bits) return bits;
  for (const model::TrialRecord& other :
       db::trials(connection, db::trials_of(trial.problem, trial.environment))) {
    if (other.key == trial.key || !other.outcome.measurement || !model::may_win(other.role)) continue;
    const auto relation = compare_bits(trial.outcome.output_bits, other.outcome.output_bits);
    if (other.is_default && other.kernel == trial.kernel) bits.with_default = relation;
    ++(relation == model::BitsRelation::same    ? bits.same
       : relation == model::BitsRelation::other ? bits.other
                                                : bits.unknown);
  }
  return bits;
}

}  // namespace

answers::TrialFacts load_facts(const db::Connection& connection, model::TrialRecord trial,
                               const std::filesystem::path& cache) {
  answers::TrialFacts facts;
  facts.superseded = db::is_superseded(connection, trial.key);
  facts.final = db::final_with(connection, trial.key);
  facts.ceilings = db::ceilings(connection, trial.environment.device);
  facts.counters = db::counters(connection, trial.key);
  facts.measurements = db::measurements(connection, trial.key);
  facts.occupancy_steps = occupancy_steps(connection, trial);
  facts.code_bytes = code_bytes(trial, cache);
  facts.bits = count_bits(connection, trial);
  facts.trial = std::move(trial);
  return facts;
}

namespace {

using answers::SpecNote;

/// As `--device` takes it; empty where that is what it takes anyway, or needs an address or a file.
std::string device_of(const model::DeviceInfo& device) {
  const model::DeviceKind& kind = model::device_kind(device.kind);
  return kind.naming == model::DeviceKind::Naming::word ? std::string(kind.name) : "";
}

SpecNote::State state_of(const model::KernelDeclaration& declared, SpecFiles& files,
                         const model::TrialRecord& winner, const model::DeviceLimits& limits) {
  if (!SpecFiles::has_place(declared) || declared.spec.empty()) return SpecNote::State::unknown;
  const space::KernelSpace* const now = files.find(declared);
  if (now == nullptr) return files.lacks(declared) ? SpecNote::State::absent : SpecNote::State::unreadable;
  if (now->spec_digest() == declared.spec) return SpecNote::State::unchanged;
  if (now->definition() != declared.definition) return SpecNote::State::changed;
  const bool is_answer = !winner.key.empty();
  return is_answer && !now->contains(winner.problem, winner.configuration, limits) ? SpecNote::State::excluded
                                                                                   : SpecNote::State::widened;
}

/// What is asked for without a flag.
config::Settings settings_alone(Context context) {
  context.flags.clear();
  return context.settings();
}

/// The flags that have a problem measured in an environment, beside such settings.
std::string flags_of(const model::Problem& problem, const model::Environment& environment,
                     const config::Settings& settings) {
  sweep::Request request;
  request.policy = measure::policy(settings.text("measure"), settings.text("l2") == "cold",
                                   *model::parse_word<model::Execution>(settings.text("execution")));
  const model::ElementType type = problem.type;
  std::string text;
  if (type != settings.type().value_or(model::ElementType::float32))
    text += fmt::format(" --type {}", util::shell_quote(std::string(cuda_name(type))));
  if (problem.row_padding != 0) text += fmt::format(" --pad {}", problem.row_padding);
  const std::string taking = taking_flags(environment, sweep::environment(request, type));
  return text + (taking.empty() ? "" : " ") + taking;
}

/// Measures these sizes of a kernel again, in the database that was asked.
std::string command_for(const std::string& path, const model::TrialRecord& winner,
                        const std::vector<std::string>& sizes, const std::string& flags,
                        const std::string& device, const Context& context) {
  const bool is_shipped = path.starts_with(model::shipped_prefix);
  std::string text =
      fmt::format("tuner run --kernel {} --sizes {}{}", util::shell_quote(is_shipped ? winner.kernel : path),
                  fmt::join(sizes, ","), flags);
  if (!device.empty()) text += " --device " + device;
  if (const auto db = context.flags.find("db"); db != context.flags.end())
    text += " --db " + util::shell_quote(db->second);
  return text;
}

}  // namespace

std::string taking_flags(const model::Environment& there, const model::Environment& here) {
  const auto measure = [](const model::Environment& one) {
    return one.method.substr(0, one.method.rfind('-'));
  };
  std::vector<std::string> flags;
  if (measure(there) != measure(here)) flags.push_back("--measure " + measure(there));
  if (there.l2 != here.l2) flags.push_back("--l2 " + there.l2);
  if (there.execution != here.execution) flags.push_back("--execution " + there.execution_word());
  if (there.clock_mhz != here.clock_mhz)
    flags.push_back(there.clock_mhz > 0 ? fmt::format("--clock {:.0f}", there.clock_mhz) : "no --clock");
  return fmt::format("{}", fmt::join(flags, " "));
}

std::string device_flag(const db::Connection& connection, const std::string& device) {
  std::set<std::string> words;
  for (const model::DeviceInfo& one : db::devices(connection))
    if (device.empty() || one.name == device) words.insert(device_of(one));
  return words.size() != 1 || words.begin()->empty() ? "" : " --device " + *words.begin();
}

std::string measuring_flags(const db::Connection& connection, const db::Case& one, const Context& context) {
  return flags_of(one.problem, one.environment, settings_alone(context)) +
         device_flag(connection, one.environment.device);
}

std::string trial_name(const model::TrialRecord& trial) {
  return fmt::format("trial {} ({})", trial.key.hex().substr(0, 7), trial.kernel);
}

const model::DeviceInfo* device_named(const std::vector<model::DeviceInfo>& devices,
                                      const std::string& name) {
  const auto found = std::ranges::find(devices, name, &model::DeviceInfo::name);
  return found == devices.end() ? nullptr : &*found;
}

std::string architecture_of(const db::Connection& connection, const model::TrialRecord& trial) {
  const std::vector<model::DeviceInfo> devices = db::devices(connection);
  const model::DeviceInfo* const device = device_named(devices, trial.environment.device);
  return device == nullptr ? "" : device->architecture;
}

bool is_described(const model::TrialRecord& trial, const space::KernelSpace& kernel,
                  const std::vector<model::DeviceInfo>& devices) {
  if (kernel.definition() == trial.definition) return true;
  const model::DeviceInfo* const device = device_named(devices, trial.environment.device);
  return device != nullptr &&
         sweep::describes(kernel, {trial.key, trial.configuration, trial.problem, trial.environment,
                                   trial.definition, device->architecture, device->limits});
}

std::vector<sweep::Work> kernel_of(const db::Connection& connection, const model::TrialRecord& trial,
                                   const std::string& spec, const model::DeviceInfo& device) {
  std::vector<model::KernelSpec> at_hand = SpecsAtHand(connection, spec).of(trial);
  if (at_hand.empty()) return {};
  const auto same = std::ranges::find_if(at_hand, [&](const model::KernelSpec& one) {
    return is_described(trial, space::KernelSpace(one), {device});
  });
  std::vector<sweep::Work> all;
  for (model::KernelSpec& one : with_baselines({same == at_hand.end() ? at_hand.back() : *same}))
    all.push_back({space::KernelSpace(std::move(one)), {}});
  return all;
}

std::vector<SpecNote> spec_notes(const db::Connection& connection, const db::BestAnswers& answers,
                                 const std::string& spec, const Context& context) {
  db::KernelSpecs specs(connection);
  SpecFiles files;
  const config::Settings settings = settings_alone(context);
  const std::vector<model::DeviceInfo> devices = db::devices(connection);
  std::map<std::string, std::vector<model::KernelDeclaration>> families;
  std::vector<SpecNote> notes(answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const model::TrialRecord& winner = answers[i].winner;
    const std::string& family = winner.problem.family;
    auto known = families.find(family);
    if (known == families.end()) known = families.emplace(family, specs.declared(family)).first;
    for (model::KernelDeclaration declared : known->second) {
      if (declared.kernel != winner.kernel) continue;
      notes[i].is_named = !spec.empty();
      if (!spec.empty()) declared.path = spec;
      const auto* const device = device_named(devices, winner.environment.device);
      SpecNote& note = notes[i];
      note.path = declared.path;
      note.declared_at = declared.declared_at;
      note.host = declared.host;
      note.state = state_of(declared, files, winner, device ? device->limits : model::DeviceLimits());
      if (note.state != SpecNote::State::absent && !answers::sentence(note, winner.kernel).empty()) {
        note.device = device ? device_of(*device) : "";
        note.command =
            command_for(declared.path, winner, {winner.problem.size_text()},
                        flags_of(winner.problem, winner.environment, settings), note.device, context);
      }
    }
  }
  return notes;
}

std::vector<std::string> spec_sentences(const db::BestAnswers& answers, const std::vector<SpecNote>& notes,
                                        const Context& context) {
  struct Told {
    std::string sentence;
    std::string flags;
    const model::TrialRecord* winner = nullptr;
    const SpecNote* note = nullptr;
    std::vector<std::string> sizes;
  };
  const config::Settings settings = settings_alone(context);
  std::vector<Told> all;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const model::TrialRecord& winner = answers[i].winner;
    const std::string text = answers::sentence(notes[i], winner.kernel);
    if (text.empty()) continue;
    const std::string flags = flags_of(winner.problem, winner.environment, settings);
    auto told = std::ranges::find_if(
        all, [&](const Told& one) { return one.sentence == text && one.flags == flags; });
    if (told == all.end()) told = all.insert(all.end(), Told{text, flags, &winner, &notes[i], {}});
    const std::string size = winner.problem.size_text();
    if (std::ranges::find(told->sizes, size) == told->sizes.end()) told->sizes.push_back(size);
  }
  std::vector<std::string> sentences;
  for (const Told& told : all) {
    if (told.note->command.empty()) {
      const std::string text =
          fmt::format("{}; `tuner forget --family {} --kernel {}` removes its results", told.sentence,
                      util::shell_quote(told.winner->problem.family), util::shell_quote(told.winner->kernel));
      if (std::ranges::find(sentences, text) == sentences.end()) sentences.push_back(text);
      continue;
    }
    sentences.push_back(told.sentence + "; to measure it anew:" +
                        pasteable(command_for(told.note->path, *told.winner, told.sizes, told.flags,
                                              told.note->device, context)));
  }
  return sentences;
}

void say_spec_changes(const db::Connection& connection, const answers::Chosen& answers,
                      const std::string& spec, const Context& context) {
  db::BestAnswers all;
  for (const db::BestAnswer* answer : answers) all.push_back(*answer);
  for (const std::string& text : spec_sentences(all, spec_notes(connection, all, spec, context), context))
    write_err(text);
}

void say_spec_changes(const db::Connection& connection, const std::vector<answers::Missing>& sizes,
                      const std::string& kernel, const std::string& spec, const Context& context) {
  db::BestAnswers lacking;
  db::KernelSpecs specs(connection);
  for (const answers::Missing& size : sizes) {
    for (const model::KernelDeclaration& declared : specs.declared(size.tuning_case.problem.family)) {
      if (!model::may_win(declared.role) || (!kernel.empty() && declared.kernel != kernel)) continue;
      model::TrialRecord& untried = lacking.emplace_back().winner;
      untried.kernel = declared.kernel;
      untried.problem = size.tuning_case.problem;
      untried.environment = size.tuning_case.environment;
    }
  }
  for (const std::string& text :
       spec_sentences(lacking, spec_notes(connection, lacking, spec, context), context))
    write_err(text);
}

namespace {

/// Headers in folders include each other by their names from the folder of the kernel's source, which of a
/// shipped kernel that is unknown here.
std::string headers_text(const model::KernelSpec& spec) {
  const bool is_shipped = spec.path.starts_with(model::shipped_prefix);
  const bool has_folders = std::ranges::any_of(
      spec.source, [](const model::SourceText& file) { return file.name.find('/') != std::string::npos; });
  if (!is_shipped || !has_folders) return "";
  const std::string& source = spec.source.front().name;
  return fmt::format(
      "{} has headers in folders: add -I and the folder of {}, or name its spec with --kernel FILE", source,
      source);
}

}  // namespace

packing::BuildRecipe recipe_of(const db::Connection& connection, const model::TrialRecord& winner,
                               SpecsAtHand& specs, const std::optional<model::Problem>& asked) {
  const std::vector<model::DeviceInfo> devices = db::devices(connection);
  const model::DeviceInfo* const device = device_named(devices, winner.environment.device);
  const std::string architecture = device == nullptr ? "" : device->architecture;
  packing::BuildRecipe recipe = packing::build_recipe(winner, std::nullopt, architecture, asked);
  for (const model::KernelSpec& spec : specs.of(winner)) {
    recipe = packing::build_recipe(winner, spec, architecture, asked);
    recipe.includes = config::include_options(spec.path);
    recipe.headers = headers_text(spec);
    if (!recipe.doubt.empty()) continue;
    recipe.is_excluded = asked && device != nullptr &&
                         !space::KernelSpace(spec).allows(*asked, winner.configuration, device->limits);
    break;
  }
  return recipe;
}

}  // namespace tuner::cli
