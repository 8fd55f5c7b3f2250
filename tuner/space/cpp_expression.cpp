#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tuner/model/configuration.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/cpp_configuration.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/util/text.hpp"

namespace tuner::space {
namespace {

struct CppOperator {
  Op op;
  const char* text;      ///< between its operands, or before its only one …
  const char* function;  ///< … or, where not null, a function of cpp_helpers()
  bool is_question;      ///< its value is true or false
  bool in_reals;         ///< C++ says it of doubles as well
};

constexpr CppOperator cpp_operators[] = {
    {Op::negate, "-", nullptr, false, true},
    {Op::logical_not, "!", nullptr, true, true},
    {Op::absolute, "", "absolute_", false, true},
    {Op::is_pow2, "", "is_pow2_", true, false},
    {Op::log2, "", "log2_of_", false, false},
    {Op::square_root, "", "root_of_", false, false},
    {Op::add, "+", nullptr, false, true},
    {Op::subtract, "-", nullptr, false, true},
    {Op::multiply, "*", nullptr, false, true},
    {Op::divide, "/", "divide_", false, true},
    {Op::remainder, "%", "remainder_of_", false, false},
    {Op::equal, "==", nullptr, true, true},
    {Op::not_equal, "!=", nullptr, true, true},
    {Op::less, "<", nullptr, true, true},
    {Op::less_equal, "<=", nullptr, true, true},
    {Op::greater, ">", nullptr, true, true},
    {Op::greater_equal, ">=", nullptr, true, true},
    {Op::bit_and, "&", nullptr, false, false},
    {Op::bit_or, "|", nullptr, false, false},
    {Op::bit_xor, "^", nullptr, false, false},
    {Op::shift_left, "", "shift_left_", false, false},
    {Op::shift_right, "", "shift_right_", false, false},
    {Op::minimum, "", "least_", false, true},
    {Op::maximum, "", "most_", false, true},
    {Op::ceil_div, "", "ceil_div_", false, false},
    {Op::round_up, "", "round_up_", false, false},
};

const CppOperator& cpp_operator(Op op) {
  return *std::find_if(std::begin(cpp_operators), std::end(cpp_operators),
                       [&](const CppOperator& one) { return one.op == op; });
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// One walk of the tree. Every operand is a number or a question, and becomes what its place wants.
class CppText {
 public:
  CppText(const Syntax& syntax, const Scope& scope, bool real)
      : m_syntax(syntax), m_scope(scope), m_real(real) {}

  std::optional<CppExpression> run() {
    m_out.text = number(m_syntax.root);
    return m_is_sayable ? std::optional(std::move(m_out)) : std::nullopt;
  }

 private:
  const Node& node(int index) const { return m_syntax.nodes[static_cast<std::size_t>(index)]; }

  bool is_question(int index) const {
    const Node& at = node(index);
    if (at.kind == Node::Kind::logical_and || at.kind == Node::Kind::logical_or) return true;
    if (at.kind != Node::Kind::unary && at.kind != Node::Kind::binary) return false;
    return cpp_operator(at.op).is_question;
  }

  /// Whether operators stand in its text, outside of the parentheses of a call.
  bool has_operators(int index) const {
    const Node& at = node(index);
    switch (at.kind) {
      case Node::Kind::unary:
      case Node::Kind::binary:
        return cpp_operator(at.op).function == nullptr;
      case Node::Kind::logical_and:
      case Node::Kind::logical_or:
      case Node::Kind::conditional:
        return true;
      default:
        return false;
    }
  }
  std::string operand(const std::string& text, int index) const {
    return has_operators(index) ? "(" + text + ")" : text;
  }

  std::string number(int index) {
    const std::string text = either(index);
    return is_question(index) ? operand(text, index) + (m_real ? " ? 1.0 : 0.0" : " ? 1 : 0") : text;
  }
  std::string number_operand(int index) {
    const std::string text = number(index);
    return is_question(index) ? "(" + text + ")" : operand(text, index);
  }

  std::string question(int index) {
    const std::string text = either(index);
    return is_question(index) ? operand(text, index) : fmt::format("({} != 0)", operand(text, index));
  }

  /// Not an int, which a product of small ones leaves.
  std::string literal(std::int64_t value) const { return fmt::format("{}{}", value, m_real ? ".0" : "LL"); }

  std::string either(int index) {
    const Node& at = node(index);
    switch (at.kind) {
      case Node::Kind::integer:
        return literal(at.number.integer);
      case Node::Kind::real:
        return fmt::format("double({})", at.number.real);
      case Node::Kind::word:
        return literal(model::word_code(at.text));
      case Node::Kind::name:
        return name(at);
      case Node::Kind::unary:
        return unary(at);
      case Node::Kind::binary:
        return binary(at);
      case Node::Kind::logical_and:
        return fmt::format("{} && {}", question(at.a), question(at.b));
      case Node::Kind::logical_or:
        return fmt::format("{} || {}", question(at.a), question(at.b));
      case Node::Kind::conditional:
        return fmt::format("{} ? {} : {}", question(at.a), number_operand(at.b), number_operand(at.c));
    }
    return "";
  }

  std::string unary(const Node& at) {
    const CppOperator& op = cpp_operator(at.op);
    if (at.op == Op::truth) return number(at.a);
    if (m_real && !op.in_reals) m_is_sayable = false;
    if (at.op == Op::logical_not) return "!" + question(at.a);
    if (op.function != nullptr)
      return fmt::format("{}{}({})", op.function, m_real ? "real_" : "", number(at.a));
    return op.text + number_operand(at.a);
  }

  std::string binary(const Node& at) {
    const CppOperator& op = cpp_operator(at.op);
    if (m_real && !op.in_reals) m_is_sayable = false;
    if (op.function != nullptr)
      return fmt::format("{}{}({}, {})", op.function, m_real ? "real_" : "", number(at.a), number(at.b));
    return fmt::format("{} {} {}", number_operand(at.a), op.text, number_operand(at.b));
  }

  std::string name(const Node& at) {
    const Symbol* const symbol = m_scope.find(at.text);
    std::string own = cpp_name(at.text);
    if (symbol->kind == Symbol::Kind::size) own = "s_." + own;
    if (symbol->kind == Symbol::Kind::limit) {
      add_once(m_out.limits, std::string(at.text));
      own = "d_." + own;
    }
    if (symbol->kind == Symbol::Kind::derived) {
      add_once(m_out.derived, std::string(at.text));
      own += "(s_, d_)";
    }
    if (symbol->kind == Symbol::Kind::time) m_is_sayable = false;
    return m_real ? fmt::format("double({})", own) : own;
  }

  const Syntax& m_syntax;
  const Scope& m_scope;
  const bool m_real;
  bool m_is_sayable = true;
  CppExpression m_out;
};

}  // namespace

std::optional<CppExpression> cpp_expression(const model::Expression& expression, const Scope& scope,
                                            bool real) {
  const auto syntax = parse(expression.text);
  if (const auto* error = std::get_if<ExpressionError>(&syntax))
    throw model::UsageError(fmt::format("`{}`: {}", excerpt(expression.text), error->message), error->hint);
  const Syntax& tree = std::get<Syntax>(syntax);
  // It checks the names and words, so that the walk need not.
  const auto checked = generate(tree, tree.root, scope, {.real = real, .time = real, .word = true});
  if (const auto* error = std::get_if<ExpressionError>(&checked))
    throw model::UsageError(fmt::format("`{}`: {}", excerpt(expression.text), error->message), error->hint);
  return CppText(tree, scope, real).run();
}

bool is_cpp_keyword(std::string_view name) {
  constexpr std::string_view keywords =
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
      "char32_t class compl concept const consteval constexpr constinit const_cast continue co_await "
      "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern "
      "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
      "operator or or_eq private protected public register reinterpret_cast requires return short signed "
      "sizeof static static_assert static_cast struct switch template this thread_local throw true try "
      "typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq";
  return util::has_word(keywords, name);
}

std::string cpp_name(std::string_view name) {
  // What the generated struct has itself and programs use, and its types.
  constexpr std::array<std::string_view, 14> taken = {"std",  "kernel",  "source", "options",    "steps",
                                                      "step", "buffers", "buffer", "can_launch", "select",
                                                      "Step", "Buffer",  "Sizes",  "Device"};
  const bool is_taken = is_cpp_keyword(name) || name.ends_with('_') ||
                        std::find(taken.begin(), taken.end(), name) != taken.end();
  const std::size_t begin = std::min(name.find_first_not_of('_'), name.size());
  return (name.substr(begin).starts_with("argument_") ? "_" : "") + std::string(name) + (is_taken ? "_" : "");
}

std::string cpp_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

std::string_view cpp_helpers() {
  return R"(TUNER_BOTH constexpr std::int64_t absolute_(std::int64_t a) { return a < 0 ? -a : a; }
TUNER_BOTH constexpr double absolute_real_(double a) { return a < 0 ? -a : a; }
TUNER_BOTH constexpr std::int64_t least_(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
TUNER_BOTH constexpr double least_real_(double a, double b) { return a < b ? a : b; }
TUNER_BOTH constexpr std::int64_t most_(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
TUNER_BOTH constexpr double most_real_(double a, double b) { return a > b ? a : b; }
TUNER_BOTH constexpr std::int64_t divide_(std::int64_t a, std::int64_t b) { return b == 0 ? 0 : a / b; }
TUNER_BOTH constexpr double divide_real_(double a, double b) { return b == 0 ? 0 : a / b; }
TUNER_BOTH constexpr std::int64_t remainder_of_(std::int64_t a, std::int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
TUNER_BOTH constexpr std::int64_t ceil_div_(std::int64_t a, std::int64_t b) {
  return b <= 0 ? 0 : a / b + (a % b > 0 ? 1 : 0);
}
TUNER_BOTH constexpr std::int64_t round_up_(std::int64_t a, std::int64_t b) { return ceil_div_(a, b) * b; }
TUNER_BOTH constexpr bool is_pow2_(std::int64_t a) { return a > 0 && (a & (a - 1)) == 0; }
TUNER_BOTH constexpr std::int64_t shift_left_(std::int64_t a, std::int64_t bits) {
  return bits < 0 || bits > 63 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << bits);
}
TUNER_BOTH constexpr std::int64_t shift_right_(std::int64_t a, std::int64_t bits) {
  return bits < 0 || bits > 63 ? 0 : a >> bits;
}
TUNER_BOTH constexpr std::int64_t log2_of_(std::int64_t a) {
  std::int64_t bits = 0;
  while (a > 1) {
    a >>= 1;
    ++bits;
  }
  return bits;
}
TUNER_BOTH constexpr std::int64_t root_of_(std::int64_t a) {
  std::int64_t root = 0;
  for (std::int64_t bit = std::int64_t(1) << 31; bit > 0; bit >>= 1) {
    const std::int64_t next = root + bit;
    if (next <= 3037000499 && next * next <= a) root = next;
  }
  return root;
}
)";
}

}  // namespace tuner::space
