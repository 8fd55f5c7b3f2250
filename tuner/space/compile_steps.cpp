#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/space/compiled_spec.hpp"
#include "tuner/util/text.hpp"

namespace tuner::space {
namespace {

using model::Access;
using model::ArgumentSpec;
using model::StepSpec;

class StepCompiler {
 public:
  StepCompiler(CompiledSpec& compiled, ExpressionCompiler& compiler)
      : m_compiled(compiled), m_spec(compiled.spec), m_compiler(compiler) {}

  void run() {
    const auto launches = [](const StepSpec& step) { return step.upload.empty(); };
    if (std::ranges::none_of(m_spec.steps, launches)) {
      m_compiler.report({m_spec.path, 0, 0}, fmt::format("kernel `{}` launches nothing", m_spec.name),
                        "write a [launch]");
    }
    m_compiled.steps = compile(m_spec.steps, Use::run);
    if (m_spec.generator) m_compiled.generator = compile(m_spec.generator->steps, Use::generate);
    check_generated();
    if (!m_spec.verify) return;
    m_compiled.verify =
        CompiledVerification{compile(m_spec.verify->steps, Use::verify),
                             m_compiler.compile(m_spec.verify->rounding_terms, {.real = true}),
                             compile(m_spec.verify->comparison, Use::compare)};
    check_verification();
  }

 private:
  /// What steps are for, which decides what they may be passed.
  enum class Use { run, generate, verify, compare };

  std::vector<CompiledStep> compile(const std::vector<StepSpec>& steps, Use use) {
    std::vector<CompiledStep> all;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      check_order(steps, i);
      CompiledStep& step = all.emplace_back(compile(steps[i], use));
      step.when = m_compiler.compile(steps[i].when);
      model::each_key(
          [&](const model::StepKey&, const auto& written, auto& compiled) {
            compiled = m_compiler.compile(written);
            return true;
          },
          steps[i], step);
    }
    return all;
  }

  CompiledStep compile(const StepSpec& step, Use use) {
    if (step.calls) return compile_call(step, use);
    return step.upload.empty() ? compile_launch(step, use) : compile_upload(step);
  }

  CompiledStep compile_call(const StepSpec& step, Use use) {
    CompiledStep result;
    if (use != Use::run)
      m_compiler.report(step.where, fmt::format("`{}` is called outside [[launch]]", step.entry),
                        "the reference, a comparison and a generator are kernels");
    for (const std::string& name : step.arguments) {
      const auto operand = resolve(name, step, Use::run);
      if (operand && (operand->value || !is_view(*operand, step))) result.operands.push_back(*operand);
    }
    check_arrays(step, result);
    if (step.workspace.empty()) return result;
    result.workspace = argument_index(m_compiled, m_compiler, step.workspace, step.where);
    if (result.workspace < 0) return result;
    const ArgumentSpec& workspace = m_spec.arguments[static_cast<std::size_t>(result.workspace)];
    if (!workspace.pointer || workspace.access != Access::workspace)
      m_compiler.report(step.where, fmt::format("`{}` is no workspace", workspace.name),
                        "name an argument with access = \"workspace\"");
    return result;
  }

  /// Whether a call is passed what only kernels can use, which is reported.
  bool is_view(const CompiledOperand& operand, const StepSpec& step) {
    const ArgumentSpec& argument = m_spec.arguments[static_cast<std::size_t>(operand.argument)];
    if (!argument.is_view()) return false;
    m_compiler.report(step.where,
                      fmt::format("the call of `{}` takes `{}`, which is a {}", step.entry, argument.name,
                                  argument.view_name()),
                      fmt::format("pass it the buffer, {}",
                                  argument.tensor ? argument.tensor->buffer : argument.texture->buffer));
    return true;
  }

  CompiledStep compile_launch(const StepSpec& step, Use use) {
    CompiledStep result;
    for (const auto& [what, extents] : {std::pair{"grid", &step.grid}, std::pair{"block", &step.block}}) {
      if (!extents->empty() && extents->size() <= 3) continue;
      m_compiler.report(step.where,
                        fmt::format("{} of `{}` has {} dimensions", what, step.entry, extents->size()),
                        "write one to three");
    }
    for (const std::string& name : step.arguments) {
      if (const auto operand = resolve(name, step, use)) result.operands.push_back(*operand);
    }
    const std::size_t implied_arguments = step.arguments.empty() ? m_spec.arguments.size() : 0;
    for (std::size_t i = 0; i < implied_arguments; ++i) {
      const ArgumentSpec& argument = m_spec.arguments[i];
      if (use == Use::run && !argument.symbol.empty()) continue;  // the kernel knows it by its name
      if (argument.is_field()) continue;
      result.operands.push_back({model::Operand::Kind::buffer, static_cast<int>(i), std::nullopt});
    }
    if (use == Use::run) check_arrays(step, result);
    return result;
  }

  /// Whether runs write only one of argument `name` and its copy in an array.
  bool parts_from_array(const std::string& name) const {
    return std::ranges::any_of(m_spec.arguments, [&](const ArgumentSpec& view) {
      if (!view.texture || !view.texture->kind.in_array || view.texture->buffer != name) return false;
      const auto buffer = std::ranges::find(m_spec.arguments, name, &ArgumentSpec::name);
      return view.texture->kind.is_surface ||
             (buffer != m_spec.arguments.end() && buffer->access != model::Access::in);
    });
  }

  /// A launch must not be passed what lies in an array and is written there but by that array.
  void check_arrays(const StepSpec& step, const CompiledStep& launch) {
    for (const CompiledOperand& operand : launch.operands) {
      if (operand.value || operand.argument < 0) continue;
      const ArgumentSpec& argument = m_spec.arguments[static_cast<std::size_t>(operand.argument)];
      if (argument.texture && argument.texture->kind.in_array) continue;
      const std::string& buffer = argument.tensor    ? argument.tensor->buffer
                                  : argument.texture ? argument.texture->buffer
                                                     : argument.name;
      if (!parts_from_array(buffer)) continue;
      m_compiler.report(
          step.where,
          fmt::format("`{}` is passed to a kernel, and `{}` lies in an array", argument.name, buffer),
          "runs find it there alone: list in \"arguments\" its surface or its texture with array = true");
    }
  }

  CompiledStep compile_upload(const StepSpec& step) {
    CompiledStep result;
    result.upload = argument_index(m_compiled, m_compiler, step.upload, step.where);
    if (result.upload < 0) return result;
    const ArgumentSpec& argument = m_spec.arguments[static_cast<std::size_t>(result.upload)];
    if (step.sets && (!argument.pointer || argument.access == Access::in)) {
      m_compiler.report(step.where, fmt::format("memset of `{}`, which runs do not write", argument.name),
                        "only buffers with access `out`, `inout` or `workspace` can be set");
    }
    if (!step.sets &&
        (!argument.pointer || (argument.access != Access::in && argument.access != Access::inout))) {
      m_compiler.report(step.where,
                        fmt::format("upload of `{}`, which has no contents to copy", argument.name),
                        "only buffers with access `in` or `inout` can be uploaded");
    }
    const auto in_array = [&](const ArgumentSpec& view) {
      return view.texture && view.texture->kind.in_array && view.texture->buffer == argument.name;
    };
    if (std::ranges::any_of(m_spec.arguments, in_array)) {
      m_compiler.report(
          step.where,
          fmt::format("{} of `{}`, which lies in an array", step.sets ? "memset" : "upload", argument.name),
          "arrays are filled outside of the timed region alone");
    }
    return result;
  }

  /// A loop runs in one stream, ends with the last step, and holds no other.
  void check_loop(const std::vector<StepSpec>& steps, std::size_t index) {
    const StepSpec& first = steps[index];
    if (!first.repeat) return;
    const auto count = static_cast<std::size_t>(std::max(first.repeat_steps, 1));
    if (count > steps.size() - index) {
      m_compiler.report(first.where,
                        fmt::format("the loop has {} steps, and {} are left", count, steps.size() - index),
                        "repeat_steps counts this step and those behind it");
      return;
    }
    for (std::size_t i = index; i < index + count; ++i) {
      if (i > index && steps[i].repeat) {
        m_compiler.report(steps[i].where, fmt::format("a loop inside the loop of step {}", index),
                          "multiply the counts, or launch the steps apart");
      }
      if (steps[i].stream != first.stream || !steps[i].after.empty()) {
        m_compiler.report(steps[i].where, "a step of a loop that waits for other streams, or is on one",
                          "the steps of a loop run in one stream, in order");
      }
    }
  }

  void check_order(const std::vector<StepSpec>& steps, std::size_t index) {
    const StepSpec& step = steps[index];
    check_loop(steps, index);
    for (const int before : step.after) {
      if (before < 0 || static_cast<std::size_t>(before) >= index) {
        m_compiler.report(
            step.where,
            fmt::format("step {} waits for step {}, which does not come before it", index, before),
            "steps are numbered from 0");
      } else if (steps[static_cast<std::size_t>(before)].stream == step.stream) {
        m_compiler.report(step.where,
                          fmt::format("step {} waits for step {} on its own stream", index, before),
                          "steps of a stream run in order; leave it out");
      }
    }
  }

  bool is_argument(const std::string& name) const {
    return std::ranges::count(m_spec.arguments, name, &ArgumentSpec::name) > 0;
  }

  /// The operand called `name`: an argument; in a verify step also NAME.expected or NAME.magnitude of an
  /// output, in a generate step `seed`; in these and in a call any value that expressions know.
  std::optional<CompiledOperand> resolve(const std::string& name, const StepSpec& step, Use use) {
    const std::size_t dot = is_argument(name) ? std::string::npos : name.rfind('.');
    if (use == Use::generate && name == "seed" && !is_argument(name))
      return CompiledOperand{model::Operand::Kind::seed, -1, std::nullopt};
    if ((use != Use::run || step.calls) && !is_argument(name) && m_compiled.scope.find(name) != nullptr) {
      return CompiledOperand{model::Operand::Kind::scalar, -1,
                             m_compiler.compile(implied(m_compiled, name, step.where), {.word = true})};
    }
    const int index = argument_index(m_compiled, m_compiler, name.substr(0, dot), step.where,
                                     "`arguments` lists, in the order of the kernel's parameters, names of "
                                     "[[arguments]], which may differ "
                                     "from what the kernel calls them");
    if (index < 0) return std::nullopt;
    const ArgumentSpec& argument = m_spec.arguments[static_cast<std::size_t>(index)];
    if (!check_struct(argument, name, dot != std::string::npos, step, use)) return std::nullopt;
    const bool is_symbol = !argument.symbol.empty();
    if (dot == std::string::npos && is_symbol && use == Use::run && !step.calls) {
      m_compiler.report(step.where, fmt::format("`{}` is passed to a kernel, and is a symbol", excerpt(name)),
                        "the kernel finds it by its name: leave it out of \"arguments\"");
      return std::nullopt;
    }
    if (dot == std::string::npos) return CompiledOperand{model::Operand::Kind::buffer, index, std::nullopt};
    const std::string suffix = name.substr(dot + 1);
    const std::string quoted_name = excerpt(name);
    if (suffix != "expected" && suffix != "magnitude" && suffix != "error") {
      m_compiler.report(step.where, fmt::format("unknown step argument `{}`", quoted_name),
                        "an output C has C.expected and C.magnitude");
    } else if (suffix == "error" && use != Use::compare) {
      m_compiler.report(step.where, fmt::format("step argument `{}` outside [verify.compare]", quoted_name),
                        "only a comparison says how far off a result is");
    } else if (use != Use::verify && use != Use::compare) {
      m_compiler.report(step.where, fmt::format("step argument `{}` outside [verify]", quoted_name),
                        "only the reference writes what is expected");
    } else if (!argument.is_output()) {
      m_compiler.report(step.where,
                        fmt::format("`{}`, where `{}` is not an output", quoted_name, name.substr(0, dot)),
                        "only buffers with access `out` or `inout` are verified");
    } else {
      return CompiledOperand{suffix == "expected"    ? model::Operand::Kind::expected
                             : suffix == "magnitude" ? model::Operand::Kind::magnitude
                                                     : model::Operand::Kind::error,
                             index, std::nullopt};
    }
    return std::nullopt;
  }

  /// Whether a struct or a field of one may be passed like that.
  bool check_struct(const ArgumentSpec& argument, const std::string& name, bool is_judgement,
                    const StepSpec& step, Use use) {
    const std::string quoted_name = excerpt(name);
    if (argument.is_field() && use == Use::run) {
      const std::string whole = argument.name.substr(0, argument.name.rfind('.'));
      m_compiler.report(step.where, fmt::format("`{}` is passed to a kernel, and is a field", quoted_name),
                        fmt::format("pass the struct, `{}`", whole));
    } else if (argument.is_field() && !argument.pointer && argument.field_length > 1) {
      m_compiler.report(step.where, fmt::format("`{}` is passed by value, and is an array", quoted_name),
                        "pass the struct");
    } else if (argument.structure && is_judgement) {
      m_compiler.report(step.where, fmt::format("`{}`, where `{}` is a struct", quoted_name, argument.name),
                        "its fields are judged: NAME.FIELD.expected");
    } else if (argument.structure && argument.pointer && use == Use::generate) {
      m_compiler.report(step.where,
                        fmt::format("`{}` is passed to a generator, and is a struct", quoted_name),
                        "generate its fields, NAME.FIELD, each an array of its own");
    } else {
      return true;
    }
    return false;
  }

  /// Whether any of `steps` is passed `kind` of `argument`.
  static bool is_taken(const std::vector<CompiledStep>& steps, model::Operand::Kind kind, int argument) {
    return std::ranges::any_of(steps, [&](const CompiledStep& step) {
      return std::ranges::any_of(step.operands, [&](const CompiledOperand& operand) {
        return operand.kind == kind && operand.argument == argument;
      });
    });
  }

  /// Each generated buffer is passed to a launch of the generator.
  void check_generated() {
    for (int i = 0; i < static_cast<int>(m_spec.arguments.size()); ++i) {
      const ArgumentSpec& argument = m_spec.arguments[static_cast<std::size_t>(i)];
      const auto generated = [](const model::InitRule& rule) {
        return rule.kind == model::Init::Kind::generated;
      };
      const auto wants = [&](const model::InitSpec& init) {
        return generated(init.usual) ||
               std::ranges::any_of(init.by_type, [&](const auto& entry) { return generated(entry.second); });
      };
      const bool wanted = wants(argument.init) || (argument.second_init && wants(*argument.second_init));
      if (wanted && argument.access == Access::workspace) {
        m_compiler.report(argument.where, fmt::format("`{}` is generated, and is a workspace", argument.name),
                          "inputs are generated: access = \"inout\" with restore = true");
        continue;
      }
      if (!wanted || is_taken(m_compiled.generator, model::Operand::Kind::buffer, i)) continue;
      m_compiler.report(argument.where, fmt::format("nothing generates `{}`", argument.name),
                        "pass it to a launch of [generate]");
    }
  }

  /// A kernel whose output is not checked could do nothing and win.
  void check_verification() {
    const model::SourceLocation& where = m_spec.verify->where;
    const std::vector<CompiledStep>& steps = m_compiled.verify->steps;
    const auto taken = [&](model::Operand::Kind kind, int argument) {
      return is_taken(steps, kind, argument);
    };
    const auto is_compared = [&](int argument) {
      return is_taken(m_compiled.verify->comparison, model::Operand::Kind::error, argument);
    };
    bool needs_launch = false;
    for (int i = 0; i < static_cast<int>(m_spec.arguments.size()); ++i) {
      const ArgumentSpec& argument = m_spec.arguments[static_cast<std::size_t>(i)];
      needs_launch = needs_launch || (argument.is_output() && !argument.expected && !is_compared(i));
      const bool is_exact = m_spec.verify->second_is_exact && argument.is_output() && !argument.expected;
      if (!is_exact || !is_compared(i) || taken(model::Operand::Kind::expected, i)) continue;
      m_compiler.report(
          where, fmt::format("second_is_exact, and nothing writes what `{}` must be equal to", argument.name),
          fmt::format("a comparison does not count there: pass {}.expected to the reference", argument.name));
    }
    if (steps.empty() && needs_launch)
      m_compiler.report(where, "[verify] without a launch", "launch the reference");
    const bool exact = m_spec.verify->rounding_terms.text == "0";
    for (int i = 0; i < static_cast<int>(m_spec.arguments.size()) && !steps.empty(); ++i) {
      const ArgumentSpec& argument = m_spec.arguments[static_cast<std::size_t>(i)];
      if (!argument.is_output() || argument.expected || is_compared(i)) continue;
      if (!taken(model::Operand::Kind::expected, i)) {
        m_compiler.report(
            where, fmt::format("output `{}` is not verified", argument.name),
            fmt::format("pass {}.expected to the reference, or declare it a workspace", argument.name));
      } else if (!exact && may_be(true, argument, m_spec) && !taken(model::Operand::Kind::magnitude, i)) {
        m_compiler.report(
            where,
            fmt::format("output `{0}` has no error bound: nothing writes {0}.magnitude", argument.name),
            "pass it to the reference, or set rounding_terms = \"0\"");
      }
    }
  }

  CompiledSpec& m_compiled;
  const model::KernelSpec& m_spec;
  ExpressionCompiler& m_compiler;
};

}  // namespace

void compile_steps(CompiledSpec& compiled, ExpressionCompiler& compiler) {
  StepCompiler(compiled, compiler).run();
}

}  // namespace tuner::space
