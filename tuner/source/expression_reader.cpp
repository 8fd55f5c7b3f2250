#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>

#include "tuner/source/host_code.hpp"

namespace tuner::source {
namespace {

bool is_real_type(std::string_view type) {
  return type == "float" || type == "double";
}

/// Reads one expression of C++ into a value.
class ExpressionReader {
 public:
  ExpressionReader(HostCode& host, Tokens tokens, const Frame& frame)
      : m_host(host), m_tokens(tokens), m_frame(frame) {}

  /// Unknown where the tokens are no expression that a spec could have.
  Value read() {
    const Value value = choice();
    if (m_failed || m_at != m_tokens.size()) return {};
    return value;
  }

 private:
  bool at(std::string_view text, std::size_t ahead = 0) const {
    return m_at + ahead < m_tokens.size() && m_tokens[m_at + ahead].is(text);
  }

  bool take(std::string_view text) {
    if (!at(text)) return false;
    ++m_at;
    return true;
  }

  Value choice() {
    Value condition = binary(strength("||"));
    if (!take("?")) return condition;
    Value yes = choice();
    if (!take(":")) m_failed = true;
    Value no = choice();
    return call("?:", {std::move(condition), std::move(yes), std::move(no)});
  }

  Value binary(int least) {
    Value left = unary();
    while (!m_failed) {
      const std::string name = operator_at(m_tokens, m_at);
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

  Value unary() {
    if (take("+")) return unary();
    if (take("-")) {
      const Value value = unary();
      return value.kind == Value::Kind::real ? real_value("-" + value.name)
                                             : multiply(number_value(-1), value);
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

  Value primary() {
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

  Value literal() {
    std::string text(m_tokens[m_at++].text);
    if (text == "." && m_at < m_tokens.size()) text = "0." + std::string(m_tokens[m_at++].text);
    std::erase(text, '\'');
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const bool binary = text.starts_with("0b") || text.starts_with("0B");
    const bool real = !hex && text.find_first_of(".eE") != std::string::npos;
    while (!text.empty() && (is_one_of(text.substr(text.size() - 1), {"u", "U", "l", "L"}) ||
                             (!hex && (text.back() == 'f' || text.back() == 'F'))))
      text.pop_back();
    if (binary) return number_value(std::strtoll(text.c_str() + 2, nullptr, 2));
    if (!real) return number_value(std::strtoll(text.c_str(), nullptr, 0));
    if (text.ends_with(".")) text += "0";
    return real_value(std::move(text));
  }

  Value named() {
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

  Value called(const std::string& name, const std::vector<Tokens>& template_arguments) {
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

  Value size_of() {
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

  /// Behind `(type)` that begins here; 0: none does.
  std::size_t behind_cast() const {
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

  bool is_type(Tokens tokens) const {
    if (tokens.empty()) return false;
    const std::string text = m_host.type_in(tokens, m_frame);
    return is_integer_type(text) || is_real_type(text) ||
           is_one_of(tokens.front().text, {"const", "unsigned", "signed", "long", "short", "char", "std"});
  }

  std::vector<Tokens> bracketed() {
    const Tokens inside = inside_bracket(m_tokens, m_at);
    m_at = behind_bracket(m_tokens, m_at);
    return expression_parts(inside);
  }

  /// Template arguments of a call that begin here; empty: none do.
  std::vector<Tokens> template_arguments() {
    const std::size_t end = behind_bracket(m_tokens, m_at);
    if (end >= m_tokens.size() || !m_tokens[end].is("(")) return {};
    const Tokens inside = m_tokens.subspan(m_at + 1, end - m_at - 2);
    if (find_one_of(inside, {"(", ";", "&", "|"}) < inside.size()) return {};
    m_at = end;
    return parts(inside);
  }

  static Value converted(const std::string& type, const Value& value) {
    if (!value.is_known()) return {};
    if (is_real_type(type)) return value.kind == Value::Kind::real ? value : call("real", {value});
    return as_integer(value);
  }

  HostCode& m_host;
  Tokens m_tokens;
  const Frame& m_frame;
  std::size_t m_at = 0;
  bool m_failed = false;
};

}  // namespace

Value HostCode::evaluate(Tokens tokens, const Frame& frame) {
  if (m_depth >= deepest_value || tokens.size() > longest_value || ++m_evaluated > most_values) return {};
  ++m_depth;
  Value value = ExpressionReader(*this, tokens, frame).read();
  --m_depth;
  return value.is_known() ? value : Value();
}

}  // namespace tuner::source
