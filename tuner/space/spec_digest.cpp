#include "tuner/space/spec_digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "tuner/model/compile_job.hpp"

namespace tuner::space {
namespace {

using model::DigestBuilder;

/// Blanks in expressions carry no meaning, since two words never stand side by side.
void add(DigestBuilder& digest, const model::Expression& expression) {
  std::string text = expression.text;
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  digest.add(text);
}

void add(DigestBuilder& digest, const std::string& text) {
  digest.add(text);
}

void add(DigestBuilder& digest, const model::Value& value) {
  digest.add(value.json());
}

void add(DigestBuilder& digest, model::ElementType type) {
  digest.add(model::cuda_name(type));
}

void add(DigestBuilder& digest, int number) {
  digest.add(number);
}

// Declared first for the templates below, which look no further than the types' own namespace.
void add(DigestBuilder& digest, const model::NamedExpression& named);
void add(DigestBuilder& digest, const model::InitRule& rule);
void add(DigestBuilder& digest, const model::Tolerance& t);
void add(DigestBuilder& digest, const model::TensorMapSpec& map);
void add(DigestBuilder& digest, const model::TextureSpec& texture);
void add(DigestBuilder& digest, const model::InitSpec& init);
void add(DigestBuilder& digest, const model::CompilerOption& option);
void add(DigestBuilder& digest, const model::ConditionalOption& option);
void add(DigestBuilder& digest, const model::ParameterSpec& parameter);
void add(DigestBuilder& digest, const model::ArgumentSpec& argument);
void add(DigestBuilder& digest, const model::StepSpec& step);
void add(DigestBuilder& digest, const model::VerifySpec& verify);

template <typename Item>
void add(DigestBuilder& digest, const std::optional<Item>& item) {
  digest.add(item ? 1 : 0);
  if (item) add(digest, *item);
}

template <typename Item>
void add(DigestBuilder& digest, const std::vector<Item>& items) {
  digest.add(static_cast<std::int64_t>(items.size()));
  for (const Item& item : items) add(digest, item);
}

void add(DigestBuilder& digest, const model::NamedExpression& named) {
  digest.add(named.name);
  add(digest, named.value);
}

void add(DigestBuilder& digest, const model::CompilerOption& option) {
  digest.add(option.text);
}

void add(DigestBuilder& digest, const model::ConditionalOption& option) {
  digest.add(option.text);
  add(digest, option.when);
}

bool is_written(const std::optional<model::Expression>& value) {
  return value.has_value();
}

bool is_written(const std::vector<model::Expression>& value) {
  return !value.empty();
}

/// What a later version added follows only where it is used, so that older definitions stay. The same holds
/// below.
void add(DigestBuilder& digest, const model::InitRule& rule) {
  digest.add(static_cast<std::int64_t>(rule.kind)).add(fmt::format("{:a} {:a}", rule.a, rule.b));
  if (rule.c != 0) digest.add(fmt::format("{:a}", rule.c));
  if (!rule.expressions.empty()) add(digest.add("expressions"), rule.expressions);
  if (rule.contents.path.empty()) return;
  digest.add("file").add(rule.contents.digest).add(model::cuda_name(rule.contents.type));
  digest.add(static_cast<std::int64_t>(rule.shape.size()));
  for (const std::int64_t extent : rule.shape) digest.add(extent);
}

void add(DigestBuilder& digest, const model::InitSpec& init) {
  add(digest, init.usual);
  digest.add(static_cast<std::int64_t>(init.by_type.size()));
  for (const auto& [type, of_type] : init.by_type) {
    add(digest, type);
    add(digest, of_type);
  }
}

void add(DigestBuilder& digest, const model::ParameterSpec& parameter) {
  digest.add(parameter.name).add(parameter.runtime ? 1 : 0);
  if (parameter.spelled) digest.add("spelled");
  if (parameter.constant) digest.add("constexpr");
  add(digest, parameter.when);
  add(digest, parameter.otherwise);
}

void add(DigestBuilder& digest, const model::Tolerance& t) {
  digest.add(fmt::format("{:a} {:a} {:a} {:a}", t.absolute, t.relative, t.ulps, t.share));
}

void add(DigestBuilder& digest, const model::TensorMapSpec& map) {
  digest.add(map.buffer).add(map.nan_outside ? 1 : 0);
  model::each_map_key(
      [&](const model::TensorMapKey&, const auto& value) {
        add(digest, value);
        return true;
      },
      map);
}

void add(DigestBuilder& digest, const model::TextureSpec& texture) {
  digest.add(texture.buffer);
  add(digest, texture.shape);
  add(digest, texture.pitch);
  const model::Texture& kind = texture.kind;
  digest.add(static_cast<std::int64_t>(kind.outside));
  for (const bool flag : {kind.interpolates, kind.reads_normalized, kind.normalized_coordinates})
    digest.add(flag ? 1 : 0);
  if (kind.in_array) digest.add(kind.is_surface ? "surface" : "array");
}

void add(DigestBuilder& digest, const model::ArgumentSpec& argument) {
  digest.add(argument.name).add(argument.pointer ? 1 : 0).add(static_cast<std::int64_t>(argument.access));
  add(digest, argument.type);
  add(digest, argument.extent);
  add(digest, argument.init);
  add(digest, argument.second_init);
  add(digest, argument.value);
  if (argument.restore) digest.add("restore");
  if (!argument.components.empty()) add(digest.add("components"), argument.components);
  if (argument.ignores_unwritten) digest.add("ignores unwritten");
  if (argument.unordered) add(digest.add("unordered"), argument.unordered);
  if (argument.expected) add(digest.add("expected"), *argument.expected);
  if (argument.tolerance) add(digest.add("tolerance"), *argument.tolerance);
  if (!argument.symbol.empty()) digest.add("symbol").add(argument.symbol);
  if (argument.memory != model::Memory::device)
    digest.add("memory").add(static_cast<std::int64_t>(argument.memory));
  if (argument.tensor) add(digest.add("tensor map"), *argument.tensor);
  if (argument.texture) add(digest.add("texture"), *argument.texture);
  if (argument.is_field()) digest.add("field").add(argument.field_length);
  if (!argument.structure) return;
  digest.add("struct").add(argument.structure->bytes);
  for (const std::int64_t offset : argument.structure->offsets) digest.add(offset);
}

void add(DigestBuilder& digest, const model::StepSpec& step) {
  digest.add(step.entry).add(step.upload).add(step.stream);
  add(digest, step.grid);
  add(digest, step.block);
  add(digest, step.dynamic_shared_bytes);
  add(digest, step.arguments);
  add(digest, step.first);
  add(digest, step.count);
  add(digest, step.after);
  add(digest, step.when);
  if (step.sets) add(digest.add("sets"), step.byte);
  if (step.calls) digest.add("calls").add(step.workspace);
  model::each_key(
      [&](const model::StepKey& key, const auto& value) {
        if (*key.spec_word != 0 && is_written(value)) add(digest.add(key.spec_word), value);
        return true;
      },
      step);
  if (step.repeat) add(digest.add("repeat").add(step.repeat_steps), step.repeat);
}

void add(DigestBuilder& digest, const model::VerifySpec& verify) {
  digest.add(model::source_key(verify.source)).add(verify.second_is_exact ? 1 : 0);
  add(digest, verify.steps);
  add(digest, verify.rounding_terms);
  if (verify.accumulator) digest.add("accumulator").add(model::cuda_name(*verify.accumulator));
  if (!verify.comparison.empty()) add(digest.add("comparison"), verify.comparison);
  if (verify.tolerance != model::Tolerance{}) add(digest.add("tolerance"), verify.tolerance);
}

}  // namespace

model::Digest definition_of(const model::KernelSpec& spec) {
  DigestBuilder digest;
  digest.add("definition 1").add(model::source_key(spec.source));
  add(digest, spec.sizes);
  digest.add(spec.row_padding).add(spec.deterministic ? 1 : 0);
  add(digest, spec.compile_options);
  add(digest, spec.derived);
  add(digest, spec.parameters);
  add(digest, spec.arguments);
  add(digest, spec.steps);
  add(digest, spec.verify);
  if (spec.by_nvcc) digest.add("nvcc");
  if (!spec.conditional_options.empty()) add(digest.add("conditional options"), spec.conditional_options);
  if (!spec.macros.empty()) digest.add("macros");
  for (const model::PlacedName& macro : spec.macros) digest.add(macro.name);
  if (spec.generator) {
    digest.add("generator").add(model::source_key(spec.generator->source));
    add(digest, spec.generator->steps);
  }
  return digest.finish();
}

model::Digest spec_digest(const model::KernelSpec& spec) {
  DigestBuilder digest;
  digest.add("spec 1").add(definition_of(spec)).add(model::to_string(spec.role));
  for (const model::ParameterSpec& parameter : spec.parameters) add(digest, parameter.values);
  add(digest, spec.constraints);
  add(digest, spec.types);
  add(digest, spec.device_kinds);
  return digest.finish();
}

}  // namespace tuner::space
