#include <fmt/format.h>

#include <algorithm>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/util/text.hpp"

namespace tuner::space {
namespace {

using model::ArgumentSpec;

class ArgumentCompiler {
 public:
  ArgumentCompiler(CompiledSpec& compiled, ExpressionCompiler& compiler)
      : m_compiled(compiled), m_spec(compiled.spec), m_compiler(compiler) {}

  CompiledArgument compile(const ArgumentSpec& argument) {
    CompiledArgument result;
    if (argument.pointer) {
      result.buffer = m_buffers++;
      result.extent = m_compiler.compile(argument.extent);
      compile_inits(argument.init, result);
      if (argument.second_init) compile_inits(*argument.second_init, result);
      result.unordered = m_compiler.compile(argument.unordered);
      return result;
    }
    if (argument.tensor) result.tensor = compile(*argument.tensor);
    if (argument.texture) result.texture = compile(*argument.texture);
    if (argument.is_view() || argument.structure) return result;
    if (!argument.components.empty()) {
      const bool real = argument.type && model::is_floating(*argument.type);
      for (const model::Expression& component : argument.components)
        result.components.push_back(m_compiler.compile(component, {.real = real, .word = true}));
      return result;
    }
    const model::Expression* value = value_of(argument);
    if (value == nullptr) return result;
    if (may_be(false, argument, m_spec)) {
      result.integer = m_compiler.compile(*value, {.word = true});
      if (result.integer->program.code.empty()) return result;  // reported; most mistakes would be told twice
    }
    if (may_be(true, argument, m_spec)) {
      result.real = m_compiler.compile(*value, {.real = true, .word = true});
    }
    return result;
  }

 private:
  /// The argument that a view is over; -1 where it is none or no buffer.
  int viewed_buffer(const std::string& name, const char* what, const model::SourceLocation& where) {
    const int index = argument_index(m_compiled, m_compiler, name, where,
                                     fmt::format("name the argument that the {} is over", what));
    if (index < 0) return index;
    const ArgumentSpec& argument = m_spec.arguments[static_cast<std::size_t>(index)];
    if (argument.pointer && !argument.structure && !argument.is_field()) return index;
    m_compiler.report(where,
                      fmt::format("a {} over `{}`, which is no buffer{}", what, name,
                                  argument.pointer ? " of numbers" : ""),
                      "name an argument whose type ends in *");
    return -1;
  }

  void check_surface(const std::string& name, int argument, const model::SourceLocation& where) {
    const auto& own = m_spec.arguments[static_cast<std::size_t>(argument)].type;
    const std::vector<model::ElementType> types = own ? std::vector{*own} : m_spec.types;
    const auto bad = std::ranges::find_if_not(types, has_textures);
    if (bad == types.end()) return;
    m_compiler.report(where, fmt::format("a surface over `{}`, of {}", name, model::cuda_name(*bad)),
                      "elements of one, two or four numbers of 8, 16 or 32 bits");
  }

  CompiledTexture compile(const model::TextureSpec& texture) {
    const model::SourceLocation& where = texture.where;
    CompiledTexture result;
    const bool is_surface = texture.kind.is_surface;
    result.argument = viewed_buffer(texture.buffer, is_surface ? "surface" : "texture", where);
    if (is_surface && result.argument >= 0) check_surface(texture.buffer, result.argument, where);
    if (texture.kind.in_array && result.argument >= 0 &&
        !m_spec.arguments[static_cast<std::size_t>(result.argument)].symbol.empty()) {
      m_compiler.report(where, fmt::format("an array over `{}`, which is a symbol", texture.buffer),
                        "name a buffer without one");
    }
    result.shape = m_compiler.compile(texture.shape);
    result.pitch = m_compiler.compile(texture.pitch);
    return result;
  }

  CompiledTensorMap compile(const model::TensorMapSpec& map) {
    CompiledTensorMap result;
    result.argument = viewed_buffer(map.buffer, "tensor map", map.where);
    model::each_map_key(
        [&](const model::TensorMapKey&, const auto& written, auto& compiled) {
          compiled = m_compiler.compile(written);
          return true;
        },
        map, result);
    const std::size_t rank = map.shape.size();
    const auto check = [&](const char* key, std::size_t found, std::size_t wanted) {
      if (found == wanted) return;
      m_compiler.report(map.where,
                        fmt::format("\"{}\" has {} items, and the shape {} dimensions", key, found, rank),
                        fmt::format("write {}, innermost first", wanted));
    };
    check("box", map.box.size(), rank);
    if (!map.strides.empty()) check("strides", map.strides.size(), rank - 1);
    if (!map.element_strides.empty()) check("element_strides", map.element_strides.size(), rank);
    return result;
  }

  void compile_inits(const model::InitSpec& init, CompiledArgument& result) {
    const auto compile_one = [&](const model::InitRule& rule) {
      for (const model::Expression& number : rule.expressions)
        result.inits[&rule].push_back(m_compiler.compile(number, {.real = true}));
    };
    compile_one(init.usual);
    for (const auto& [type, rule] : init.by_type) compile_one(rule);
  }

  /// What a scalar is passed: what it says, or the value of the same name.
  const model::Expression* value_of(const ArgumentSpec& argument) {
    if (argument.value) return &*argument.value;
    if (m_compiled.scope.find(argument.name) == nullptr) {
      const std::string meant = util::did_you_mean(argument.name, m_compiled.scope.names());
      m_compiler.report(
          argument.where,
          fmt::format("argument `{}` has no value, and nothing else has its name", argument.name),
          meant.empty() ? "value = \"1.5\" says what it is passed" : meant);
      return nullptr;
    }
    return &implied(m_compiled, argument.name, argument.where);
  }

  CompiledSpec& m_compiled;
  const model::KernelSpec& m_spec;
  ExpressionCompiler& m_compiler;
  int m_buffers = 0;
};

}  // namespace

void compile_arguments(CompiledSpec& compiled, ExpressionCompiler& compiler) {
  ArgumentCompiler arguments(compiled, compiler);
  for (const ArgumentSpec& argument : compiled.spec.arguments)
    compiled.arguments.push_back(arguments.compile(argument));
}

bool may_be(bool floating, const ArgumentSpec& argument, const model::KernelSpec& spec) {
  if (argument.type) return model::is_floating(*argument.type) == floating;
  return std::ranges::any_of(spec.types,
                             [&](model::ElementType type) { return model::is_floating(type) == floating; });
}

int argument_index(const CompiledSpec& compiled, ExpressionCompiler& compiler, const std::string& name,
                   const model::SourceLocation& where, const std::string& hint) {
  std::vector<std::string> names;
  for (const ArgumentSpec& argument : compiled.spec.arguments) {
    if (argument.name == name) return static_cast<int>(names.size());
    names.push_back(argument.name);
  }
  const std::string meant = util::did_you_mean(name, names);
  compiler.report(where, fmt::format("unknown argument `{}`", excerpt(name)),
                  meant + (meant.empty() || hint.empty() ? "" : " ") + hint);
  return -1;
}

const model::Expression& implied(CompiledSpec& compiled, const std::string& name,
                                 const model::SourceLocation& where) {
  const auto found = std::ranges::find_if(compiled.implied, [&](const auto& e) { return e->text == name; });
  if (found != compiled.implied.end()) return **found;
  compiled.implied.push_back(std::make_unique<model::Expression>(model::Expression{name, where}));
  return *compiled.implied.back();
}

}  // namespace tuner::space
