#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "config/source_tokens.hpp"

namespace config {

/// A parameter of a kernel as its source declares it.
struct SourceParameter {
  std::string type;  ///< without qualifiers, pointer and array: `float`, `unsigned int`, `cuda::std::size_t`
  std::string text;  ///< as written, without a default: `const float*__restrict__ x`
  std::string name;  ///< empty: it has none
  bool pointer = false;
  bool constant = false;  ///< pointers: to const
  int line = 0;
  /// What the kernel's body does with the elements of a pointer, as far as its text shows.
  bool read = false;
  bool written = false;
};

struct TemplateParameter {
  std::string type;  ///< `int`, `bool`; `typename` for a type
  std::string name;
};

/// A `__global__` function of a source.
struct SourceKernel {
  std::string name;
  std::vector<TemplateParameter> template_parameters;
  std::vector<SourceParameter> parameters;
  int line = 0;
  bool uses_block_y = false;  ///< blockIdx.y or threadIdx.y occurs in its body
  /// The word that blockIdx.x and blockIdx.y are multiplied with, as `TILE` or `blockDim`; empty: none.
  std::array<std::string, 2> block_covers;
};

/// A macro that is left to whoever compiles the source: used and not defined in it, or defined only where it
/// was not defined before.
struct OpenMacro {
  std::string name;
  std::string usual;          ///< the text it is defined as where nobody else does; empty: nothing
  bool in_condition = false;  ///< of an #if
  int line = 0;
};

/// What a source declares, read from its text alone: macros are not expanded and headers not read, so that a
/// kernel whose declaration a macro makes is not seen.
struct KernelSource {
  std::vector<SourceKernel> kernels;
  std::vector<std::string> functions;  ///< names of the others, outside of environments
  std::vector<OpenMacro> macros;
  int host_code_line = 0;  ///< of the first `main` or launch `<<<`, which NVRTC does not take; 0: neither
  std::vector<SourceStruct> structs;
};

KernelSource read_kernel_source(std::string_view text);

}  // namespace config
