#pragma once
#include "tuner/space/compiled_spec.hpp"
#include "tuner/space/expression_compiler.hpp"

namespace tuner::space {

// The parts of compile_spec, each in a file of its own. They fill the CompiledSpec they are given and report
// mistakes through the compiler.

/// parameters, derived (sorted; cycles are reported) and constraints.
void compile_values(CompiledSpec& compiled, ExpressionCompiler& compiler);
/// arguments, steps and verify.
void compile_steps(CompiledSpec& compiled, ExpressionCompiler& compiler);
/// What needs no expression: value lists, words as macros, defaults, element types, metrics' names.
void check_declarations(const CompiledSpec& compiled, ExpressionCompiler& compiler);
/// That run-time parameters reach the kernel, metrics no device limit, the workload neither a parameter nor a
/// limit, and the sizes of a ceiling nothing but limits and the element. After the others.
void check_uses(const CompiledSpec& compiled, ExpressionCompiler& compiler);

/// That what baselines take is there and depends on no parameter. After check_uses(), in a spec without other
/// mistakes.
void check_baselines(const CompiledSpec& compiled, ExpressionCompiler& compiler);

}  // namespace tuner::space
