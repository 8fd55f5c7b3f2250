#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "tuner/model/compiler_option.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/space/space.hpp"

namespace tuner::space {
namespace {

using Extents = std::array<std::int64_t, 3>;
constexpr Extents below_a_tile = {33, 71, 45};
constexpr Extents beyond_a_tile = {131, 203, 77};
constexpr std::int64_t odd_padding = 3;

model::Problem probe(const model::KernelSpec& spec, model::ElementType type, const Extents& extents,
                     std::int64_t row_padding) {
  std::vector<std::int64_t> sizes;
  if (spec.sizes.size() == 1) {
    sizes.push_back(extents[0] * extents[1]);  // of as many elements as a matrix has
  } else {
    for (std::size_t i = 0; i < spec.sizes.size(); ++i) {
      const std::int64_t small = 3 + 2 * static_cast<std::int64_t>(i);  // the product stays small
      sizes.push_back(i < extents.size() ? extents[i] : small);
    }
  }
  return make_problem(spec, sizes, type, row_padding);
}

}  // namespace

std::vector<model::Problem> probe_problems(const model::KernelSpec& spec, const model::Problem& problem) {
  const std::int64_t padding = spec.row_padding.empty() ? 0 : odd_padding;
  return {probe(spec, problem.type, below_a_tile, 0), probe(spec, problem.type, beyond_a_tile, padding)};
}

namespace {

enum class Entry { kernel, function };

std::vector<std::string> entries_of(const std::vector<model::StepSpec>& steps, Entry of) {
  std::vector<std::string> entries;
  for (const model::StepSpec& step : steps) {
    if (!step.upload.empty() || step.calls != (of == Entry::function)) continue;
    if (std::ranges::count(entries, step.entry) == 0) entries.push_back(step.entry);
  }
  return entries;
}

/// Of what steps call between launches. A library has no configurations: it is passed their values.
model::CompileJob library_job(const model::KernelSpec& spec, const model::Problem& problem,
                              const std::string& architecture, const std::string& compiler) {
  model::CompileJob job;
  job.source = spec.library;
  job.macros = element_macros(problem.type);
  job.macros.push_back({"TUNER_ON_CPU", architecture == "host" ? "1" : "0"});
  job.entries = entries_of(spec.steps, Entry::function);
  job.architecture = architecture;
  job.compiler = compiler;
  job.host_library = true;
  return job;
}

/// -I and its like: what is found there is among the sources already, and so part of what the binary is.
bool names_folder(const std::string& option) {
  return option.starts_with("-I") || option.starts_with("--include-path");
}

/// What nvcc and the compiler of the reference, which is always the device's own, understand alike.
bool is_of_language(const std::string& text) {
  const std::string option = model::with_short_name(text);
  return option.starts_with("-D") || option.starts_with("-U") || option.starts_with("-std=") ||
         option.starts_with("--std=");
}

}  // namespace

std::vector<model::Macro> element_macros(model::ElementType type) {
  return {{"ELEMENT_BYTES", fmt::format("{}", model::size_bytes(type))},
          {"ELEMENT_IS_INTEGER", model::is_floating(type) ? "0" : "1"},
          {"ELEMENT_TYPE", std::string(model::cuda_name(type))}};
}

std::vector<std::string> placeholders(const std::string& option) {
  std::vector<std::string> names;
  for (std::size_t at = option.find("${"); at != std::string::npos; at = option.find("${", at + 2)) {
    const std::size_t end = option.find('}', at);
    if (end == std::string::npos) break;
    names.push_back(option.substr(at + 2, end - at - 2));
  }
  return names;
}

std::string with_values(std::string option, const model::Configuration& configuration) {
  for (const std::string& name : placeholders(option)) {
    const model::Value* value = configuration.find(name);
    const std::string mark = "${" + name + "}";
    if (value != nullptr) option.replace(option.find(mark), mark.size(), value->text());
  }
  return option;
}

model::CompileJob kernel_job(const model::KernelSpec& spec, const model::Problem& problem,
                             const model::Configuration& configuration, const std::string& architecture,
                             const std::string& compiler) {
  model::CompileJob job;
  job.source = spec.source;
  job.macros = element_macros(problem.type);
  const bool calls = std::ranges::any_of(spec.steps, [](const model::StepSpec& step) { return step.calls; });
  job.host_library = calls && spec.library.empty();
  if (!spec.library.empty()) job.library = {library_job(spec, problem, architecture, compiler)};
  job.by_nvcc = spec.by_nvcc && !job.host_library;
  std::string constants;
  for (const model::ParameterSpec& parameter : spec.parameters) {
    for (std::string& word : words_of(parameter)) {
      if (parameter.spelled) continue;
      const std::string code = fmt::format("{}", model::word_code(word));
      job.vocabulary.push_back({parameter.name + '_' + word, code});
    }
    if (parameter.runtime) continue;
    const model::Value* value = configuration.find(parameter.name);
    if (value == nullptr) {
      throw model::UsageError(fmt::format("configuration {} of kernel `{}` does not set `{}`",
                                          configuration.text(), spec.name, parameter.name),
                              "the spec has changed since it was recorded, or it is of another kernel");
    }
    const std::string text = parameter.spelled ? value->text() : fmt::format("{}", value->code());
    if (parameter.constant)
      constants += fmt::format("static constexpr auto {} = {};\n", parameter.name, text);
    else
      job.macros.push_back({parameter.name, text});
  }
  if (!constants.empty()) job.source.front().text.insert(0, constants + "#line 1\n");
  std::ranges::sort(job.macros, [](const auto& a, const auto& b) { return a.name < b.name; });
  if (!job.host_library) {  // else the options are the reference's alone
    for (const model::CompilerOption& option : spec.compile_options) {
      if (!names_folder(option.text)) job.options.push_back(with_values(option.text, configuration));
    }
  }
  job.entries = entries_of(spec.steps, job.host_library ? Entry::function : Entry::kernel);
  for (const model::ArgumentSpec& argument : spec.arguments) {
    const std::string entry = "&" + argument.symbol;
    const bool is_known = std::ranges::count(job.entries, entry) > 0;
    if (!argument.symbol.empty() && !is_known) job.entries.push_back(entry);
  }
  job.architecture = architecture;
  job.compiler = compiler;
  return job;
}

std::vector<model::SourceText> verification_source(const model::KernelSpec& spec) {
  const bool verifies = spec.verify && !spec.verify->source.empty();
  if (!spec.generator) return verifies ? spec.verify->source : std::vector<model::SourceText>();
  std::vector<model::SourceText> all{{"generate_and_verify.cu", ""}};
  std::vector<const std::vector<model::SourceText>*> parts{&spec.generator->source};
  if (verifies) parts.push_back(&spec.verify->source);
  for (const auto* part : parts) {
    const auto is_known = [&](const model::SourceText& file) {
      return std::ranges::count(all, file.name, &model::SourceText::name) > 0;
    };
    if (!is_known(part->front())) all.front().text += fmt::format("#include \"{}\"\n", part->front().name);
    for (const model::SourceText& file : *part) {
      if (!is_known(file)) all.push_back(file);
    }
  }
  return all;
}

std::optional<model::CompileJob> verification_job(const model::KernelSpec& spec,
                                                  const model::Problem& problem,
                                                  const std::string& architecture,
                                                  const std::string& compiler) {
  std::vector<model::StepSpec> steps;
  if (spec.verify) {
    steps = spec.verify->steps;
    steps.insert(steps.end(), spec.verify->comparison.begin(), spec.verify->comparison.end());
  }
  if (spec.generator) steps.insert(steps.end(), spec.generator->steps.begin(), spec.generator->steps.end());
  if (steps.empty()) return std::nullopt;
  model::CompileJob job;
  job.source = verification_source(spec);
  job.macros = element_macros(problem.type);
  for (const model::CompilerOption& option : spec.compile_options) {
    const bool of_configuration = !placeholders(option.text).empty();
    const bool of_nvcc = spec.by_nvcc && !is_of_language(option.text);
    if (!names_folder(option.text) && !of_configuration && !of_nvcc) job.options.push_back(option.text);
  }
  job.entries = entries_of(steps, Entry::kernel);
  job.architecture = architecture;
  job.compiler = compiler;
  return job;
}

}  // namespace tuner::space
