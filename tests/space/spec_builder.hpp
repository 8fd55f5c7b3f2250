#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/configuration.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::space {

/// An expression on line 1 of `file`, at a column that shows in diagnostics.
inline model::Expression expression(std::string text, int line = 1, int column = 1) {
  return {std::move(text), {"k.toml", line, column}};
}

inline std::vector<model::Value> numbers(std::initializer_list<std::int64_t> list) {
  return {list.begin(), list.end()};
}

inline std::vector<model::Value> words(std::initializer_list<const char*> list) {
  std::vector<model::Value> values;
  for (const char* word : list) values.emplace_back(std::string(word));
  return values;
}

/// A parameter that is always active.
inline model::ParameterSpec parameter(std::string name, std::vector<model::Value> values) {
  model::ParameterSpec made;
  made.name = std::move(name);
  made.values = std::move(values);
  made.where = {"k.toml", 1, 1};
  return made;
}

inline model::ParameterSpec parameter_when(std::string name, std::vector<model::Value> values,
                                           std::string when, model::Value otherwise) {
  model::ParameterSpec made = parameter(std::move(name), std::move(values));
  made.when = expression(std::move(when));
  made.otherwise = std::move(otherwise);
  return made;
}

inline model::ArgumentSpec buffer(std::string name, model::Access access, std::vector<std::string> extent) {
  model::ArgumentSpec made;
  made.name = std::move(name);
  made.pointer = true;
  made.access = access;
  for (std::string& side : extent) made.extent.push_back(expression(std::move(side)));
  made.where = {"k.toml", 1, 1};
  return made;
}

inline model::ArgumentSpec scalar(std::string name, model::ElementType type) {
  model::ArgumentSpec made;
  made.name = std::move(name);
  made.type = type;
  made.where = {"k.toml", 1, 1};
  return made;
}

inline model::ArgumentSpec scalar(std::string name, model::ElementType type, std::string value) {
  model::ArgumentSpec made = scalar(std::move(name), type);
  made.value = expression(std::move(value));
  return made;
}

inline model::StepSpec launch(std::string entry, std::vector<std::string> grid,
                              std::vector<std::string> block) {
  model::StepSpec made;
  made.entry = std::move(entry);
  for (std::string& side : grid) made.grid.push_back(expression(std::move(side)));
  for (std::string& side : block) made.block.push_back(expression(std::move(side)));
  made.where = {"k.toml", 1, 1};
  return made;
}

inline model::StepSpec upload(std::string argument) {
  model::StepSpec made;
  made.upload = std::move(argument);
  made.where = {"k.toml", 1, 1};
  return made;
}

/// y = a x over N elements, with a tile of B: the smallest sound spec that has a bit of everything.
inline model::KernelSpec scale_spec() {
  model::KernelSpec spec;
  spec.name = "scale";
  spec.family = "scale";
  spec.path = "k.toml";
  spec.source = {{"scale.cu", "kernel text"}};
  spec.sizes = {"N"};
  spec.types = {model::ElementType::float32, model::ElementType::int32};
  spec.row_padding = "PAD";
  spec.derived = {{"length", expression("N + PAD")}};
  spec.parameters = {parameter("B", numbers({32, 64, 128}))};
  spec.arguments = {buffer("x", model::Access::in, {"length"}), buffer("y", model::Access::out, {"length"}),
                    scalar("N", model::ElementType::int32)};
  spec.steps = {launch("scale", {"ceil_div(N, B)"}, {"B"})};
  model::VerifySpec verify;
  verify.source = {{"reference.cu", "reference text"}};
  verify.rounding_terms = expression("1");
  verify.where = {"k.toml", 1, 1};
  verify.steps = {launch("reference", {"ceil_div(N, 128)"}, {"128"})};
  verify.steps[0].arguments = {"x", "y.expected", "y.magnitude", "N"};
  spec.verify = verify;
  spec.metrics = {{"GFLOP/s", expression("1.0 * N / time_ns")}};
  return spec;
}

// What is asked of a spec once.

inline std::vector<model::Configuration> configurations(const model::KernelSpec& spec,
                                                        const model::Problem& problem,
                                                        const model::DeviceLimits& limits) {
  std::vector<model::Configuration> all;
  KernelSpace(spec).enumerate(problem, limits, [&](const model::Configuration& configuration) {
    all.push_back(configuration);
    return true;
  });
  return all;
}

inline void enumerate(const model::KernelSpec& spec, const model::Problem& problem,
                      const model::DeviceLimits& limits,
                      const std::function<bool(const model::Configuration&)>& visit) {
  KernelSpace(spec).enumerate(problem, limits, visit);
}

inline std::int64_t count(const model::KernelSpec& spec, const model::Problem& problem,
                          const model::DeviceLimits& limits) {
  return static_cast<std::int64_t>(KernelSpace(spec).list(problem, limits).size());
}

inline auto make_plan(const model::KernelSpec& spec, const model::Problem& problem,
                      const model::Configuration& configuration, const model::DeviceLimits& limits) {
  return KernelSpace(spec).make_plan(problem, configuration, limits);
}

inline model::CompileJob compile_job(const model::KernelSpec& spec, const model::Problem& problem,
                                     const model::Configuration& configuration,
                                     const std::string& architecture, const std::string& compiler) {
  return KernelSpace(spec).compile_job(problem, configuration, architecture, compiler);
}

inline auto reference_job(const model::KernelSpec& spec, const model::Problem& problem,
                          const std::string& architecture, const std::string& compiler) {
  return KernelSpace(spec).reference_job(problem, architecture, compiler);
}

inline model::Metrics metrics(const model::KernelSpec& spec, const model::Problem& problem,
                              const model::Configuration& configuration, double time_ns) {
  return KernelSpace(spec).metrics(problem, configuration, time_ns);
}

inline bool is_default(const model::KernelSpec& spec, const model::Configuration& configuration) {
  return KernelSpace(spec).is_default(configuration);
}

}  // namespace tuner::space
