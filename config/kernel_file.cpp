#include "config/kernel_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "config/mistakes.hpp"
#include "config/source_files.hpp"
#include "config/spec_reader.hpp"
#include "tuner/space/space.hpp"

namespace config {
namespace {

void read_launches(const Node& document, TableReader& reader, SpecContext& context) {
  const Member* launch = reader.require("launch", "[launch] says the block and the grid");
  if (launch == nullptr) return;
  context.spec.steps = read_steps(launch->value, "launch", context.entry, context.mistakes);
  const auto launches = [](const model::StepSpec& step) { return step.upload.empty() && !step.calls; };
  if (!context.spec.steps.empty() && std::ranges::none_of(context.spec.steps, launches)) {
    context.mistakes.add(document.find("launch")->where, "no step launches a kernel",
                         "add a [[launch]] with block and grid");
  }
  check_calls(context);
}

/// Reads a whole spec. What cannot be read is reported and left out, so the result is a spec only where
/// nothing was. Names inside expressions are not looked at: that is space::validate's.
void read_spec(const Node& document, SpecContext& context) {
  Mistakes& mistakes = context.mistakes;
  model::KernelSpec& spec = context.spec;
  TableReader reader(document, "the file", mistakes);
  spec.constraints = reader.expressions("constraints", most_items, Empty::fine);
  spec.worth_trying = reader.expressions("worth_trying", most_items, Empty::fine);
  if (const Member* kernel =
          reader.require("kernel", "[kernel] names the kernel, its source and its sizes")) {
    read_kernel_table(kernel->value, context);
  }
  for (const std::string_view key : {"derived", "macros"})
    if (const Member* table = reader.take(key)) read_derived(table->value, key == "macros", spec, mistakes);
  if (const Member* parameters = reader.take("parameters")) read_parameters(parameters->value, context);
  read_defaults(context);
  read_launches(document, reader, context);
  if (const Member* structs = reader.take("structs")) read_structs(structs->value, context);
  if (const Member* arguments = reader.take("arguments")) read_arguments(arguments->value, context);
  if (const Member* generate = reader.take("generate")) read_generate(generate->value, context);
  if (const Member* verify =
          reader.require("verify",
                         "[verify] says what is right. verify = \"none\" above [kernel] leaves results "
                         "unchecked, and times are shown as unverified")) {
    read_verify(verify->value, context);
  }
  if (const Member* baselines = reader.take("baseline")) read_baselines(baselines->value, context);
  if (const Member* metrics = reader.take("metrics")) spec.metrics = read_metrics(metrics->value, mistakes);
  check_ceiling(context);
  if (const Member* workload = reader.take("workload"))
    spec.workload = read_workload(workload->value, mistakes);
  if (const Member* profile = reader.take("profile")) spec.counted = read_profile(profile->value, mistakes);
  reader.finish();
}

constexpr int deepest_folder = 16;
constexpr std::size_t most_specs = 1000;

/// Reads the spec that `files` has at `path`; `name` is what people call it.
LoadedKernels load_one(const FileReader& files, const std::filesystem::path& path, const std::string& name) {
  LoadedKernels loaded;
  FileText file = files.read(path);
  if (!file.problem.empty()) {
    loaded.mistakes.push_back(
        {{name, 0, 0}, file.problem, "a kernel spec is a .toml file; `tuner init KERNEL.cu` drafts one"});
    return loaded;
  }
  std::variant<Node, model::Diagnostic> document = parse_toml(file.text, name);
  loaded.texts.push_back({name, std::move(file.text)});
  if (auto* mistake = std::get_if<model::Diagnostic>(&document)) {
    loaded.mistakes.push_back(std::move(*mistake));
    return loaded;
  }
  Mistakes mistakes;
  model::KernelSpec spec;
  SpecContext context{files, path.parent_path(), mistakes, spec};
  read_spec(std::get<Node>(document), context);
  spec.path = name;
  loaded.mistakes = mistakes.take();
  if (loaded.mistakes.empty()) choose_overloads(spec);
  // Names and expressions are judged only in a spec that is whole: a broken parameter would make each use of
  // it a mistake of its own.
  if (loaded.mistakes.empty()) loaded.mistakes = tuner::space::validate(spec);
  if (!loaded.mistakes.empty()) return loaded;
  loaded.kernels.push_back(std::move(spec));
  loaded.places.push_back(std::move(context.name_place));
  return loaded;
}

bool is_spec_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return path.extension() == ".toml" && name != "tuner.toml" && !name.ends_with(layout_suffix) &&
         !name.starts_with('.');
}

}  // namespace

void LoadedKernels::add(LoadedKernels more) {
  for (std::size_t i = 0; i < more.kernels.size(); ++i) {
    const auto taken = std::ranges::find(kernels, more.kernels[i].name, &model::KernelSpec::name);
    if (taken != kernels.end()) {
      std::error_code none;
      if (std::filesystem::equivalent(taken->path, more.kernels[i].path, none)) continue;
      const auto index = static_cast<std::size_t>(taken - kernels.begin());
      mistakes.push_back({more.places[i], fmt::format("another kernel is called \"{}\"", taken->name),
                          fmt::format("it is at {}; rename one of the two", places[index].text())});
      continue;
    }
    kernels.push_back(std::move(more.kernels[i]));
    places.push_back(std::move(more.places[i]));
  }
  std::move(more.mistakes.begin(), more.mistakes.end(), std::back_inserter(mistakes));
  std::move(more.texts.begin(), more.texts.end(), std::back_inserter(texts));
}

LoadedKernels load_kernel_file(const std::filesystem::path& path) {
  return load_one(DiskFiles(), path, path.generic_string());
}

std::vector<std::string> include_options(const std::filesystem::path& path) {
  const DiskFiles files;
  const FileText file = files.read(path);
  if (!file.problem.empty()) return {};
  const std::variant<Node, model::Diagnostic> document = parse_toml(file.text, path.generic_string());
  if (!std::holds_alternative<Node>(document)) return {};
  Mistakes mistakes;
  model::KernelSpec spec;
  SpecContext context{files, path.parent_path(), mistakes, spec};
  read_spec(std::get<Node>(document), context);
  std::vector<std::string> options;
  for (const std::filesystem::path& folder : context.includes) {
    std::string name = folder.lexically_normal().generic_string();
    if (name.size() > 1 && name.ends_with('/')) name.pop_back();
    options.push_back("-I" + name);
  }
  for (const std::string& header : context.before) {
    const std::filesystem::path beside = path.parent_path() / header;
    const bool is_there = !files.read(beside).missing;
    options.insert(options.end(),
                   {"-include", is_there ? beside.lexically_normal().generic_string() : header});
  }
  return options;
}

LoadedKernels load_kernel_folder(const std::filesystem::path& folder) {
  LoadedKernels loaded;
  std::vector<std::filesystem::path> specs;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error);
  while (!error && entry != std::filesystem::recursive_directory_iterator() && specs.size() <= most_specs) {
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden || entry.depth() >= deepest_folder) entry.disable_recursion_pending();
    if (is_spec_name(entry->path()) && !entry->is_directory(error)) specs.push_back(entry->path());
    if (!error) entry.increment(error);
  }
  if (error) {
    loaded.mistakes.push_back({{folder.generic_string(), 0, 0}, "cannot be read: " + error.message(), ""});
    return loaded;
  }
  if (specs.size() > most_specs) {
    loaded.mistakes.push_back({{folder.generic_string(), 0, 0},
                               fmt::format("holds more than {} .toml files", most_specs),
                               "name the specs, or a smaller folder"});
    return loaded;
  }
  std::ranges::sort(specs);
  for (const std::filesystem::path& path : specs) loaded.add(load_kernel_file(path));
  return loaded;
}

LoadedKernels load_embedded(std::span<const model::EmbeddedFile> files) {
  LoadedKernels loaded;
  for (const model::EmbeddedFile& file : files)
    if (is_spec_name(file.path)) loaded.add(load_embedded(files, file.path));
  return loaded;
}

LoadedKernels load_embedded(std::span<const model::EmbeddedFile> files, std::string_view path) {
  return load_one(EmbeddedFiles(files), path, fmt::format("{}{}", tuner::model::shipped_prefix, path));
}

namespace {

std::string condition_text(const model::Value& value) {
  return value.is_word() ? fmt::format("'{}'", value.text()) : value.text();
}

/// Leaves `spec` the one configuration of `values`, else of its default, else of the first values. The lists
/// of values stay: expressions know words by them.
void pin(model::KernelSpec& spec, const std::vector<model::Assignment>& values) {
  spec.worth_trying.clear();  // it is not searched
  const model::Configuration named(values);
  const model::Configuration usual(spec.defaults);
  for (model::ParameterSpec& parameter : spec.parameters) {
    const model::Value* value = named.find(parameter.name);
    if (value == nullptr) value = usual.find(parameter.name);
    const model::Value wanted = value == nullptr ? parameter.values.front() : *value;
    if (std::ranges::find(parameter.values, wanted) == parameter.values.end())
      parameter.values.push_back(wanted);
    std::string condition = fmt::format("{} == {}", parameter.name, condition_text(wanted));
    if (parameter.when) condition = fmt::format("({}) == 0 || {}", parameter.when->text, condition);
    spec.constraints.push_back({std::move(condition), {}});
  }
}

std::vector<model::Expression> expressions(const std::vector<std::string>& texts) {
  std::vector<model::Expression> out;
  for (const std::string& text : texts) out.push_back({text, {}});
  return out;
}

void set_launch(model::KernelSpec& spec, const CandidateLaunch& launch) {
  const auto first = std::ranges::find_if(
      spec.steps, [](const model::StepSpec& step) { return !step.entry.empty() && !step.calls; });
  if (first == spec.steps.end()) return;
  if (!launch.entry.empty()) {
    model::StepSpec only = *first;
    only.entry = launch.entry;
    only.arguments.clear();
    spec.steps = {std::move(only)};
  }
  model::StepSpec& step = launch.entry.empty() ? *first : spec.steps.front();
  if (!launch.block.empty()) step.block = expressions(launch.block);
  if (!launch.grid.empty()) step.grid = expressions(launch.grid);
  if (!launch.dynamic_shared_bytes.empty()) step.dynamic_shared_bytes = {launch.dynamic_shared_bytes, {}};
}

}  // namespace

model::KernelSpec one_alone(model::KernelSpec spec, const std::vector<model::Assignment>& values) {
  pin(spec, values);
  return spec;
}

LoadedKernels candidate_kernel(const model::KernelSpec& spec, const std::filesystem::path& source,
                               const CandidateLaunch& launch, const std::vector<model::Assignment>& usual) {
  LoadedKernels loaded;
  model::KernelSpec candidate = spec;
  candidate.name = "candidate";
  candidate.path = source.string();
  candidate.baselines.clear();
  for (const model::Assignment& assignment : launch.parameters) {
    const bool is_known = std::ranges::find(candidate.parameters, assignment.name,
                                            &model::ParameterSpec::name) != candidate.parameters.end();
    if (is_known) continue;
    model::ParameterSpec& added = candidate.parameters.emplace_back();
    added.name = assignment.name;
    added.values = {assignment.value};
  }
  std::vector<model::Assignment> values = launch.parameters;
  values.insert(values.end(), usual.begin(), usual.end());  // of two of a name the first counts
  pin(candidate, values);
  set_launch(candidate, launch);
  candidate.defaults.clear();
  Mistakes mistakes;
  const std::filesystem::path folder = source.parent_path();
  candidate.source = collect_sources(DiskFiles(),
                                     {folder,
                                      source.filename().string(),
                                      {source.string(), 0, 0},
                                      {folder, std::filesystem::path(spec.path).parent_path()}},
                                     mistakes);
  loaded.mistakes = mistakes.take();
  loaded.texts = candidate.source;
  if (loaded.mistakes.empty()) {
    choose_overloads(candidate);
    loaded.mistakes = signature_mistakes(candidate);
  }
  loaded.kernels.push_back(std::move(candidate));
  return loaded;
}

}  // namespace config
