#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/model/error.hpp"
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/space.hpp"
#include "tuner/util/text.hpp"

namespace tuner::space {
namespace {

using model::Access;
using model::ArgumentSpec;
using model::BaselineSpec;
using model::KernelSpec;

constexpr const char* baseline_entry = "tuner_baseline";           // as tuner_baseline.h declares it
constexpr const char* workspace_name = "the library's workspace";  // no argument can have it

/// Whether the value is another for some configuration than for others.
bool is_of_configuration(const CompiledSpec& compiled, const Program& program) {
  return depends_on(compiled, program, [&](int slot) { return compiled.scope.is_parameter(slot); });
}

bool is_of_configuration(const CompiledSpec& compiled, const CompiledArgument& argument) {
  bool any = false;
  each_expression(argument, [&](const Compiled& expression) {
    any = any || is_of_configuration(compiled, expression.program);
  });
  return any;
}

/// Of an argument; a struct and its fields are one.
bool is_of_configuration(const CompiledSpec& compiled, std::size_t index) {
  const auto& arguments = compiled.spec.arguments;
  std::size_t first = index;
  while (arguments[first].is_field()) --first;
  const std::size_t fields = arguments[first].structure ? arguments[first].structure->offsets.size() : 0;
  for (std::size_t i = first; i <= first + fields; ++i)
    if (is_of_configuration(compiled, compiled.arguments[i])) return true;
  return false;
}

bool takes(const BaselineSpec& baseline, const std::string& name) {
  return std::ranges::count(baseline.arguments, name, &model::PlacedName::name) > 0;
}

/// A spec's [[baseline]] against its compiled rest.
class BaselineCheck {
 public:
  BaselineCheck(const CompiledSpec& compiled, const BaselineSpec& baseline, ExpressionCompiler& compiler)
      : m_compiled(compiled), m_spec(compiled.spec), m_baseline(baseline), m_compiler(compiler) {}

  void run() {
    for (const model::PlacedName& argument : m_baseline.arguments) check(argument);
    for (const ArgumentSpec& argument : m_spec.arguments) {
      if (!argument.is_written() || argument.is_field() || takes(m_baseline, argument.name)) continue;
      m_compiler.report(
          m_baseline.where,
          fmt::format("the baseline `{}` does not get the output `{}`", m_baseline.name, argument.name),
          fmt::format("name {} among its arguments", argument.name));
    }
    for (const model::ElementType type : m_baseline.types) {
      if (std::ranges::count(m_spec.types, type) > 0) continue;
      m_compiler.report(m_baseline.where,
                        fmt::format("the baseline `{}` offers {}, which its kernel does not", m_baseline.name,
                                    model::cuda_name(type)),
                        "its types are among the kernel's");
    }
    check("workspace_bytes", m_baseline.workspace_bytes, {});
    check("rounding_terms", m_baseline.rounding_terms, {.real = true});
    check_shared();
  }

 private:
  void check(const model::PlacedName& argument) {
    const auto& arguments = m_spec.arguments;
    const auto found = std::ranges::find_if(arguments, [&](const ArgumentSpec& other) {
      return other.name == argument.name && !other.is_field();
    });
    const Symbol* symbol = m_compiled.scope.find(argument.name);
    bool varies = false;
    if (found != arguments.end() && found->is_view()) {
      m_compiler.report(argument.where,
                        fmt::format("the baseline `{}` takes `{}`, which is a {}", m_baseline.name,
                                    argument.name, found->view_name()),
                        fmt::format("pass it the buffer, {}",
                                    found->tensor ? found->tensor->buffer : found->texture->buffer));
      return;
    }
    if (found != arguments.end()) {
      const auto index = static_cast<std::size_t>(found - arguments.begin());
      varies = is_of_configuration(m_compiled, index);
    } else if (symbol != nullptr && symbol->slot >= 0) {
      Program reads;
      reads.reads = {symbol->slot};
      varies = is_of_configuration(m_compiled, reads);
    } else {
      std::vector<std::string> known = m_compiled.scope.names();
      for (const ArgumentSpec& other : arguments)
        if (!other.is_field()) known.push_back(other.name);
      m_compiler.report(
          argument.where,
          fmt::format("the baseline `{}` takes `{}`, which is no argument, size or derived value",
                      m_baseline.name, excerpt(argument.name)),
          util::did_you_mean(argument.name, known));
      return;
    }
    if (!varies) return;
    m_compiler.report(argument.where,
                      fmt::format("the baseline `{}` takes `{}`, which depends on a parameter",
                                  m_baseline.name, argument.name),
                      "a library has no configurations: pass it what is the same for all");
  }

  void check(const char* key, const std::optional<model::Expression>& expression, const Rules& rules) {
    if (!expression) return;
    const Compiled value = m_compiler.compile(*expression, rules);
    if (!is_of_configuration(m_compiled, value.program)) return;
    m_compiler.report(expression->where,
                      fmt::format("\"{}\" of the baseline `{}` depends on a parameter", key, m_baseline.name),
                      "a library has no configurations");
  }

  /// What all configurations have in common is what the baseline can be held against.
  void check_shared() {
    std::vector<const Compiled*> shared;
    const auto add = [&](const std::vector<Compiled>& expressions) {
      for (const Compiled& expression : expressions) shared.push_back(&expression);
    };
    for (std::size_t i = 0; i < m_spec.arguments.size(); ++i) {
      if (m_spec.arguments[i].access != Access::workspace) add(m_compiled.arguments[i].extent);
    }
    std::vector<const CompiledStep*> steps;
    for (const CompiledStep& step : m_compiled.generator) steps.push_back(&step);
    if (m_compiled.verify) {
      for (const CompiledStep& step : m_compiled.verify->steps) steps.push_back(&step);
      for (const CompiledStep& step : m_compiled.verify->comparison) steps.push_back(&step);
    }
    for (const CompiledStep* each : steps) {
      const CompiledStep& step = *each;
      each_expression(step, [&](const Compiled& expression) { shared.push_back(&expression); });
      for (const CompiledOperand& operand : step.operands) {
        if (operand.value) {
          shared.push_back(&*operand.value);
          continue;
        }
        if (operand.argument < 0) continue;
        const auto index = static_cast<std::size_t>(operand.argument);
        const CompiledArgument& argument = m_compiled.arguments[index];
        if (m_spec.arguments[index].access == Access::workspace) add(argument.extent);
        const auto& structure = m_spec.arguments[index].structure;
        for (std::size_t i = index; i <= index + (structure ? structure->offsets.size() : 0); ++i) {
          add(m_compiled.arguments[i].components);
          for (const auto* number : {&m_compiled.arguments[i].integer, &m_compiled.arguments[i].real}) {
            if (*number) shared.push_back(&**number);
          }
        }
      }
    }
    if (m_compiled.verify && !m_baseline.rounding_terms) shared.push_back(&m_compiled.verify->rounding_terms);
    for (const Compiled* expression : shared) {
      if (!is_of_configuration(m_compiled, expression->program)) continue;
      m_compiler.report(
          expression->source->where,
          fmt::format("`{}` depends on a parameter, so that the baseline `{}` has no part in it",
                      excerpt(expression->source->text), m_baseline.name),
          "inputs and what is right must be the same for all configurations");
    }
  }

  const CompiledSpec& m_compiled;
  const KernelSpec& m_spec;
  const BaselineSpec& m_baseline;
  ExpressionCompiler& m_compiler;
};

/// The kernel's arguments as a baseline has them: all buffers in their places, and the scalars that do not
/// vary.
std::vector<ArgumentSpec> arguments_of(const CompiledSpec& compiled) {
  std::vector<ArgumentSpec> all;
  for (std::size_t i = 0; i < compiled.spec.arguments.size(); ++i) {
    ArgumentSpec argument = compiled.spec.arguments[i];
    if (argument.is_view()) continue;
    argument.symbol.clear();  // a library is passed everything
    if (is_of_configuration(compiled, i)) {
      if (!argument.pointer) continue;
      argument.extent = {{"0", argument.where}};  // a workspace, see BaselineCheck
    }
    all.push_back(std::move(argument));
  }
  return all;
}

std::vector<model::NamedExpression> derived_of(const CompiledSpec& compiled) {
  std::vector<model::NamedExpression> kept;
  for (std::size_t i = 0; i < compiled.spec.derived.size(); ++i) {
    Program reads;
    reads.reads = {compiled.scope.derived_slot(static_cast<int>(i))};
    if (!is_of_configuration(compiled, reads)) kept.push_back(compiled.spec.derived[i]);
  }
  return kept;
}

KernelSpec kernel_of(const CompiledSpec& compiled, const BaselineSpec& baseline) {
  const KernelSpec& of = compiled.spec;
  KernelSpec kernel;
  kernel.name = baseline.name;
  kernel.family = of.family;
  kernel.description = baseline.description;
  kernel.role = model::Role::baseline;
  kernel.path = of.path;
  kernel.source = baseline.source;
  kernel.sizes = of.sizes;
  kernel.types = baseline.types.empty() ? of.types : baseline.types;
  kernel.row_padding = of.row_padding;
  kernel.device_kinds = baseline.device_kinds;
  // Of the reference, which has those of all configurations alone.
  for (const model::CompilerOption& option : of.compile_options)
    if (placeholders(option.text).empty()) kernel.compile_options.push_back(option);
  kernel.by_nvcc = of.by_nvcc;   // also the reference's
  kernel.deterministic = false;  // which bits it gives is the library's business
  kernel.derived = derived_of(compiled);
  kernel.arguments = arguments_of(compiled);
  kernel.verify = of.verify;
  kernel.unverified = of.unverified;
  kernel.generator = of.generator;
  if (kernel.verify && baseline.rounding_terms) kernel.verify->rounding_terms = *baseline.rounding_terms;
  for (std::size_t i = 0; i < of.metrics.size(); ++i) {
    if (!is_of_configuration(compiled, compiled.metrics[i].program)) kernel.metrics.push_back(of.metrics[i]);
  }
  kernel.workload = of.workload;

  model::StepSpec& call = kernel.steps.emplace_back();
  call.entry = baseline_entry;
  call.calls = true;
  call.where = baseline.where;
  for (const model::PlacedName& argument : baseline.arguments) call.arguments.push_back(argument.name);
  if (baseline.workspace_bytes) {
    ArgumentSpec& workspace = kernel.arguments.emplace_back();  // behind the kernel's: their places stay
    workspace.name = call.workspace = workspace_name;
    workspace.type = model::ElementType::uint8;
    workspace.pointer = true;
    workspace.access = Access::workspace;
    workspace.extent = {*baseline.workspace_bytes};
    workspace.where = baseline.where;
  }
  return kernel;
}

}  // namespace

void check_baselines(const CompiledSpec& compiled, ExpressionCompiler& compiler) {
  for (const BaselineSpec& baseline : compiled.spec.baselines) {
    BaselineCheck(compiled, baseline, compiler).run();
  }
}

std::vector<KernelSpec> baselines(const KernelSpec& spec) {
  std::vector<KernelSpec> kernels;
  if (spec.baselines.empty()) return kernels;
  std::vector<model::Diagnostic> diagnostics;
  const auto compiled = compile_spec(spec, diagnostics);
  if (compiled == nullptr) throw model::UsageError(diagnostics.front().message, diagnostics.front().hint);
  for (const BaselineSpec& baseline : compiled->spec.baselines) {
    kernels.push_back(kernel_of(*compiled, baseline));
  }
  return kernels;
}

}  // namespace tuner::space
