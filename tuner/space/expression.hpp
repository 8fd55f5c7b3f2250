#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/model/device.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/use/arithmetic.hpp"

namespace tuner::space {

using use::describe;
using use::Fault;
using use::is_jump;
using use::is_unary;
using use::Op;

/// The argument of Op::constant is a place among the literals, of a load a slot, of a jump the instruction to
/// go on with.
struct Instruction {
  Op op = Op::constant;
  std::int32_t argument = 0;
  bool operator==(const Instruction&) const = default;
};

/// A number as both kinds of arithmetic see it.
struct Literal {
  std::int64_t integer = 0;
  double real = 0;
};

/// A compiled expression: code for a stack machine. Made by generate() alone, which guarantees that the code
/// is well formed and needs at most `stack_limit` values at a time.
struct Program {
  static constexpr int stack_limit = use::stack_limit;
  std::vector<Instruction> code;
  std::vector<Literal> literals;
  std::vector<int> reads;  ///< slots, each once, ascending
};

/// The value of every name an expression may mention; which name has which slot is Scope's business.
struct Slots {
  std::vector<std::int64_t> values;
  std::vector<Fault> faults;  ///< not none only for derived values that are undefined
  double time_ns = 0;
};

/// A value, or the reason why there is none.
template <typename Number>
struct Evaluated {
  Number value = 0;
  Fault fault = Fault::none;
  int slot = -1;  ///< the derived value that brought the fault in; -1: it happened here

  bool holds() const { return fault == Fault::none && value != 0; }
  bool is_zero() const { return fault == Fault::none && value == 0; }
};

Evaluated<std::int64_t> evaluate(const Program& program, const Slots& slots);
Evaluated<double> evaluate_real(const Program& program, const Slots& slots);

/// A mistake inside an expression.
struct ExpressionError {
  int column = 1;  ///< from 1, never beyond the last character (1 in an empty text)
  std::string message;
  std::string hint;
};

/// `text` fit for a message: one line of at most 80 columns.
std::string excerpt(std::string_view text);
/// Whether `text` is a C identifier.
bool is_identifier(std::string_view text);

/// One node of a syntax tree; children are indexes into Syntax::nodes.
struct Node {
  enum class Kind { integer, real, word, name, unary, binary, logical_and, logical_or, conditional };
  Kind kind = Kind::integer;
  Op op = Op::constant;  ///< unary and binary
  int offset = 0;        ///< of the operator or operand in the text, from 0
  int a = -1;
  int b = -1;
  int c = -1;
  std::string_view text{};  ///< words and names; points into the parsed text
  Literal number{};
  bool parenthesized = false;
};

/// A parsed expression. Nodes lie in one array so that deep trees need no recursion to be freed.
struct Syntax {
  std::vector<Node> nodes;
  int root = -1;
};

/// Specs are not trusted: longer or more deeply nested text than anyone writes is refused.
constexpr std::size_t longest_expression = 4096;
constexpr int deepest_nesting = 64;

/// The grammar of space.hpp; names and words are not resolved yet. `text` must outlive the result.
std::variant<Syntax, ExpressionError> parse(std::string_view text);

/// The functions of the language, for suggestions.
const std::vector<std::string_view>& function_names();

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
