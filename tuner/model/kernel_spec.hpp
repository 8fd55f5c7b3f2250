#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/configuration.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::model {

/// A place in a spec; lines and columns count from 1, 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  /// `kernels/matmul/naive.toml:12:8`
  std::string text() const;
};

/// One mistake in a user's file: where, what was found, what was expected.
struct Diagnostic {
  SourceLocation where;
  std::string message;
  std::string hint;  ///< the fix; may be empty
};

/// The text of an expression as written; `space` compiles it.
struct Expression {
  std::string text;
  SourceLocation where;
};

struct ParameterSpec {
  std::string name;
  std::vector<Value> values;
  std::optional<Expression> when;  ///< the parameter exists only where this is true …
  Value otherwise;                 ///< … and has this value elsewhere
  bool runtime = false;            ///< passed as an argument, not a macro: configurations share one binary
  bool constant = false;           ///< not a macro but a `constexpr` above the source
  bool spelled =
      false;  ///< words only: the macro is the word itself (a type, a template argument), not its code
  SourceLocation where;
};

struct NamedExpression {
  std::string name;
  Expression value;
};

/// An Init as a spec writes it: its numbers may be expressions, and its file has a shape.
struct InitRule : Init {
  InitRule() = default;
  InitRule(const Init& init) : Init(init) {}
  InitRule(Kind of, double first, double second) : Init{of, first, second} {}

  std::vector<Expression> expressions;  ///< its numbers, in the order written; empty: they are constants
  FileContents contents;                ///< of Init::file
  std::vector<std::int64_t> shape;      ///< as the file says; empty: unknown
  /// Where the file name contains sizes, as in `x.{N}.npy`: one for each file found. Then `contents` has the
  /// name alone.
  std::vector<InitRule> of_sizes;
  std::map<std::string, std::int64_t> sizes;  ///< the sizes in this file's name
  SourceLocation where;
};

/// How a buffer is filled for an element type; types without an entry in `by_type` take `usual`.
struct InitSpec {
  InitRule usual;
  std::map<ElementType, InitRule> by_type;
  const InitRule& for_type(ElementType type) const;
};

/// A CUtensorMap over a buffer.
struct TensorMapSpec : TensorMapKeys<AsExpressions<Expression>> {
  std::string buffer;    ///< the argument that it is over
  SourceLocation where;  ///< of its name
};

/// A texture or a surface over a buffer; see Texture.
struct TextureSpec {
  std::string buffer;    ///< the argument that it is over
  SourceLocation where;  ///< of its name
  std::vector<Expression> shape;
  std::optional<Expression> pitch;  ///< bytes; absent: rows have no gap between them
  Texture kind;                     ///< everything except the numbers
};

/// A plain struct as C++ lays it out. After an argument of such a type comes one argument for each field,
/// called `NAME.FIELD`: a buffer like the struct's, or a value. The fields are filled and compared; the
/// kernel receives the struct.
struct StructLayout {
  std::string name;
  std::int64_t bytes = 0;
  std::vector<std::int64_t> offsets;  ///< of the fields, in bytes
};

struct ArgumentSpec {
  std::string name;
  std::optional<ElementType> type;  ///< absent: the problem's element type (written ELEMENT_TYPE)
  bool pointer = false;
  Access access = Access::in;           ///< pointers only
  std::vector<Expression> extent;       ///< pointers only: elements = product
  InitSpec init;                        ///< pointers only
  std::optional<InitSpec> second_init;  ///< for the second input set; absent: `init` with another seed. With
                                        ///< Init::signs, `a` is the largest number of non-zeros in a column
  bool restore = false;                 ///< initial contents are restored before each timed run
  std::optional<Expression>
      value;  ///< scalars only; absent: the size, parameter or derived value with this name
  std::vector<Expression> components;   ///< vectors by value: one for each component, or one for all
  bool ignores_unwritten = false;       ///< outputs: see BufferPlan
  std::optional<Expression> unordered;  ///< outputs: see BufferPlan::unordered_within
  std::optional<InitRule> expected;     ///< outputs: file with the expected values
  std::optional<Tolerance> tolerance;   ///< outputs: replaces that of VerifySpec
  std::string symbol;                   ///< pointers only: see BufferPlan
  Memory memory = Memory::device;       ///< pointers only
  std::optional<TensorMapSpec> tensor;  ///< set: a tensor map, neither a pointer nor a number
  std::optional<TextureSpec> texture;
  std::optional<StructLayout> structure;  ///< set: a struct or a buffer of structs, without `init` and value
  std::int64_t field_length = 0;          ///< fields: elements in one struct; 0: not a field
  SourceLocation where;
  bool is_field() const { return field_length > 0; }
  /// Whether it is a view of another argument. Only CUDA devices have views.
  bool is_view() const { return tensor || texture; }
  /// The usual name of the view's kind.
  const char* view_name() const {
    if (tensor) return "tensor map";
    return texture && texture->kind.is_surface ? "surface" : "texture";
  }
  bool is_written() const { return pointer && model::is_written(access); }
  /// Whether it is verified. For structs their fields are.
  bool is_output() const { return is_written() && !structure; }
};

/// One step of a run: a kernel launch, an upload or a memset of (part of) an argument, or a call of a host
/// function. The function is in KernelSpec::library; a baseline's is in its source.
struct StepSpec : StepKeys<AsExpressions<Expression>> {
  std::string entry;     ///< kernel name expression, or the function called; empty for an upload
  int repeat_steps = 1;  ///< number of steps in the loop that begins here
  std::vector<std::string> arguments;  ///< names; empty: all arguments in written order
  std::string upload;  ///< argument copied from the host, or set, inside the timed region; empty for a launch
  bool sets = false;   ///< a memset
  int stream = 0;
  std::vector<int> after;          ///< steps (from 0) on other streams that must have finished
  std::optional<Expression> when;  ///< the step is left out if this is 0
  bool calls = false;     ///< a call: it has no grid and block, and `arguments` lists everything it receives
  std::string workspace;  ///< calls: the argument used as workspace; empty: none
  SourceLocation where;
};

/// A file of source text; diagnostics and #include lines use `name`.
struct SourceText {
  std::string name;
  std::string text;
  bool operator==(const SourceText&) const = default;
};

/// How results are verified. For each output element a reference kernel writes the exact value and the
/// magnitude |A||B|. The error bound is gamma(rounding_terms) * magnitude, with gamma(n) = n*u / (1 - n*u)
/// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1).
struct VerifySpec {
  std::vector<SourceText> source;  ///< main file first, then the headers it includes
  std::vector<StepSpec>
      steps;                  ///< arguments `NAME.expected` and `NAME.magnitude` are double* for output NAME
  Expression rounding_terms;  ///< 0: results must be equal
  /// With the second input set every intermediate result is exact, so outputs must be equal.
  bool second_is_exact = false;
  Tolerance tolerance;
  std::optional<ElementType> accumulator;  ///< see VerifyPlan
  std::vector<StepSpec> comparison;  ///< the same arguments, and `NAME.error`, a double* for output NAME
  SourceLocation where;
};

/// The user's device code that fills buffers before the reference runs. Its operand `seed` (unsigned long
/// long) is the seed of the input set.
struct GeneratorSpec {
  std::vector<SourceText> source;  ///< main file first, then the headers it includes
  std::vector<StepSpec> steps;
};

struct MetricSpec {
  std::string name;  ///< as shown, unit included: GFLOP/s
  Expression value;  ///< over sizes, parameters, derived values and time_ns
};

/// Work that the problem needs whatever the kernel: arithmetic operations, and bytes that must be read or
/// written once. Expressions over the sizes, ELEMENT_BYTES and derived values that depend on no parameter.
struct WorkloadSpec {
  std::optional<Expression> operations;
  std::optional<Expression> bytes;
};

/// `${NAME}` in a compiler option stands for a parameter's value.
struct CompilerOption {
  CompilerOption(std::string option, SourceLocation place = {})
      : text(std::move(option)), where(std::move(place)) {}
  CompilerOption(const char* option) : text(option) {}

  std::string text;
  SourceLocation where;
};

/// A compiler option for some configurations.
struct ConditionalOption {
  std::string text;
  Expression when;
  SourceLocation where = {};
};

/// A name in a spec, with its place.
struct PlacedName {
  std::string name;
  SourceLocation where;
};

/// A library that solves a kernel's problem. Its source defines the function `tuner_baseline` of
/// tuner_baseline.h.
struct BaselineSpec {
  std::string name;                   ///< its kernel name
  std::string description;            ///< its settings in words
  std::vector<SourceText> source;     ///< C++ for the host: main file first, then the headers it includes
  std::vector<PlacedName> arguments;  ///< arguments of the kernel, sizes, derived values, in the call's order
  std::optional<Expression> workspace_bytes;  ///< absent: none
  std::optional<Expression> rounding_terms;   ///< absent: the kernel's
  std::vector<ElementType> types;             ///< empty: the kernel's
  std::vector<std::string> device_kinds;      ///< as of KernelSpec
  SourceLocation where;                       ///< of the name
};

/// Where the path of a spec or a declaration names a kernel of the program.
inline constexpr std::string_view shipped_prefix = "shipped:";

/// Everything a sweep needs to know about one kernel, as read from its TOML file and validated.
struct KernelSpec {
  std::string name;
  std::string family;
  std::string description;
  Role role = Role::competitor;    ///< `ceiling` where `ceiling` below is set
  std::string path;                ///< of the TOML file; shipped_prefix and a name for the embedded ones
  std::vector<SourceText> source;  ///< main file first, then the headers it includes
  /// C++ for the host with the functions that steps call, main file first; empty: none. In a baseline
  /// `source` holds it.
  std::vector<SourceText> library;
  std::vector<std::string> sizes;
  std::vector<ElementType> types;         ///< offered; the first is the default
  std::string row_padding;                ///< the name of --pad in expressions; empty: not offered
  std::vector<std::string> device_kinds;  ///< "cuda", "cpu"; empty: all
  std::vector<CompilerOption> compile_options;
  std::vector<ConditionalOption> conditional_options;  ///< for the kernel alone, after the others
  bool by_nvcc = false;                                ///< compiler = "nvcc": see CompileJob::by_nvcc
  std::vector<PlacedName> macros;                      ///< entries of `derived` that are macros in the source
  bool deterministic = true;
  std::vector<Assignment> defaults;  ///< the configuration a user would have without tuning, maybe partial
  std::vector<NamedExpression> derived;
  std::vector<ParameterSpec> parameters;
  std::vector<Expression> constraints;   ///< where one is false, a configuration may give wrong results
  std::vector<Expression> worth_trying;  ///< where one is false, a search leaves the configuration out
  /// Not empty: the only configurations, as positions in the parameters' values, ascending. Not part of spec
  /// files; recorded spaces may have holes that no constraint describes.
  std::vector<std::vector<std::uint16_t>> listed;
  std::vector<ArgumentSpec> arguments;
  std::vector<StepSpec> steps;
  std::optional<VerifySpec> verify;
  bool unverified = false;  ///< verify = "none": results are not checked
  std::optional<GeneratorSpec> generator;
  std::vector<MetricSpec> metrics;  ///< the first is the one shown in tables
  std::vector<PlacedName> counted;  ///< `[profile] metrics`: hardware counters beside the usual
  WorkloadSpec workload;
  std::vector<BaselineSpec> baselines;
  /// The kernel measures a ceiling of the device: the best value of its first metric. Empty for ordinary
  /// kernels; see device.hpp.
  std::string ceiling;
  /// The problem for measuring the ceiling: one extent for each size, over device limits and ELEMENT_BYTES.
  std::vector<Expression> ceiling_sizes;
};

}  // namespace tuner::model
