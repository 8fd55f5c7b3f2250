#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "tuner/model/compile_job.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/space.hpp"

namespace tuner::space {
namespace {

/// What a later version added follows only where it is used, so that older definitions stay.
class SpecDigest {
 public:
  explicit SpecDigest(const char* kind) { m_digest.add(kind); }
  model::Digest finish() const { return m_digest.finish(); }

  void add_definition(const model::KernelSpec& spec) {
    m_digest.add(model::source_key(spec.source));
    add(spec.sizes);
    m_digest.add(spec.row_padding).add(spec.deterministic ? 1 : 0);
    add(spec.compile_options);
    add(spec.derived);
    add(spec.parameters);
    add(spec.arguments);
    add(spec.steps);
    add(spec.verify);
    if (spec.by_nvcc) m_digest.add("nvcc");
    if (!spec.library.empty()) m_digest.add("library").add(model::source_key(spec.library));
    if (!spec.conditional_options.empty()) add("conditional options", spec.conditional_options);
    if (!spec.macros.empty()) m_digest.add("macros");
    for (const model::PlacedName& macro : spec.macros) m_digest.add(macro.name);
    if (!spec.generator) return;
    m_digest.add("generator").add(model::source_key(spec.generator->source));
    add(spec.generator->steps);
  }

  void add_choice(const model::KernelSpec& spec) {
    m_digest.add(definition_of(spec)).add(model::to_string(spec.role));
    for (const model::ParameterSpec& parameter : spec.parameters) add(parameter.values);
    add(spec.constraints);
    if (!spec.worth_trying.empty()) add(spec.worth_trying);
    add(spec.types);
    add(spec.device_kinds);
  }

 private:
  /// Blanks in expressions carry no meaning, since two words never stand side by side.
  void add(const model::Expression& expression) {
    std::string text = expression.text;
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    m_digest.add(text);
  }
  void add(const std::string& text) { m_digest.add(text); }
  void add(const model::Value& value) { m_digest.add(value.json()); }
  void add(model::ElementType type) { m_digest.add(model::cuda_name(type)); }
  void add(std::int64_t number) { m_digest.add(number); }

  template <typename Item>
  void add(const std::optional<Item>& item) {
    m_digest.add(item ? 1 : 0);
    if (item) add(*item);
  }
  template <typename Item>
  void add(const std::vector<Item>& items) {
    m_digest.add(static_cast<std::int64_t>(items.size()));
    for (const Item& item : items) add(item);
  }
  /// A word before a value that not every spec has.
  template <typename Item>
  void add(const char* word, const Item& item) {
    m_digest.add(word);
    add(item);
  }

  void add(const model::NamedExpression& named) {
    add(named.name);
    add(named.value);
  }
  void add(const model::CompilerOption& option) { add(option.text); }
  void add(const model::ConditionalOption& option) {
    add(option.text);
    add(option.when);
  }

  void add(const model::InitRule& rule) {
    m_digest.add(static_cast<std::int64_t>(rule.kind)).add(fmt::format("{:a} {:a}", rule.a, rule.b));
    if (rule.c != 0) m_digest.add(fmt::format("{:a}", rule.c));
    if (!rule.expressions.empty()) add("expressions", rule.expressions);
    if (rule.contents.path.empty()) return;
    if (!rule.of_sizes.empty()) {
      m_digest.add("files");
      add(rule.of_sizes);
      return;
    }
    for (const auto& [name, size] : rule.sizes) m_digest.add(name).add(size);
    m_digest.add("file").add(rule.contents.digest).add(model::cuda_name(rule.contents.type));
    add(rule.shape);
  }

  void add(const model::InitSpec& init) {
    add(init.usual);
    m_digest.add(static_cast<std::int64_t>(init.by_type.size()));
    for (const auto& [type, of_type] : init.by_type) {
      add(type);
      add(of_type);
    }
  }

  void add(const model::ParameterSpec& parameter) {
    m_digest.add(parameter.name).add(parameter.runtime ? 1 : 0);
    if (parameter.spelled) m_digest.add("spelled");
    if (parameter.constant) m_digest.add("constexpr");
    add(parameter.when);
    add(parameter.otherwise);
  }

  void add(const model::Tolerance& t) {
    m_digest.add(fmt::format("{:a} {:a} {:a} {:a}", t.absolute, t.relative, t.ulps, t.share));
  }

  void add(const model::TensorMapSpec& map) {
    m_digest.add(map.buffer).add(map.nan_outside ? 1 : 0);
    model::each_map_key(
        [&](const model::TensorMapKey&, const auto& value) {
          add(value);
          return true;
        },
        map);
  }

  void add(const model::TextureSpec& texture) {
    m_digest.add(texture.buffer);
    add(texture.shape);
    add(texture.pitch);
    const model::Texture& kind = texture.kind;
    m_digest.add(static_cast<std::int64_t>(kind.outside));
    for (const bool flag : {kind.interpolates, kind.reads_normalized, kind.normalized_coordinates})
      m_digest.add(flag ? 1 : 0);
    if (kind.in_array) m_digest.add(kind.is_surface ? "surface" : "array");
  }

  void add(const model::ArgumentSpec& argument) {
    m_digest.add(argument.name).add(argument.pointer ? 1 : 0).add(static_cast<std::int64_t>(argument.access));
    add(argument.type);
    add(argument.extent);
    add(argument.init);
    add(argument.second_init);
    add(argument.value);
    if (argument.restore) m_digest.add("restore");
    if (!argument.components.empty()) add("components", argument.components);
    if (argument.ignores_unwritten) m_digest.add("ignores unwritten");
    if (argument.unordered) add("unordered", argument.unordered);
    if (argument.expected) add("expected", *argument.expected);
    if (argument.tolerance) add("tolerance", *argument.tolerance);
    if (!argument.symbol.empty()) add("symbol", argument.symbol);
    if (argument.memory != model::Memory::device) add("memory", static_cast<std::int64_t>(argument.memory));
    if (argument.tensor) add("tensor map", *argument.tensor);
    if (argument.texture) add("texture", *argument.texture);
    if (argument.is_field()) add("field", argument.field_length);
    if (!argument.structure) return;
    add("struct", argument.structure->bytes);
    for (const std::int64_t offset : argument.structure->offsets) m_digest.add(offset);
  }

  void add(const model::StepSpec& step) {
    m_digest.add(step.entry).add(step.upload).add(step.stream);
    add(step.grid);
    add(step.block);
    add(step.dynamic_shared_bytes);
    add(step.arguments);
    add(step.first);
    add(step.count);
    add(step.after);
    add(step.when);
    if (step.sets) add("sets", step.byte);
    if (step.calls) add("calls", step.workspace);
    model::each_key(
        [&](const model::StepKey& key, const auto& value) {
          const bool is_written = !expressions_of(value).empty();
          if (*key.spec_word != 0 && is_written) add(key.spec_word, value);
          return true;
        },
        step);
    if (!step.repeat) return;
    m_digest.add("repeat").add(step.repeat_steps);
    add(step.repeat);
  }

  void add(const model::VerifySpec& verify) {
    m_digest.add(model::source_key(verify.source)).add(verify.second_is_exact ? 1 : 0);
    add(verify.steps);
    add(verify.rounding_terms);
    if (verify.accumulator) add("accumulator", *verify.accumulator);
    if (!verify.comparison.empty()) add("comparison", verify.comparison);
    if (verify.tolerance != model::Tolerance{}) add("tolerance", verify.tolerance);
  }

  model::DigestBuilder m_digest;
};

}  // namespace

model::Digest definition_of(const model::KernelSpec& spec) {
  SpecDigest digest("definition 1");
  digest.add_definition(spec);
  return digest.finish();
}

model::Digest spec_digest(const model::KernelSpec& spec) {
  SpecDigest digest("spec 1");
  digest.add_choice(spec);
  return digest.finish();
}

}  // namespace tuner::space
