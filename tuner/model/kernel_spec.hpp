#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/ceiling.hpp"
#include "tuner/model/configuration.hpp"
#include "tuner/model/element_type.hpp"
#include "tuner/model/plan.hpp"

namespace tuner::model {

/// Where something stands in a spec; lines and columns count from 1, 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  /// `kernels/matmul/naive.toml:12:8`
  std::string text() const;
};

/// One mistake in something a user wrote: where, what was found, what was expected.
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
  Value otherwise;                 ///< … and has this one value elsewhere
  bool runtime = false;            ///< passed as an argument, not a macro: configurations share one binary
  bool constant = false;           ///< not a macro but a `constexpr` above the source
  bool spelled =
      false;  ///< words: the macro is the word itself, a type or a template's argument, not its code
  SourceLocation where;
};

struct NamedExpression {
  std::string name;
  Expression value;
};

/// An Init as a spec says it: its numbers may be expressions, and its file has a shape.
struct InitRule : Init {
  InitRule() = default;
  InitRule(const Init& init) : Init(init) {}
  InitRule(Kind of, double first, double second) : Init{of, first, second} {}

  std::vector<Expression> expressions;  ///< of its numbers, in the order written; empty: they are known
  FileContents contents;                ///< of Init::file
  std::vector<std::int64_t> shape;      ///< as the file says; empty: it does not
  /// One for each file that is there, where the file's name has sizes in it, as `x.{N}.npy`. Then `contents`
  /// has the name alone.
  std::vector<InitRule> of_sizes;
  std::map<std::string, std::int64_t> sizes;  ///< in the name of one of these
  SourceLocation where;
};

/// How a buffer is filled for a given element type; types without an entry of their own take `usual`.
struct InitSpec {
  InitRule usual;
  std::map<ElementType, InitRule> by_type;
  const InitRule& for_type(ElementType type) const;
};

/// A CUtensorMap over a buffer.
struct TensorMapSpec : TensorMapKeys<AsExpressions<Expression>> {
  std::string buffer;  ///< the argument that it is over
};

/// A texture or a surface over a buffer; its parts as those of Texture.
struct TextureSpec {
  std::string buffer;  ///< the argument that it is over
  std::vector<Expression> shape;
  std::optional<Expression> pitch;  ///< bytes; absent: rows follow each other without a gap
  Texture kind;                     ///< all but the numbers
};

/// A plain struct as C++ lays it out. Behind an argument of one stands an argument for each field, called
/// `NAME.FIELD`: a buffer like the struct's, or a value. They are what is filled, expected and compared; no
/// kernel is passed them.
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
  std::optional<InitSpec> second_init;  ///< of the second input set; absent: `init` with another seed.
                                        ///< Init::signs has the most non-zeros of a column as `a` here
  bool restore = false;  ///< not outputs alone: has its initial contents again before each timed run
  std::optional<Expression>
      value;  ///< scalars only; absent: the size, parameter or derived value of the same name
  std::vector<Expression> components;   ///< vectors by value: one for each, or one for all
  bool ignores_unwritten = false;       ///< outputs: see BufferPlan
  std::optional<Expression> unordered;  ///< outputs: see BufferPlan::unordered_within
  std::optional<InitRule> expected;     ///< outputs: the file that says what is right
  std::optional<Tolerance> tolerance;   ///< outputs: instead of VerifySpec's
  std::string symbol;                   ///< pointers only: see BufferPlan
  Memory memory = Memory::device;       ///< pointers only
  std::optional<TensorMapSpec> tensor;  ///< neither a pointer nor a number, as is …
  std::optional<TextureSpec> texture;
  std::optional<StructLayout> structure;  ///< its elements, or it, are structs; then no `init` and no value
  std::int64_t field_length = 0;          ///< fields: how many of their type a struct has; 0: it is no field
  SourceLocation where;
  bool is_field() const { return field_length > 0; }
  /// Whether it is a view of another argument, which only CUDA devices have.
  bool is_view() const { return tensor || texture; }
  /// What people call a view.
  const char* view_name() const {
    if (tensor) return "tensor map";
    return texture && texture->kind.is_surface ? "surface" : "texture";
  }
  bool is_written() const { return pointer && model::is_written(access); }
  /// Whether it is judged; of structs their fields are.
  bool is_output() const { return is_written() && !structure; }
};

/// One step of a run, in the order written: a kernel launch, an upload of (part of) an argument, a memset of
/// it, or a call of a host library: of KernelSpec::library, or in a baseline of its source.
struct StepSpec : StepKeys<AsExpressions<Expression>> {
  std::string entry;     ///< kernel name expression, or the function called; empty for an upload
  int repeat_steps = 1;  ///< how many steps a loop has that begins here
  std::vector<std::string> arguments;  ///< names; empty: all arguments in written order
  std::string upload;  ///< argument copied from the host, or set, inside the timed region; empty for a launch
  bool sets = false;   ///< it is set: a memset
  int stream = 0;
  std::vector<int> after;          ///< steps (from 0) on other streams that must have finished
  std::optional<Expression> when;  ///< the step is left out where this is 0
  bool calls = false;     ///< a call; grid and block are not for it, and `arguments` names all it gets
  std::string workspace;  ///< call: the argument that is its workspace; empty: none
  SourceLocation where;
};

/// A file of source text; `name` is what diagnostics and #include lines call it.
struct SourceText {
  std::string name;
  std::string text;
  bool operator==(const SourceText&) const = default;
};

/// How results are judged: a reference kernel writes, for each output element, the exact value and the
/// magnitude |A||B| that scales the error bound; the bound is gamma(rounding_terms) * magnitude, with
/// gamma(n) = n*u / (1 - n*u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1).
struct VerifySpec {
  std::vector<SourceText> source;  ///< main file first, then the headers it includes
  std::vector<StepSpec>
      steps;                  ///< arguments `NAME.expected` and `NAME.magnitude` are double* for output NAME
  Expression rounding_terms;  ///< 0: results must be equal
  /// The second input set is such that every intermediate result is exact, so its outputs must be equal.
  bool second_is_exact = false;
  Tolerance tolerance;
  std::optional<ElementType> accumulator;  ///< see VerifyPlan
  std::vector<StepSpec> comparison;        ///< likewise; `NAME.error` is a double* for output NAME
  SourceLocation where;
};

/// Device code of the user's that fills buffers before the reference runs, from the seed of the input set:
/// the operand `seed`, an unsigned long long.
struct GeneratorSpec {
  std::vector<SourceText> source;  ///< main file first, then the headers it includes
  std::vector<StepSpec> steps;
};

struct MetricSpec {
  std::string name;  ///< as shown, unit included: GFLOP/s
  Expression value;  ///< over sizes, parameters, derived values and time_ns
};

/// What the problem asks of a device however it is solved, as expressions over the sizes, ELEMENT_BYTES and
/// derived values that depend on no parameter: arithmetic operations, and bytes that must be read or written
/// once.
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

/// A compiler option that some configurations have.
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

/// A library that solves the problem of a kernel, called through a function of its source: `tuner_baseline`
/// of tuner_baseline.h.
struct BaselineSpec {
  std::string name;                   ///< its kernel name
  std::string description;            ///< its settings as words
  std::vector<SourceText> source;     ///< C++ for the host: main file first, then the headers it includes
  std::vector<PlacedName> arguments;  ///< arguments of the kernel, sizes, derived values, in the call's order
  std::optional<Expression> workspace_bytes;  ///< absent: none
  std::optional<Expression> rounding_terms;   ///< absent: the kernel's
  std::vector<ElementType> types;             ///< empty: the kernel's
  std::vector<std::string> device_kinds;      ///< as of KernelSpec
  SourceLocation where;                       ///< of the name
};

/// Everything a sweep needs to know about one kernel, as read from its TOML file and validated.
struct KernelSpec {
  std::string name;
  std::string family;
  std::string description;
  Role role = Role::competitor;    ///< `ceiling` where `ceiling` below is set
  std::string path;                ///< of the TOML file; `shipped:` prefix for the embedded ones
  std::vector<SourceText> source;  ///< main file first, then the headers it includes
  /// C++ for the host with the functions that steps call, main file first; empty: there are none. In a
  /// baseline `source` is that.
  std::vector<SourceText> library;
  std::vector<std::string> sizes;
  std::vector<ElementType> types;         ///< offered; the first is the default
  std::string row_padding;                ///< name under which expressions see --pad; empty: not offered
  std::vector<std::string> device_kinds;  ///< "cuda", "cpu"; empty: all
  std::vector<CompilerOption> compile_options;
  std::vector<ConditionalOption> conditional_options;  ///< of the kernel alone, behind the others
  bool by_nvcc = false;                                ///< compiler = "nvcc": see CompileJob::by_nvcc
  std::vector<PlacedName> macros;                      ///< those of `derived` that the source sees as macros
  bool deterministic = true;
  std::vector<Assignment> defaults;  ///< the configuration a user would have without tuning, maybe partial
  std::vector<NamedExpression> derived;
  std::vector<ParameterSpec> parameters;
  std::vector<Expression> constraints;   ///< where one does not hold, a configuration may be wrong
  std::vector<Expression> worth_trying;  ///< where one does not hold, a search leaves a configuration out
  /// Not empty: only these of all configurations, as positions in the parameters' values, ascending. No spec
  /// file says this; a space that was recorded may have holes that no constraint tells.
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
  /// The kernel measures what its device can do at most: its best first metric is kept as that ceiling. Empty
  /// for ordinary kernels; see ceiling.hpp.
  std::string ceiling;
  /// The problem that ceiling is measured on: an extent a size, over device limits and ELEMENT_BYTES.
  std::vector<Expression> ceiling_sizes;
};

}  // namespace tuner::model
