#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/source/tokens.hpp"

namespace tuner::source {

/// A parameter of a kernel as its source declares it.
struct SourceParameter {
  std::string type;  ///< without qualifiers, pointer and array: `float`, `unsigned int`, `cuda::std::size_t`
  std::string text;  ///< as written, without a default: `const float*__restrict__ x`
  std::string name;  ///< empty: it has none
  bool pointer = false;
  bool constant = false;  ///< pointers: to const
  bool is_pack = false;   ///< `Arguments... arguments`
  /// What it is where `type` and `pointer` do not say all, as `a pointer to pointers`; empty: they do.
  std::string kind;
};

struct TemplateParameter {
  std::string type;  ///< `int`, `bool`; `typename` for a type
  std::string name;
};

/// How a function is called.
struct Signature {
  std::string name;
  std::vector<TemplateParameter> template_parameters;
  std::vector<SourceParameter> parameters;
  int line = 0;
};

struct SourceField {
  std::string type;  ///< as it is written: `float3`, `unsigned int`
  std::string name;
  std::int64_t length = 0;  ///< of an array; 0: it is none
  bool is_choice = false;   ///< of an enumeration, as far as a draft has found out
};

/// A struct that a source defines.
struct SourceStruct {
  std::string name;
  std::vector<SourceField> fields;
  std::int64_t align = 0;  ///< what alignas or __align__ says; 0: nothing
  /// What it has that is more than fields of plain types, as `a function`; empty: nothing. Its fields do not
  /// count then.
  std::string beyond_fields;
  int line = 0;
};

/// A macro whose value the build gives: the source uses it without a definition, or defines it only where it
/// is not defined yet.
struct OpenMacro {
  std::string name;
  std::string usual;          ///< its default in the source; empty: none
  bool in_condition = false;  ///< of an #if
  int line = 0;
};

/// What a source declares, read from its text alone: macros are not expanded and headers not read, so that a
/// kernel whose declaration a macro makes is not seen.
struct KernelSource {
  std::vector<Signature> kernels;      ///< `__global__` functions
  std::vector<std::string> functions;  ///< names of the others, outside classes
};

/// Where a function's name and the bracket of its parameters stand in its declaration.
struct Declarator {
  std::size_t name;
  std::size_t bracket;
};
/// Past attributes and `template <…>`, whose brackets are not those of parameters. None: it declares no
/// function.
std::optional<Declarator> declarator_of(Tokens declaration);

/// A parameter of a signature, as `const float* __restrict__ x = nullptr`.
SourceParameter read_parameter(Tokens tokens);
/// `[4][N]` of the parameters `float (*x)[4][N]` and `float x[][4][N]`.
std::vector<Token> row_extents(const SourceParameter& parameter);
/// What stands between the brackets of `template <…>`.
std::vector<TemplateParameter> read_template_parameters(Tokens tokens);

KernelSource read_kernel_source(std::string_view text);

/// By the text alone too, in the order of their lines.
std::vector<OpenMacro> open_macros(std::string_view text);

/// The structs alone, without templates.
std::vector<SourceStruct> structs_of(const Lines& source);

/// Names of the `__global__` functions that a source declares or whose declaration is a macro's text, in
/// order, each once. For messages.
std::vector<std::string> kernel_names(std::string_view source);

/// The line of the first `main` or launch `<<<`, which NVRTC does not take, counted from the last `#line 1`
/// above it; 0: neither.
int host_code_line(std::string_view source);

}  // namespace tuner::source
