#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::source {

/// What an expression of host code comes to: a number, or an expression over variables whose values the
/// source leaves open. It is kept simplified: sums and products are flat, equal terms are added up, and the
/// ways to write a division that rounds up have become `ceil_div`.
struct Value {
  enum class Kind {
    unknown,
    number,
    real,    ///< a literal with a point or an exponent; `name` is its text, without a suffix
    symbol,  ///< a variable; `name` is unique in a program
    call,    ///< `name` is an operator or a function, as `+`, `?:`, `ceil_div`
  };
  Kind kind = Kind::unknown;
  std::int64_t number = 0;
  std::string name;
  std::vector<Value> operands;

  bool is_known() const;
  bool is(std::int64_t other) const { return kind == Kind::number && number == other; }
  bool is_call(std::string_view of) const { return kind == Kind::call && name == of; }
};

/// How strongly an operator of C++ binds, with `?:` the weakest, 1, and `!` the strongest; 0: it is none.
int strength(std::string_view name);
/// What an operator or a function of a spec makes of two numbers; none: it is not known, or has no value.
std::optional<std::int64_t> folded(std::string_view name, std::int64_t a, std::int64_t b);

Value number_value(std::int64_t number);
Value real_value(std::string text);
Value symbol_value(std::string name);

Value add(Value a, Value b);
Value subtract(Value a, const Value& b);
Value multiply(Value a, Value b);
/// C++'s division of integers, or of real numbers where one is real.
Value divide(Value a, const Value& b);
/// Any other operator or function.
Value call(std::string name, std::vector<Value> operands);
/// `ceil(a)`: of a quotient the division that rounds up.
Value round_up_quotient(const Value& a);
/// Without conversions to real numbers, as a conversion back to an integer leaves it.
Value as_integer(const Value& a);

/// As an expression of a spec; `rename` says how a symbol is written there.
std::string text_of(const Value& value, const std::function<std::string(const std::string&)>& rename);
std::string text_of(const Value& value);
bool same(const Value& a, const Value& b);

std::set<std::string> symbols_of(const Value& value);
/// Symbols in the order in which they are written.
void list_symbols(const Value& value, std::vector<std::string>& names);
/// With every symbol that `replacement` knows replaced, and simplified anew.
Value replaced(const Value& value,
               const std::function<std::optional<Value>(const std::string&)>& replacement);
/// With each product that `factors`, itself a product of symbols, divides written by `by`.
Value factored(const Value& value, const Value& factors, const Value& by);
/// The factors of a product; a value that is none is its own factor.
std::vector<Value> factors_of(const Value& value);
/// `value` / `divisor` where that leaves no remainder whatever the symbols are.
std::optional<Value> divided_exactly(const Value& value, const Value& divisor);

}  // namespace tuner::source
