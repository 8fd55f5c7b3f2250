#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tuner/model/compiler_option.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/space.hpp"
#include "tuner/util/text.hpp"

namespace tuner::space {
namespace {

using model::ParameterSpec;
using model::Value;

/// A configuration that is asked for may bring a value that the spec does not list.
void check_values(const ParameterSpec& parameter, ExpressionCompiler& compiler) {
  const bool words = parameter.values.front().is_word();
  if (std::ranges::count(parameter.values, words, &Value::is_word) == std::ssize(parameter.values)) return;
  compiler.report(parameter.where, fmt::format("parameter `{}` mixes words and numbers", parameter.name),
                  "write all values alike");
}

/// Words become the macros P_WORD, whose values tell them apart.
void check_words(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  std::map<std::int64_t, std::string> codes;
  std::map<std::string, std::string> parameters;  // of macros
  for (const ParameterSpec& parameter : compiled.spec.parameters) {
    for (const std::string& word : words_of(parameter)) {
      const std::string macro = parameter.name + '_' + word;
      if (parameter.spelled) {
        // The source sees the word itself.
      } else if (!is_identifier(macro)) {
        compiler.report(parameter.where,
                        fmt::format("word '{}' of parameter `{}`", excerpt(word), parameter.name),
                        "words are letters, digits and underscores: the source sees PARAMETER_word");
      } else if (compiled.scope.find(macro) != nullptr) {
        compiler.report(
            parameter.where,
            fmt::format("word '{}' of parameter `{}` defines the macro `{}`, which is a name of the spec",
                        word, parameter.name, macro),
            "choose another word or name");
      } else if (const auto [other, is_new] = parameters.try_emplace(macro, parameter.name); !is_new) {
        compiler.report(
            parameter.where,
            fmt::format("word '{}' of parameter `{}` defines the macro `{}`, as a word of `{}` does", word,
                        parameter.name, macro, other->second),
            "choose another word or name");
      }
      const auto [taken, fresh] = codes.try_emplace(model::word_code(word), word);
      if (!fresh && taken->second != word) {
        compiler.report(
            parameter.where,
            fmt::format("words '{}' and '{}' have the same code", excerpt(taken->second), excerpt(word)),
            "choose another word");
      }
    }
  }
}

/// Everything that launches and arguments depend on.
std::vector<bool> used_slots(const CompiledSpec& compiled) {
  std::vector<bool> used(static_cast<std::size_t>(compiled.scope.slots()), false);
  const auto add = [&](const Compiled& expression) {
    const std::vector<bool> more = dependencies(compiled, expression.program);
    for (std::size_t slot = 0; slot < used.size(); ++slot) used[slot] = used[slot] || more[slot];
  };
  for (const CompiledArgument& argument : compiled.arguments) each_expression(argument, add);
  for (const CompiledStep& step : compiled.steps) {
    each_expression(step, add);
    for (const CompiledOperand& operand : step.operands)
      if (operand.value) add(*operand.value);
  }
  return used;
}

/// Reports `expression` where it depends, itself or through derived values, on a slot that `is_barred`.
template <typename IsBarred>
void check_slots(const CompiledSpec& compiled, const Compiled& expression, const IsBarred& is_barred,
                 const std::string& message, const std::string& hint, ExpressionCompiler& compiler) {
  if (depends_on(compiled, expression.program, is_barred))
    compiler.report(expression.source->where, message, hint);
}

void check_workload(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  const Scope& scope = compiled.scope;
  const auto is_barred = [&](int slot) { return scope.is_parameter(slot) || scope.is_limit(slot); };
  for (const auto& [name, part] :
       {std::pair("operations", &compiled.operations), std::pair("bytes", &compiled.bytes)}) {
    if (!*part) continue;
    check_slots(compiled, **part, is_barred,
                fmt::format("\"{}\" of the workload depends on a parameter or a device limit", name),
                "what a problem asks for is the same for every configuration and device", compiler);
  }
}

void check_ceiling_sizes(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  const Scope& scope = compiled.scope;
  const auto is_barred = [&](int slot) {
    return slot < scope.element_slot() || scope.is_parameter(slot);  // sizes, padding, parameters
  };
  for (const Compiled& size : compiled.ceiling_sizes) {
    check_slots(compiled, size, is_barred, "a size of the ceiling depends on a size or a parameter",
                "it is worked out from device limits and ELEMENT_BYTES alone", compiler);
  }
  const std::size_t sizes = compiled.spec.sizes.size();
  if (compiled.ceiling_sizes.empty() || compiled.ceiling_sizes.size() == sizes) return;
  compiler.report(compiled.ceiling_sizes.front().source->where,
                  fmt::format("\"ceiling_sizes\" has {} values, the kernel has {}",
                              compiled.ceiling_sizes.size(), util::counted(sizes, "size")),
                  "give one for each of \"sizes\", in their order");
}

/// What is compiled must not depend on which device of an architecture it is compiled for.
void check_compiled_parts(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  const auto is_limit = [&](int slot) { return compiled.scope.is_limit(slot); };
  for (const CompiledDerived& derived : compiled.derived) {
    const auto& macros = compiled.spec.macros;
    const bool is_macro = std::ranges::any_of(macros, [&](const model::PlacedName& macro) {
      return compiled.scope.find(macro.name)->slot == derived.slot;
    });
    if (!is_macro) continue;
    check_slots(compiled, derived.value, is_limit, "a macro depends on a device limit",
                "a binary is the same for all devices of an architecture; pass it as an argument", compiler);
  }
  for (const Compiled& condition : compiled.option_conditions) {
    check_slots(compiled, condition, is_limit, "a compiler option depends on a device limit",
                "a binary is the same for all devices of an architecture", compiler);
  }
}

/// What an option defines or undefines: `NAME` of `-DNAME=1`; empty: it does neither.
std::string defined_by(const std::string& option) {
  const std::string text = model::with_short_name(option);
  if (!text.starts_with("-D") && !text.starts_with("-U")) return "";
  return text.substr(2, text.find_first_of("=(") - 2);
}

/// Every ${NAME} in an option names a parameter, and no option defines what the spec does.
void check_options(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  const auto check = [&](const std::string& option, const model::SourceLocation& where) {
    for (const std::string& name : placeholders(option)) {
      const Symbol* symbol = compiled.scope.find(name);
      if (symbol != nullptr && symbol->kind == Symbol::Kind::parameter) continue;
      compiler.report(where,
                      fmt::format("option \"{}\": `{}` is no parameter", excerpt(option), excerpt(name)),
                      util::did_you_mean(name, compiled.scope.names()));
    }
    const std::string defined = defined_by(option);
    const bool is_macro = std::ranges::count(compiled.spec.macros, defined, &model::PlacedName::name) > 0 ||
                          std::ranges::any_of(compiled.spec.parameters, [&](const ParameterSpec& parameter) {
                            return parameter.name == defined && !parameter.runtime;
                          });
    const Symbol* const known = compiled.scope.find(defined);
    if (is_macro || (known != nullptr && known->kind == Symbol::Kind::element))
      compiler.report(
          where, fmt::format("option \"{}\": `{}` is a macro of the spec", excerpt(option), excerpt(defined)),
          "leave the option out, or rename what it defines");
  };
  for (const model::CompilerOption& option : compiled.spec.compile_options) check(option.text, option.where);
  for (const model::ConditionalOption& option : compiled.spec.conditional_options)
    check(option.text, option.where);
}

/// Configurations of a problem share inputs and expected results.
void check_inputs(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  const auto is_barred = [&](int slot) { return compiled.scope.is_parameter(slot); };
  const auto check = [&](const Compiled& expression) {
    check_slots(compiled, expression, is_barred,
                fmt::format("`{}` depends on a parameter", excerpt(expression.source->text)),
                "inputs and what is right are the same for all configurations", compiler);
  };
  for (const CompiledArgument& argument : compiled.arguments) {
    for (const auto& [rule, numbers] : argument.inits) std::ranges::for_each(numbers, check);
    if (argument.unordered) check(*argument.unordered);
  }
}

}  // namespace

void check_declarations(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  for (const ParameterSpec& parameter : compiled.spec.parameters) check_values(parameter, compiler);
  check_words(compiled, compiler);
  check_options(compiled, compiler);
}

void check_uses(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  check_compiled_parts(compiled, compiler);
  check_workload(compiled, compiler);
  check_inputs(compiled, compiler);
  check_ceiling_sizes(compiled, compiler);
  const std::vector<bool> used = used_slots(compiled);
  for (std::size_t i = 0; i < compiled.spec.parameters.size(); ++i) {
    const ParameterSpec& parameter = compiled.spec.parameters[i];
    const int slot = compiled.scope.parameter_slot(static_cast<int>(i));
    if (!parameter.runtime || used[static_cast<std::size_t>(slot)]) continue;
    compiler.report(parameter.where,
                    fmt::format("run-time parameter `{}` reaches no argument and no launch", parameter.name),
                    "pass it as an argument, or drop `runtime` to make it a macro");
  }
  const auto is_limit = [&](int slot) { return compiled.scope.is_limit(slot); };
  for (std::size_t i = 0; i < compiled.metrics.size(); ++i) {
    check_slots(compiled, compiled.metrics[i], is_limit,
                fmt::format("metric \"{}\" depends on a device limit through a derived value",
                            excerpt(compiled.spec.metrics[i].name)),
                "metrics are also computed from records, where the device is not at hand", compiler);
  }
}

}  // namespace tuner::space
