#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/source/kernel_source.hpp"
#include "tuner/source/tokens.hpp"

namespace tuner::source {

struct ProgramFile {
  std::string name;  ///< as its `#include` gives it; of the first the name it was given by
  std::string text;
};

/// A macro that stands for a constant expression, as `#define TILE 16`.
struct ConstantMacro {
  Tokens tokens;
  bool guarded = false;  ///< behind an `#ifndef` of its own, so that the build may give another value
  int file = 0;
  int line = 0;
};

struct ProgramFunction : Signature {
  std::string scope;  ///< the namespaces that it is in, as `a::b::`; those without a name need none
  std::vector<Tokens> defaults;  ///< of each parameter; empty: none
  Tokens before;                 ///< what stands before its name
  Tokens body;                   ///< with its braces
  std::size_t begin = 0;         ///< of the body, in the program's code
  bool is_kernel = false;
  bool is_device = false;  ///< a kernel too
  int file = 0;

  std::size_t end() const { return begin + body.size(); }
  std::string qualified_name() const { return scope + name; }
};

/// A variable outside functions.
struct GlobalVariable {
  std::string name;
  std::string scope;  ///< as of a function
  std::string type;
  bool constant = false;     ///< const or constexpr
  bool on_device = false;    ///< __constant__ or __device__
  bool in_constant = false;  ///< __constant__
  bool pointer = false;
  std::vector<Tokens> extents;  ///< of an array
  Tokens init;                  ///< behind `=`, or between its braces or brackets
  int line = 0;

  std::string qualified_name() const { return scope + name; }
};

/// What expressions use of a class or struct.
struct ClassMembers {
  std::vector<TemplateParameter> template_parameters;
  std::vector<GlobalVariable> variables;  ///< as they are written

  const GlobalVariable* find(std::string_view name) const;
};

/// A name of an enumeration: what stands behind the last `=`, and how many names ago that was.
struct Enumerator {
  Tokens base;  ///< empty: 0
  std::int64_t offset = 0;
};

/// A source with its local headers as the preprocessor leaves them: conditions decided, headers in place of
/// their `#include`, macros expanded but those that stand for constants, which keep their names.
class Program {
 public:
  /// The text of a header, and the name that tells it from others; none: it is not local.
  using Find = std::function<std::optional<ProgramFile>(const std::string& name, bool bracketed,
                                                        const std::string& from)>;

  /// `macros`: names and values that the build gives, as if the source began with them. Their line is 0.
  Program(ProgramFile source, const Find& find,
          const std::vector<std::pair<std::string, std::string>>& macros = {});
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::vector<Token>& code() const { return m_code; }
  const std::deque<ProgramFile>& files() const { return m_files; }
  const std::vector<ProgramFunction>& functions() const { return m_functions; }
  const std::vector<GlobalVariable>& variables() const { return m_variables; }
  const ConstantMacro* macro(std::string_view name) const;
  /// Whether it defines a macro, or a header does, without asking whether the build has.
  bool fixes(std::string_view macro) const { return m_fixed.contains(macro); }
  const GlobalVariable* variable(std::string_view name) const;
  const ClassMembers* class_named(std::string_view name) const;
  /// A variable of any class.
  const GlobalVariable* member(std::string_view name) const;
  const Enumerator* enumerator(std::string_view name) const;
  /// What a name of a type stands for, as `float` for a typedef of this file; its own name where it is none.
  std::string resolved_type(const std::string& type) const;
  /// Whether the type, or what it stands for, is an enumeration, which resolved_type() makes an integer.
  bool is_enumeration(const std::string& type) const { return m_enumerations.contains(unaliased(type)); }
  /// Tokens of a typedef or `using`; null: there is none.
  const Tokens* type_alias(std::string_view name) const;

 private:
  friend class Preprocessor;
  friend class Declarations;

  /// From the first file and the build's macros to the code.
  void preprocess(const Find& find, const std::vector<std::pair<std::string, std::string>>& macros);
  std::string unaliased(std::string type) const;

  std::deque<ProgramFile> m_files;
  std::deque<std::string> m_made;         ///< words that macros paste together
  std::deque<std::vector<Token>> m_kept;  ///< bodies of macros
  std::vector<Token> m_code;
  std::map<std::string, ConstantMacro, std::less<>> m_macros;
  std::set<std::string, std::less<>> m_fixed;
  std::vector<ProgramFunction> m_functions;
  std::vector<GlobalVariable> m_variables;
  std::map<std::string, Tokens, std::less<>> m_types;
  std::map<std::string, ClassMembers, std::less<>> m_classes;
  std::map<std::string, Enumerator, std::less<>> m_enumerators;
  std::map<std::string, std::string, std::less<>> m_enumerations;  ///< and the integers that they are
};

/// A type without qualifiers, pointers and references: `unsigned int` of `const unsigned int&`.
std::string type_text(Tokens tokens);

}  // namespace tuner::source
