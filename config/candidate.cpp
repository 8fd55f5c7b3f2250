#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/kernel_file.hpp"
#include "config/source_files.hpp"

namespace config {

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
  if (!launch.parameters.empty()) candidate.constraints.clear();
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
