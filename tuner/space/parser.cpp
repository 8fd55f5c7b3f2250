#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "tuner/space/expression.hpp"
#include "tuner/util/text.hpp"

namespace tuner::space {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

struct Token {
  enum class Kind { integer, real, word, name, symbol, end };
  Kind kind = Kind::end;
  int offset = 0;         ///< of its first character, from 0
  std::string_view text;  ///< a word's without its quotes
  std::int64_t integer = 0;
  double real = 0;  ///< also of an integer
};

/// The tokens of a text, an `end` last; their views point into it.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : m_text(text) {}

  std::variant<std::vector<Token>, ExpressionError> run() {
    while (true) {
      while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\n')) {
        ++m_at;
      }
      if (m_at == m_text.size()) break;
      if (std::optional<ExpressionError> error = take()) return *error;
    }
    m_tokens.push_back({Token::Kind::end, static_cast<int>(m_text.size()), "", 0, 0});
    return std::move(m_tokens);
  }

 private:
  std::optional<ExpressionError> take() {
    const char c = m_text[m_at];
    const bool fraction = c == '.' && m_at + 1 < m_text.size() && is_digit(m_text[m_at + 1]);
    if (is_digit(c) || fraction) return number();
    if (c == '\'') return word();
    if (starts_name(c)) {
      push(Token::Kind::name, end_of_name(m_at));
      return std::nullopt;
    }
    return symbol();
  }

  std::optional<ExpressionError> symbol() {
    static constexpr std::array<std::string_view, 8> pairs{"&&", "||", "==", "!=", "<=", ">=", "<<", ">>"};
    static constexpr std::string_view singles = "+-*/%<>!&|^?:(),";
    const std::string_view two = m_text.substr(m_at, 2);
    if (std::ranges::count(pairs, two) > 0) {
      push(Token::Kind::symbol, m_at + 2);
      return std::nullopt;
    }
    if (singles.find(m_text[m_at]) != std::string_view::npos) {
      push(Token::Kind::symbol, m_at + 1);
      return std::nullopt;
    }
    std::string hint;
    if (m_text[m_at] == '=') hint = "equality is `==`";
    if (m_text[m_at] == '"') hint = "words stand in single quotes: 'row'";
    std::size_t end = m_at + 1;  // all bytes of a character beyond ASCII
    while (end < m_text.size() && (static_cast<unsigned char>(m_text[end]) & 0xC0U) == 0x80U) ++end;
    return error(m_at, fmt::format("unexpected `{}`", excerpt(m_text.substr(m_at, end - m_at))), hint);
  }

  std::optional<ExpressionError> word() {
    const std::size_t close = m_text.find('\'', m_at + 1);
    if (close == std::string_view::npos) return error(m_at, "word without a closing quote", "");
    m_tokens.push_back(
        {Token::Kind::word, static_cast<int>(m_at), m_text.substr(m_at + 1, close - m_at - 1), 0, 0});
    m_at = close + 1;
    return std::nullopt;
  }

  std::optional<ExpressionError> number() {
    const std::size_t begin = m_at;
    const bool hex = m_text.substr(begin, 2) == "0x" || m_text.substr(begin, 2) == "0X";
    Token token{Token::Kind::integer, static_cast<int>(begin), "", 0, 0};
    const char* const last = m_text.data() + m_text.size();
    const char* const first = m_text.data() + begin + (hex ? 2 : 0);
    std::from_chars_result read = std::from_chars(first, last, token.integer, hex ? 16 : 10);
    if (hex && first != last && *first == '-') read = {first, std::errc::invalid_argument};
    token.real = static_cast<double>(token.integer);
    if (!hex) {
      const std::from_chars_result real =
          std::from_chars(first, last, token.real, std::chars_format::general);
      if (real.ptr != read.ptr) {
        token.kind = Token::Kind::real;
        read = real;
      }
    }
    const auto end = static_cast<std::size_t>(read.ptr - m_text.data());
    token.text = m_text.substr(begin, end - begin);
    if (read.ec == std::errc::result_out_of_range) {
      return error(begin, fmt::format("number {} is out of range", excerpt(token.text)), "");
    }
    if (read.ec != std::errc() || (end < m_text.size() && continues_name(m_text[end]))) {
      return error(
          begin, fmt::format("`{}` is not a number", excerpt(m_text.substr(begin, end_of_name(end) - begin))),
          "numbers have no suffix");
    }
    if (token.kind == Token::Kind::integer && !hex && token.text.size() > 1 && token.text[0] == '0') {
      return error(begin, fmt::format("number {} starts with 0", excerpt(token.text)),
                   "there are no octal numbers here");
    }
    m_tokens.push_back(token);
    m_at = end;
    return std::nullopt;
  }

  std::size_t end_of_name(std::size_t at) const {
    while (at < m_text.size() && continues_name(m_text[at])) ++at;
    return at;
  }

  void push(Token::Kind kind, std::size_t end) {
    m_tokens.push_back({kind, static_cast<int>(m_at), m_text.substr(m_at, end - m_at), 0, 0});
    m_at = end;
  }

  static ExpressionError error(std::size_t at, std::string message, std::string hint) {
    return {static_cast<int>(at) + 1, std::move(message), std::move(hint)};
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  std::vector<Token> m_tokens;
};

}  // namespace

std::string excerpt(std::string_view text) {
  static constexpr std::size_t longest = 80;
  std::string words;  // specs align long constraints in columns and lines
  for (const char c : util::trimmed(text)) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t';
    if (!is_space || words.back() != ' ') words += is_space ? ' ' : c;
  }
  return util::one_line(words, longest);
}

bool is_identifier(std::string_view text) {
  return !text.empty() && starts_name(text[0]) && std::ranges::all_of(text, continues_name);
}

namespace {

struct BinaryOperator {
  std::string_view symbol;
  int precedence;  ///< larger binds tighter
  Node::Kind kind;
  Op op;
};

constexpr int equality = 6;
constexpr int relational = 7;
constexpr std::array<BinaryOperator, 18> binary_operators{{
    {"||", 1, Node::Kind::logical_or, Op::or_jump},
    {"&&", 2, Node::Kind::logical_and, Op::and_jump},
    {"|", 3, Node::Kind::binary, Op::bit_or},
    {"^", 4, Node::Kind::binary, Op::bit_xor},
    {"&", 5, Node::Kind::binary, Op::bit_and},
    {"==", equality, Node::Kind::binary, Op::equal},
    {"!=", equality, Node::Kind::binary, Op::not_equal},
    {"<", relational, Node::Kind::binary, Op::less},
    {"<=", relational, Node::Kind::binary, Op::less_equal},
    {">", relational, Node::Kind::binary, Op::greater},
    {">=", relational, Node::Kind::binary, Op::greater_equal},
    {"<<", 8, Node::Kind::binary, Op::shift_left},
    {">>", 8, Node::Kind::binary, Op::shift_right},
    {"+", 9, Node::Kind::binary, Op::add},
    {"-", 9, Node::Kind::binary, Op::subtract},
    {"*", 10, Node::Kind::binary, Op::multiply},
    {"/", 10, Node::Kind::binary, Op::divide},
    {"%", 10, Node::Kind::binary, Op::remainder},
}};

struct Function {
  std::string_view name;
  Op op;
  int arguments;  ///< 0: two or more
};

constexpr std::array<Function, 8> functions{{
    {"min", Op::minimum, 0},
    {"max", Op::maximum, 0},
    {"ceil_div", Op::ceil_div, 2},
    {"round_up", Op::round_up, 2},
    {"abs", Op::absolute, 1},
    {"is_pow2", Op::is_pow2, 1},
    {"log2", Op::log2, 1},
    {"sqrt", Op::square_root, 1},
}};

/// Precedence climbing. A function that fails records the first error and returns -1, which its callers pass
/// on.
class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : m_tokens(std::move(tokens)) {}

  std::variant<Syntax, ExpressionError> run() {
    m_syntax.root = conditional();
    if (!m_error && peek().kind != Token::Kind::end) unexpected("an operator");
    if (m_error) return *m_error;
    return std::move(m_syntax);
  }

 private:
  const Token& peek() const { return m_tokens[m_at]; }
  bool is_symbol(std::string_view symbol) const {
    return peek().kind == Token::Kind::symbol && peek().text == symbol;
  }
  bool accept(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    ++m_at;
    return true;
  }

  int conditional() {
    if (++m_depth > deepest_nesting) {
      return fail(peek().offset, "expression is nested too deeply", "name parts under [derived]");
    }
    const int result = conditional_body();
    --m_depth;
    return result;
  }

  int conditional_body() {
    const int condition = binary(1);
    const int offset = peek().offset;
    if (condition < 0 || !accept("?")) return condition;
    const int yes = conditional();
    if (yes < 0) return -1;
    if (!accept(":")) return unexpected("`:`");
    const int no = conditional();
    return no < 0
               ? -1
               : add({.kind = Node::Kind::conditional, .offset = offset, .a = condition, .b = yes, .c = no});
  }

  int binary(int least) {
    int left = unary();
    while (left >= 0 && peek().kind == Token::Kind::symbol) {
      const auto* found = std::ranges::find_if(
          binary_operators, [&](const BinaryOperator& o) { return o.symbol == peek().text; });
      if (found == binary_operators.end() || found->precedence < least) break;
      const int offset = peek().offset;
      if (chains(left, found->precedence)) {
        return fail(offset, "comparisons do not chain",
                    "write `a < b && b < c`, or put one of them in parentheses");
      }
      ++m_at;
      const int right = binary(found->precedence + 1);
      if (right < 0) return -1;
      left = add({.kind = found->kind, .op = found->op, .offset = offset, .a = left, .b = right});
    }
    return left;
  }

  /// Whether `left` is a comparison of the same precedence: C would compare its 0 or 1, which is never meant.
  bool chains(int left, int precedence) const {
    const Node& node = m_syntax.nodes[static_cast<std::size_t>(left)];
    if (node.kind != Node::Kind::binary || node.parenthesized) return false;
    const bool equates = node.op == Op::equal || node.op == Op::not_equal;
    const bool relates = node.op == Op::less || node.op == Op::less_equal || node.op == Op::greater ||
                         node.op == Op::greater_equal;
    return (precedence == equality && equates) || (precedence == relational && relates);
  }

  int unary() {
    const int offset = peek().offset;
    const bool plus = is_symbol("+");
    if (!plus && !is_symbol("-") && !is_symbol("!")) return primary();
    const Op op = is_symbol("-") ? Op::negate : Op::logical_not;
    ++m_at;
    if (++m_depth > deepest_nesting) return fail(offset, "expression is nested too deeply", "");
    const int operand = unary();
    --m_depth;
    return operand < 0 || plus ? operand
                               : add({.kind = Node::Kind::unary, .op = op, .offset = offset, .a = operand});
  }

  int primary() {
    const Token token = peek();
    switch (token.kind) {
      case Token::Kind::integer:
        return leaf(Node::Kind::integer, token);
      case Token::Kind::real:
        return leaf(Node::Kind::real, token);
      case Token::Kind::word:
        return leaf(Node::Kind::word, token);
      case Token::Kind::name: {
        const int name = leaf(Node::Kind::name, token);
        return is_symbol("(") ? call(token) : name;
      }
      default:
        break;
    }
    if (!accept("(")) return unexpected("a number, a name or `(`");
    const int inside = conditional();
    if (inside < 0) return -1;
    if (!accept(")")) return unexpected("`)`");
    m_syntax.nodes[static_cast<std::size_t>(inside)].parenthesized = true;
    return inside;
  }

  /// `name` is read, `(` comes next.
  int call(const Token& name) {
    const auto* function = std::ranges::find(functions, name.text, &Function::name);
    if (function == functions.end()) {
      const std::vector<std::string> known(function_names().begin(), function_names().end());
      return fail(name.offset, fmt::format("unknown function `{}`", excerpt(name.text)),
                  util::did_you_mean(name.text, known));
    }
    ++m_at;
    std::vector<int> arguments;
    do {
      arguments.push_back(conditional());
      if (arguments.back() < 0) return -1;
    } while (accept(","));
    if (!accept(")")) return unexpected("`)`");
    const int count = static_cast<int>(arguments.size());
    if (function->arguments == 0 ? count < 2 : count != function->arguments) {
      return fail(name.offset,
                  fmt::format("`{}` takes {} but has {} here", function->name, arity(*function), count), "");
    }
    const Node base{.kind = Node::Kind::unary, .op = function->op, .offset = name.offset, .a = arguments[0]};
    if (count == 1) return add(base);
    int result = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      result = add({.kind = Node::Kind::binary,
                    .op = function->op,
                    .offset = name.offset,
                    .a = result,
                    .b = arguments[i]});
    }
    return result;
  }

  static std::string arity(const Function& function) {
    if (function.arguments == 0) return "two or more arguments";
    return function.arguments == 1 ? "one argument" : fmt::format("{} arguments", function.arguments);
  }

  int leaf(Node::Kind kind, const Token& token) {
    ++m_at;
    return add(
        {.kind = kind, .offset = token.offset, .text = token.text, .number = {token.integer, token.real}});
  }

  int add(const Node& node) {
    m_syntax.nodes.push_back(node);
    return static_cast<int>(m_syntax.nodes.size()) - 1;
  }

  int unexpected(std::string_view wanted) {
    const Token& token = peek();
    if (token.kind == Token::Kind::end) {
      return fail(std::max(0, token.offset - 1), fmt::format("expected {}, but the expression ends", wanted),
                  "");
    }
    return fail(token.offset, fmt::format("expected {}, found `{}`", wanted, excerpt(token.text)), "");
  }

  int fail(int offset, std::string message, std::string hint) {
    if (!m_error) m_error = ExpressionError{offset + 1, std::move(message), std::move(hint)};
    return -1;
  }

  std::vector<Token> m_tokens;
  std::size_t m_at = 0;
  int m_depth = 0;
  Syntax m_syntax;
  std::optional<ExpressionError> m_error;
};

}  // namespace

std::variant<Syntax, ExpressionError> parse(std::string_view text) {
  if (text.size() > longest_expression) {
    return ExpressionError{
        1,
        fmt::format("expression of {} characters; at most {} are allowed", text.size(), longest_expression),
        "name parts of it under [derived]"};
  }
  std::variant<std::vector<Token>, ExpressionError> tokens = Lexer(text).run();
  if (auto* error = std::get_if<ExpressionError>(&tokens)) return std::move(*error);
  return Parser(std::move(std::get<std::vector<Token>>(tokens))).run();
}

const std::vector<std::string_view>& function_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Function& function : functions) all.push_back(function.name);
    return all;
  }();
  return names;
}

}  // namespace tuner::space
