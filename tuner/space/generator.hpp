#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/space/parser.hpp"
#include "tuner/space/program.hpp"

namespace tuner::space {

/// A device limit as expressions call it.
struct LimitName {
  std::string_view name;
  std::int64_t (*value)(const model::DeviceLimits&);
};

/// All of them; space.hpp lists them for users.
std::span<const LimitName> limit_names();

/// What a name in an expression stands for.
struct Symbol {
  enum class Kind { size, padding, element, limit, parameter, derived, time };
  Kind kind = Kind::size;
  int slot = 0;                      ///< in Slots::values; time has none
  bool takes_words = false;          ///< parameters whose values are words …
  std::vector<std::string> words{};  ///< … and these are they, `otherwise` included
};

/// "a size", "a device limit", …
std::string_view describe(Symbol::Kind kind);

/// The names a spec's expressions see. Slots lie in this order: sizes, row padding, ELEMENT_BYTES,
/// ELEMENT_IS_INTEGER, limits, parameters, derived values.
class Scope {
 public:
  /// Adds a diagnostic for each name that is malformed, reserved or taken; the first of two keeps the name.
  Scope(const model::KernelSpec& spec, std::vector<model::Diagnostic>& diagnostics);

  const Symbol* find(std::string_view name) const;
  std::vector<std::string> names() const;
  /// The parameter that offers `word`, or "".
  std::string parameter_offering(std::string_view word) const;

  int padding_slot() const { return m_sizes; }
  int element_slot() const { return m_sizes + 1; }
  int limit_slot() const { return m_sizes + 3; }
  int parameter_slot(int index) const { return m_first_parameter + index; }
  int derived_slot(int index) const { return m_first_derived + index; }
  int slots() const { return m_slots; }
  /// All of them, each 0.
  Slots zeros() const { return {std::vector<std::int64_t>(count()), std::vector<Fault>(count())}; }
  /// Whether a slot belongs to a parameter, a derived value, a limit.
  bool is_parameter(int slot) const { return slot >= m_first_parameter && slot < m_first_derived; }
  bool is_derived(int slot) const { return slot >= m_first_derived; }
  bool is_limit(int slot) const { return slot >= limit_slot() && slot < m_first_parameter; }

 private:
  std::size_t count() const { return static_cast<std::size_t>(m_slots); }
  void add(const std::string& name, const Symbol& symbol, const model::SourceLocation& where,
           std::vector<model::Diagnostic>& diagnostics);

  std::map<std::string, Symbol, std::less<>> m_symbols;
  int m_sizes = 0;
  int m_first_parameter = 0;
  int m_first_derived = 0;
  int m_slots = 0;
};

/// The words of a parameter in written order, `otherwise` last, each once.
std::vector<std::string> words_of(const model::ParameterSpec& parameter);

/// What an expression may contain besides what all may.
struct Rules {
  bool real = false;   ///< evaluated in double precision: decimal numbers, but no bit operations
  bool time = false;   ///< time_ns
  bool limits = true;  ///< device limits
  bool word = false;   ///< the whole may be a parameter that takes words; the value is then the word's code
};

/// Resolves names and words and compiles the tree under `root`.
std::variant<Program, ExpressionError> generate(const Syntax& syntax, int root, const Scope& scope,
                                                const Rules& rules);

/// The operands of the `&&`s at the top of the tree, left to right. A constraint is their conjunction whether
/// each is tested alone or not, since undefined and false both exclude a configuration.
std::vector<int> conjuncts(const Syntax& syntax);

}  // namespace tuner::space
