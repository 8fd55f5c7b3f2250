#include "tuner/source/expression_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

namespace tuner::source {
namespace {

int strength(std::string_view name) {
  static const std::map<std::string_view, int> known = {
      {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
      {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  const auto found = known.find(name);
  return found == known.end() ? 0 : found->second;
}

bool is_real_type(std::string_view type) {
  return type == "float" || type == "double";
}

}  // namespace

bool is_integer_type(std::string_view type) {
  return is_one_of(type, {"int",
                          "unsigned",
                          "unsigned int",
                          "size_t",
                          "std::size_t",
                          "long",
                          "unsigned long",
                          "long int",
                          "long long",
                          "unsigned long long",
                          "short",
                          "unsigned short",
                          "uint",
                          "int64_t",
                          "uint64_t",
                          "int32_t",
                          "uint32_t",
                          "std::int64_t",
                          "std::uint64_t",
                          "ptrdiff_t",
                          "long long int",
                          "unsigned long long int",
                          "unsigned long int",
                          "auto",
                          "char",
                          "bool",
                          "uint8_t",
                          "uint16_t",
                          "std::uint32_t",
                          "std::int32_t",
                          "unsigned char"});
}

Value ExpressionReader::read() {
  const Value value = choice();
  if (m_failed || m_at != m_tokens.size()) return {};
  return value;
}

bool ExpressionReader::at(std::string_view text, std::size_t ahead) const {
  return m_at + ahead < m_tokens.size() && m_tokens[m_at + ahead].is(text);
}

bool ExpressionReader::take(std::string_view text) {
  if (!at(text)) return false;
  ++m_at;
  return true;
}

std::string ExpressionReader::binary_operator() const {
  if (m_at >= m_tokens.size() || m_tokens[m_at].kind != Token::Kind::punctuation) return {};
  std::string one(m_tokens[m_at].text);
  if (m_at + 1 < m_tokens.size()) {
    const std::string two = one + std::string(m_tokens[m_at + 1].text);
    if (is_one_of(two, {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"})) return two;
  }
  return strength(one) > 0 ? one : std::string();
}

Value ExpressionReader::choice() {
  Value condition = binary(1);
  if (!take("?")) return condition;
  Value yes = choice();
  if (!take(":")) m_failed = true;
  Value no = choice();
  return call("?:", {std::move(condition), std::move(yes), std::move(no)});
}

Value ExpressionReader::binary(int least) {
  Value left = unary();
  while (!m_failed) {
    const std::string name = binary_operator();
    if (name.empty() || strength(name) < least) return left;
    m_at += name.size();
    Value right = binary(strength(name) + 1);
    if (!left.is_known() || !right.is_known()) {
      left = {};
    } else if (name == "+") {
      left = add(std::move(left), std::move(right));
    } else if (name == "-") {
      left = subtract(std::move(left), right);
    } else if (name == "*") {
      left = multiply(std::move(left), std::move(right));
    } else if (name == "/") {
      left = divide(std::move(left), right);
    } else {
      left = call(name, {std::move(left), std::move(right)});
    }
  }
  return left;
}

Value ExpressionReader::unary() {
  if (take("+")) return unary();
  if (take("-")) {
    const Value value = unary();
    return value.kind == Value::Kind::real ? real_value("-" + value.name) : multiply(number_value(-1), value);
  }
  if (take("!")) return call("!", {unary()});
  if (at("(")) {
    if (const std::size_t end = behind_cast(); end > 0) {
      const std::string type = m_host.type_in(m_tokens.subspan(m_at + 1, end - m_at - 2), m_frame);
      m_at = end;
      return converted(type, unary());
    }
  }
  return primary();
}

Value ExpressionReader::converted(const std::string& type, const Value& value) {
  if (!value.is_known()) return {};
  if (is_real_type(type)) return value.kind == Value::Kind::real ? value : call("real", {value});
  return as_integer(value);
}

bool ExpressionReader::is_type(Tokens tokens) const {
  if (tokens.empty()) return false;
  const std::string text = m_host.type_in(tokens, m_frame);
  return is_integer_type(text) || is_real_type(text) ||
         is_one_of(tokens.front().text, {"const", "unsigned", "signed", "long", "short", "char", "std"});
}

std::size_t ExpressionReader::behind_cast() const {
  const std::size_t end = behind_bracket(m_tokens, m_at);
  if (end >= m_tokens.size() || end < m_at + 3) return 0;
  const Tokens inside = m_tokens.subspan(m_at + 1, end - m_at - 2);
  const bool plain = std::ranges::all_of(
      inside, [](const Token& token) { return token.is_word() || token.is("::") || token.is("*"); });
  const Token& next = m_tokens[end];
  const bool begins_value =
      next.is_word() || next.kind == Token::Kind::number || next.is("(") || next.is("-");
  return plain && begins_value && is_type(inside) ? end : 0;
}

Value ExpressionReader::primary() {
  if (m_failed || m_at >= m_tokens.size()) {
    m_failed = true;
    return {};
  }
  if (take("(")) {
    Value inner = choice();
    if (!take(")")) m_failed = true;
    return inner;
  }
  const Token& token = m_tokens[m_at];
  if (token.kind == Token::Kind::number || token.is(".")) return literal();
  if (token.is_word()) return named();
  m_failed = true;
  return {};
}

Value ExpressionReader::literal() {
  std::string text(m_tokens[m_at++].text);
  if (text == "." && m_at < m_tokens.size()) text = "0." + std::string(m_tokens[m_at++].text);
  std::erase(text, '\'');
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const bool real = !hex && text.find_first_of(".eE") != std::string::npos;
  while (!text.empty() && (is_one_of(text.substr(text.size() - 1), {"u", "U", "l", "L"}) ||
                           (!hex && (text.back() == 'f' || text.back() == 'F'))))
    text.pop_back();
  if (!real) return number_value(std::strtoll(text.c_str(), nullptr, 0));
  if (text.ends_with(".")) text += "0";
  return real_value(std::move(text));
}

std::vector<Tokens> ExpressionReader::bracketed() {
  const Tokens inside = inside_bracket(m_tokens, m_at);
  m_at = behind_bracket(m_tokens, m_at);
  return expression_parts(inside);
}

std::vector<Tokens> ExpressionReader::template_arguments() {
  const std::size_t end = behind_bracket(m_tokens, m_at);
  if (end >= m_tokens.size() || !m_tokens[end].is("(")) return {};
  const Tokens inside = m_tokens.subspan(m_at + 1, end - m_at - 2);
  if (find_one_of(inside, {"(", ";", "&", "|"}) < inside.size()) return {};
  m_at = end;
  return parts(inside);
}

Value ExpressionReader::size_of() {
  if (!at("(")) {
    m_failed = true;
    return {};
  }
  const Tokens inside = inside_bracket(m_tokens, m_at);
  m_at = behind_bracket(m_tokens, m_at);
  if (find_one_of(inside, {"*"}) + 1 == inside.size()) return number_value(8);
  // Of a variable's elements, as sizeof(x[0]) and sizeof(*x).
  if (!inside.empty() && inside.back().is("]"))
    return m_host.size_of(m_host.origin(inside.first(1), m_frame).type);
  if (!inside.empty() && inside.front().is("*"))
    return m_host.size_of(m_host.origin(inside.subspan(1), m_frame).type);
  return m_host.size_of(m_host.type_in(inside, m_frame));
}

Value ExpressionReader::named() {
  std::string name(m_tokens[m_at++].text);
  while (at("::") && m_at + 1 < m_tokens.size()) {
    name += "::" + std::string(m_tokens[m_at + 1].text);
    m_at += 2;
  }
  if (name == "sizeof") return size_of();
  std::vector<Tokens> given;
  if (at("<")) given = template_arguments();
  if (at("(")) return called(name, given);
  while (at(".") && m_at + 1 < m_tokens.size() && m_tokens[m_at + 1].is_word()) {
    name += "." + std::string(m_tokens[m_at + 1].text);
    m_at += 2;
  }
  while (at("-") && at(">", 1) && m_at + 2 < m_tokens.size()) {
    name += "." + std::string(m_tokens[m_at + 2].text);
    m_at += 3;
  }
  if (at("[")) {  // an array that the program goes through
    m_at = behind_bracket(m_tokens, m_at);
    return m_at == m_tokens.size() ? m_host.variable(name + "[]", m_frame) : Value();
  }
  if (at("(")) {
    m_at = behind_bracket(m_tokens, m_at);
    return {};
  }
  return m_host.variable(name, m_frame);
}

Value ExpressionReader::called(const std::string& name, const std::vector<Tokens>& template_arguments) {
  const std::vector<Tokens> given = bracketed();
  const std::string plain = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
  const auto value = [&](std::size_t i) { return m_host.evaluate(given[i], m_frame); };
  if (plain == "static_cast" && given.size() == 1 && template_arguments.size() == 1)
    return converted(m_host.type_in(template_arguments.front(), m_frame), value(0));
  if (given.size() == 1) {
    if (is_real_type(name) || is_integer_type(name)) return converted(name, value(0));
    if (plain == "ceil" || plain == "ceilf") return round_up_quotient(value(0));
    if (plain == "floor" || plain == "floorf") return as_integer(value(0));
    if (plain == "sqrt" || plain == "sqrtf") {
      const Value operand = value(0);
      return operand.is_known() ? call("sqrt", {operand}) : operand;
    }
  }
  if (given.size() == 2 && is_one_of(plain, {"min", "max"})) {
    Value left = value(0);
    Value right = value(1);
    if (!left.is_known() || !right.is_known()) return {};
    return call(plain, {std::move(left), std::move(right)});
  }
  for (const ProgramFunction& function : m_host.program().functions()) {
    if (function.is_kernel || function.name != plain || function.parameters.size() < given.size()) continue;
    Frame frame{&function, function.end(), &m_frame, given, template_arguments};
    return m_host.inlined(function, frame);
  }
  return {};
}

}  // namespace tuner::source
