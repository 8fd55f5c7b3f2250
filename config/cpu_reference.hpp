#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/draft_plan.hpp"
#include "tuner/source/program.hpp"

namespace config {

/// Functions of a program's host code as text for a device, in double precision: `float` is `double` there,
/// and `expf` is `exp`.
class DoubleText {
 public:
  /// `types` has those of a template by their names, in double precision. The program outlives this.
  DoubleText(const Program& program, std::map<std::string, std::string> types)
      : m_program(program), m_types(std::move(types)) {}

  /// What a type or another word of the source is called.
  std::string name(const std::string& word) const;
  std::string body(const ProgramFunction& function) const { return written(function.body); }
  /// Definitions of all that a function uses: macros, constants and other functions. None where one of these
  /// does more than compute.
  std::optional<std::string> used_by(const ProgramFunction& function) const;

 private:
  std::string word(const Token& token) const;
  std::string written(Tokens tokens) const;
  std::string helper(const ProgramFunction& function) const;
  std::string constants(const std::vector<const ProgramFunction*>& functions) const;

  const Program& m_program;
  std::map<std::string, std::string> m_types;
};

/// A name of a narrower type or of a function of one in double precision; any other as it is.
std::string in_double(const std::string& name);

/// Whether a function has parameters, and its own text does nothing but compute.
bool computes_alone(const ProgramFunction& function);

struct CpuReference {
  std::string function;  ///< of the source, as `gelu_cpu`
  int line = 0;
  std::string text;                    ///< device code that computes the same in double precision
  std::vector<std::string> arguments;  ///< of its launch
};

/// A function of the host that computes what the kernel does, made a reference: the program calls it with
/// host buffers that it copies to or compares with those of the launch that says most. None where there is no
/// such function, or where it does more than compute.
std::optional<CpuReference> cpu_reference(DraftSource& source, const DraftPlan& plan,
                                          const std::vector<DraftBuffer>& buffers);

}  // namespace config
