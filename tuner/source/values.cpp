#include "tuner/source/values.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace tuner::source {
namespace {

using Kind = Value::Kind;

/// A summand: a coefficient and what it multiplies, a product without a number.
struct Term {
  std::int64_t coefficient = 1;
  Value rest;  ///< the number 1: the term is a constant
};

Term term_of(const Value& value) {
  if (value.kind == Kind::number) return {value.number, number_value(1)};
  if (!value.is_call("*") || value.operands.front().kind != Kind::number) return {1, value};
  Value rest = value;
  rest.operands.erase(rest.operands.begin());
  if (rest.operands.size() == 1) rest = Value(rest.operands.front());
  return {value.operands.front().number, rest};
}

std::vector<Term> terms_of(const Value& value) {
  std::vector<Term> terms;
  if (value.is_call("+")) {
    for (const Value& operand : value.operands) terms.push_back(term_of(operand));
  } else {
    terms.push_back(term_of(value));
  }
  return terms;
}

std::int64_t constant_of(const std::vector<Term>& terms) {
  for (const Term& term : terms)
    if (term.rest.is(1)) return term.coefficient;
  return 0;
}

Value product(std::int64_t coefficient, const Value& rest) {
  if (coefficient == 0) return number_value(0);
  if (rest.is(1)) return number_value(coefficient);
  if (coefficient == 1) return rest;
  std::vector<Value> factors = factors_of(rest);
  factors.insert(factors.begin(), number_value(coefficient));
  return {Kind::call, 0, "*", std::move(factors)};
}

Value sum(const std::vector<Term>& terms) {
  std::vector<Value> operands;
  for (const Term& term : terms)
    if (term.coefficient != 0) operands.push_back(product(term.coefficient, term.rest));
  if (operands.empty()) return number_value(0);
  if (operands.size() == 1) return operands.front();
  return {Kind::call, 0, "+", std::move(operands)};
}

/// Division and conversion of real numbers, which no simplification of integers may touch.
bool is_real(const Value& value) {
  if (value.kind == Kind::real || value.is_call("real") || value.is_call("real/")) return true;
  const bool keeps = value.is_call("+") || value.is_call("*") || value.is_call("-");
  return keeps && std::ranges::any_of(value.operands, is_real);
}

/// Of `b` other than 0. The least number has no quotient by -1, and the processor says so with a signal.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return b == -1 ? -a : a / b;
}

std::int64_t remainder(std::int64_t a, std::int64_t b) {
  return b == -1 ? 0 : a % b;
}

class Writer {
 public:
  explicit Writer(const std::function<std::string(const std::string&)>& rename) : m_rename(rename) {}

  std::string write(const Value& value, int outer = 0) const {
    switch (value.kind) {
      case Kind::unknown:
        return "?";
      case Kind::number:
        return std::to_string(value.number);
      case Kind::real:
        return value.name;
      case Kind::symbol:
        return m_rename(value.name);
      case Kind::call:
        break;
    }
    if (value.is_call("real")) return write(value.operands.front(), outer);
    const int own = strength(value.name);
    if (own == 0) return function(value);
    const std::string text = operation(value, own);
    return own < outer ? "(" + text + ")" : text;
  }

 private:
  std::string function(const Value& value) const {
    std::string text = value.name + "(";
    for (std::size_t i = 0; i < value.operands.size(); ++i)
      text += (i == 0 ? "" : ", ") + write(value.operands[i]);
    return text + ")";
  }

  std::string operation(const Value& value, int own) const {
    const auto& operands = value.operands;
    if (value.name == "?:")
      return write(operands[0], own + 1) + " ? " + write(operands[1], own + 1) + " : " +
             write(operands[2], own);
    if (value.name == "!") return "!" + write(operands[0], own);
    std::string text = write(operands[0], own);
    for (std::size_t i = 1; i < operands.size(); ++i) {
      Term term = term_of(operands[i]);
      if (value.name == "+" && term.coefficient < 0) {
        text += " - " + write(product(-term.coefficient, term.rest), own + 1);
      } else {
        const std::string_view sign = value.name == "real/" ? "/" : std::string_view(value.name);
        text += " " + std::string(sign) + " " + write(operands[i], own + 1);
      }
    }
    return text;
  }

  const std::function<std::string(const std::string&)>& m_rename;
};

}  // namespace

int strength(std::string_view name) {
  static const std::map<std::string_view, int> known = {
      {"?:", 1}, {"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5},      {"&", 6},  {"==", 7},
      {"!=", 7}, {"<", 8},  {">", 8},  {"<=", 8}, {">=", 8},     {"<<", 9}, {">>", 9},
      {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"real/", 11}, {"%", 11}, {"!", 12}};
  const auto found = known.find(name);
  return found == known.end() ? 0 : found->second;
}

std::optional<std::int64_t> folded(std::string_view name, std::int64_t a, std::int64_t b) {
  if (name == "+") return a + b;
  if (name == "-") return a - b;
  if (name == "*") return a * b;
  if (name == "/" && b != 0) return quotient(a, b);
  if (name == "%" && b != 0) return remainder(a, b);
  if (name == "<<" && b >= 0 && b < 62) return a << b;
  if (name == ">>" && b >= 0 && b < 62) return a >> b;
  if (name == "<") return a < b;
  if (name == ">") return a > b;
  if (name == "<=") return a <= b;
  if (name == ">=") return a >= b;
  if (name == "==") return a == b;
  if (name == "!=") return a != b;
  if (name == "&&") return a != 0 && b != 0;
  if (name == "||") return a != 0 || b != 0;
  if (name == "&") return a & b;
  if (name == "|") return a | b;
  if (name == "^") return a ^ b;
  if (name == "min") return std::min(a, b);
  if (name == "max") return std::max(a, b);
  if (name == "ceil_div" && b > 0 && a > -b) return (a + b - 1) / b;
  return std::nullopt;
}

bool Value::is_known() const {
  return kind != Kind::unknown &&
         std::ranges::all_of(operands, [](const Value& one) { return one.is_known(); });
}

Value number_value(std::int64_t number) {
  return {Kind::number, number, "", {}};
}

Value real_value(std::string text) {
  return {Kind::real, 0, std::move(text), {}};
}

Value symbol_value(std::string name) {
  return {Kind::symbol, 0, std::move(name), {}};
}

Value add(Value a, Value b) {
  // floor((n - 1) / d) + 1 rounds n / d up.
  for (const auto& [quotient, one] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!one->is(1) || !quotient->is_call("/")) continue;
    if (constant_of(terms_of(quotient->operands[0])) == -1)
      return call("ceil_div", {add(quotient->operands[0], number_value(1)), quotient->operands[1]});
  }
  std::vector<Term> terms = terms_of(a);
  for (const Term& term : terms_of(b)) {
    const auto found =
        std::ranges::find_if(terms, [&](const Term& one) { return same(one.rest, term.rest); });
    if (found == terms.end()) {
      terms.push_back(term);
    } else {
      found->coefficient += term.coefficient;
    }
  }
  return sum(terms);
}

Value subtract(Value a, const Value& b) {
  return add(std::move(a), multiply(number_value(-1), b));
}

Value multiply(Value a, Value b) {
  if (a.is_call("+") && b.kind == Kind::number) std::swap(a, b);
  if (a.kind == Kind::number && b.is_call("+")) {
    std::vector<Term> terms = terms_of(b);
    for (Term& term : terms) term.coefficient *= a.number;
    return sum(terms);
  }
  std::int64_t coefficient = 1;
  std::vector<Value> factors;
  for (const Value* side : {&a, &b}) {
    for (const Value& factor : factors_of(*side)) {
      if (factor.kind == Kind::number) {
        coefficient *= factor.number;
      } else {
        factors.push_back(factor);
      }
    }
  }
  if (factors.empty() || coefficient == 0) return number_value(coefficient);
  return product(coefficient, factors.size() == 1 ? factors.front() : Value{Kind::call, 0, "*", factors});
}

Value divide(Value a, const Value& b) {
  if (is_real(a) || is_real(b)) return {Kind::call, 0, "real/", {std::move(a), b}};
  if (b.is(1)) return a;
  if (a.kind == Kind::number && b.kind == Kind::number && b.number != 0)
    return number_value(quotient(a.number, b.number));
  if (std::optional<Value> exact = divided_exactly(a, b)) return *exact;
  for (const std::int64_t prime : {2, 3, 5, 7}) {
    if (b.kind != Kind::number || b.number <= 1 || b.number % prime != 0) continue;
    if (const auto part = divided_exactly(a, number_value(prime)))
      return divide(*part, number_value(b.number / prime));
  }
  const Value rest = add(subtract(a, b), number_value(1));
  const std::vector<Term> before = terms_of(a);
  // (n + 256 - 1) / 256, (n - 2 + 256 - 1) / 256, (n + 1 + 256 - 1) / 256, and (n + d) / d for n that are not
  // negative
  const std::int64_t missing = b.number - 1 - constant_of(before);
  const bool rounds_up = b.kind == Kind::number
                             ? b.number > 1 && 4 * std::abs(missing) <= b.number
                             : before.size() > 1 && terms_of(subtract(a, b)).size() < before.size();
  if (rounds_up) return call("ceil_div", {rest, b});
  return {Kind::call, 0, "/", {std::move(a), b}};
}

Value call(std::string name, std::vector<Value> operands) {
  const auto is_number = [](const Value& one) { return one.kind == Kind::number; };
  if (std::ranges::all_of(operands, is_number)) {
    if (operands.size() == 2)
      if (const auto result = folded(name, operands[0].number, operands[1].number))
        return number_value(*result);
    if (operands.size() == 1 && name == "!") return number_value(operands[0].number == 0 ? 1 : 0);
  }
  if (name == "?:" && is_number(operands[0])) return operands[operands[0].number != 0 ? 1 : 2];
  if (name == "<<" && operands[1].kind == Kind::number && operands[1].number < 62)
    return multiply(operands[0], number_value(std::int64_t{1} << operands[1].number));
  if (name == ">>" && operands[1].kind == Kind::number && operands[1].number < 62)
    return divide(operands[0], number_value(std::int64_t{1} << operands[1].number));
  if (name == "ceil_div" && (operands[1].is(1) || operands[0].is(0))) return operands[0];
  return {Kind::call, 0, std::move(name), std::move(operands)};
}

/// A call of the same name with other operands.
static Value rebuilt(const std::string& name, std::vector<Value> operands) {
  Value result = operands.front();
  if (name == "+" || name == "*") {
    for (std::size_t i = 1; i < operands.size(); ++i)
      result = name == "+" ? add(result, operands[i]) : multiply(result, operands[i]);
    return result;
  }
  return name == "/" ? divide(operands[0], operands[1]) : call(name, std::move(operands));
}

Value as_integer(const Value& a) {
  if (a.is_call("real")) return as_integer(a.operands.front());
  if (a.kind == Kind::real) {
    const double real = std::strtod(a.name.c_str(), nullptr);
    const auto whole = static_cast<std::int64_t>(real);
    return static_cast<double>(whole) == real ? number_value(whole) : a;
  }
  if (a.kind != Kind::call) return a;
  std::vector<Value> operands;
  for (const Value& operand : a.operands) operands.push_back(as_integer(operand));
  return rebuilt(a.is_call("real/") ? "/" : a.name, std::move(operands));
}

Value round_up_quotient(const Value& a) {
  if (!a.is_call("real/")) return as_integer(a);
  return call("ceil_div", {as_integer(a.operands[0]), as_integer(a.operands[1])});
}

std::string text_of(const Value& value, const std::function<std::string(const std::string&)>& rename) {
  return Writer(rename).write(value);
}

std::string text_of(const Value& value) {
  static const std::function<std::string(const std::string&)> as_it_is = [](const std::string& name) {
    return name;
  };
  return text_of(value, as_it_is);
}

bool same(const Value& a, const Value& b) {
  return a.kind == b.kind && a.number == b.number && a.name == b.name &&
         std::ranges::equal(a.operands, b.operands, same);
}

void list_symbols(const Value& value, std::vector<std::string>& names) {
  if (value.kind == Kind::symbol && std::ranges::count(names, value.name) == 0) names.push_back(value.name);
  for (const Value& operand : value.operands) list_symbols(operand, names);
}

std::set<std::string> symbols_of(const Value& value) {
  std::vector<std::string> names;
  list_symbols(value, names);
  return {names.begin(), names.end()};
}

Value replaced(const Value& value,
               const std::function<std::optional<Value>(const std::string&)>& replacement) {
  if (value.kind == Kind::symbol) return replacement(value.name).value_or(value);
  if (value.kind != Kind::call) return value;
  std::vector<Value> operands;
  for (const Value& operand : value.operands) operands.push_back(replaced(operand, replacement));
  return rebuilt(value.name, std::move(operands));
}

Value factored(const Value& value, const Value& factors, const Value& by) {
  if (const std::optional<Value> rest = divided_exactly(value, factors);
      rest && (value.is_call("*") || same(value, factors)))
    return multiply(by, factored(*rest, factors, by));
  if (value.kind != Kind::call) return value;
  std::vector<Value> operands;
  for (const Value& operand : value.operands) operands.push_back(factored(operand, factors, by));
  return rebuilt(value.name, std::move(operands));
}

std::vector<Value> factors_of(const Value& value) {
  return value.is_call("*") ? value.operands : std::vector<Value>{value};
}

std::optional<Value> divided_exactly(const Value& value, const Value& divisor) {
  std::vector<Term> terms = terms_of(value);
  const Term by = term_of(divisor);
  if (by.coefficient == 0 || divisor.is_call("+") || !value.is_known()) return std::nullopt;
  for (Term& term : terms) {
    if (remainder(term.coefficient, by.coefficient) != 0) return std::nullopt;
    term.coefficient = quotient(term.coefficient, by.coefficient);
    if (by.rest.is(1)) continue;
    std::vector<Value> factors = factors_of(term.rest);
    for (const Value& factor : factors_of(by.rest)) {
      const auto found = std::ranges::find_if(factors, [&](const Value& one) { return same(one, factor); });
      if (found == factors.end()) return std::nullopt;
      factors.erase(found);
    }
    term.rest = factors.empty()       ? number_value(1)
                : factors.size() == 1 ? factors.front()
                                      : Value{Kind::call, 0, "*", factors};
  }
  return sum(terms);
}

}  // namespace tuner::source
