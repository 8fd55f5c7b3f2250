#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tuner/model/configuration.hpp"
#include "tuner/space/expression.hpp"
#include "tuner/util/text.hpp"

namespace tuner::space {

template <auto limit>
static std::int64_t value_of(const model::DeviceLimits& limits) {
  return limits.*limit;
}

std::span<const LimitName> limit_names() {
  using Limits = model::DeviceLimits;
  static constexpr std::array names = {
      LimitName{"multiprocessors", value_of<&Limits::multiprocessors>},
      LimitName{"warp_size", value_of<&Limits::warp_size>},
      LimitName{"max_threads_per_block", value_of<&Limits::max_threads_per_block>},
      LimitName{"max_threads_per_multiprocessor", value_of<&Limits::max_threads_per_multiprocessor>},
      LimitName{"max_blocks_per_multiprocessor", value_of<&Limits::max_blocks_per_multiprocessor>},
      LimitName{"max_registers_per_block", value_of<&Limits::registers_per_block>},
      LimitName{"max_registers_per_multiprocessor", value_of<&Limits::registers_per_multiprocessor>},
      LimitName{"max_static_shared_bytes", value_of<&Limits::shared_bytes_per_block>},
      LimitName{"max_shared_bytes_per_block", value_of<&Limits::shared_bytes_per_block_optin>},
      LimitName{"max_shared_bytes_per_multiprocessor", value_of<&Limits::shared_bytes_per_multiprocessor>},
      LimitName{"max_block_x", value_of<&Limits::max_block_x>},
      LimitName{"max_block_y", value_of<&Limits::max_block_y>},
      LimitName{"max_block_z", value_of<&Limits::max_block_z>},
      LimitName{"max_grid_x", value_of<&Limits::max_grid_x>},
      LimitName{"max_grid_y", value_of<&Limits::max_grid_y>},
      LimitName{"max_grid_z", value_of<&Limits::max_grid_z>},
      LimitName{"l2_bytes", value_of<&Limits::l2_bytes>},
  };
  return names;
}

std::string_view describe(Symbol::Kind kind) {
  constexpr std::string_view words[] = {
      "a size",           "the row padding", "a property of the element type",
      "a device limit",   "a parameter",     "a derived value",
      "the measured time"};
  return words[static_cast<std::size_t>(kind)];
}

std::vector<std::string> words_of(const model::ParameterSpec& parameter) {
  std::vector<std::string> words;
  const auto take = [&](const model::Value& value) {
    if (!value.is_word()) return;
    const std::string word = value.text();
    if (std::ranges::count(words, word) == 0) words.push_back(word);
  };
  for (const model::Value& value : parameter.values) take(value);
  if (parameter.when) take(parameter.otherwise);
  return words;
}

Scope::Scope(const model::KernelSpec& spec, std::vector<model::Diagnostic>& diagnostics) {
  using Kind = Symbol::Kind;
  const model::SourceLocation file{spec.path, 0, 0};
  int slot = static_cast<int>(spec.sizes.size()) + 3;
  m_sizes = static_cast<int>(spec.sizes.size());
  add("ELEMENT_BYTES", {Kind::element, element_slot()}, file, diagnostics);
  add("ELEMENT_IS_INTEGER", {Kind::element, element_slot() + 1}, file, diagnostics);
  m_symbols["ELEMENT_TYPE"] = {Kind::element, -1};  // a macro only; here so that nothing else takes the name
  m_symbols["time_ns"] = {Kind::time, -1};
  for (const LimitName& limit : limit_names()) {
    add(std::string(limit.name), {Kind::limit, slot++}, file, diagnostics);
  }
  for (int i = 0; i < m_sizes; ++i) {
    add(spec.sizes[static_cast<std::size_t>(i)], {Kind::size, i}, file, diagnostics);
  }
  if (!spec.row_padding.empty()) add(spec.row_padding, {Kind::padding, padding_slot()}, file, diagnostics);
  m_first_parameter = slot;
  for (const model::ParameterSpec& parameter : spec.parameters) {
    std::vector<std::string> words = words_of(parameter);
    const bool takes_words = !words.empty();
    add(parameter.name, {Kind::parameter, slot++, takes_words, std::move(words)}, parameter.where,
        diagnostics);
  }
  m_first_derived = slot;
  for (const model::NamedExpression& derived : spec.derived) {
    add(derived.name, {Kind::derived, slot++}, derived.value.where, diagnostics);
  }
  m_slots = slot;
}

void Scope::add(const std::string& name, const Symbol& symbol, const model::SourceLocation& where,
                std::vector<model::Diagnostic>& diagnostics) {
  const std::string what(describe(symbol.kind));
  const std::vector<std::string_view>& functions = function_names();
  if (!is_identifier(name)) {
    diagnostics.push_back({where, fmt::format("`{}` cannot name {}", excerpt(name), what),
                           "names are letters, digits and underscores, and do not start with a digit"});
  } else if (std::ranges::count(functions, name) > 0) {
    diagnostics.push_back(
        {where, fmt::format("`{}` names {}, but is a function of the expression language", name, what),
         "choose another name"});
  } else if (const auto [taken, fresh] = m_symbols.try_emplace(name, symbol); !fresh) {
    diagnostics.push_back(
        {where, fmt::format("`{}` names {}, but is already {}", name, what, describe(taken->second.kind)),
         "choose another name"});
  }
}

const Symbol* Scope::find(std::string_view name) const {
  const auto found = m_symbols.find(name);
  return found == m_symbols.end() ? nullptr : &found->second;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> all;
  for (const auto& [name, symbol] : m_symbols) all.push_back(name);
  return all;
}

std::string Scope::parameter_offering(std::string_view word) const {
  for (const auto& [name, symbol] : m_symbols) {
    if (std::ranges::count(symbol.words, word) > 0) return name;
  }
  return "";
}

namespace {

bool is_bit_operation(Op op) {
  return op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor || op == Op::shift_left ||
         op == Op::shift_right;
}

/// Emits code in one walk of the tree. A member that fails records the first error and returns false.
class Generator {
 public:
  Generator(const Syntax& syntax, const Scope& scope, const Rules& rules)
      : m_syntax(syntax), m_scope(scope), m_rules(rules) {}

  std::variant<Program, ExpressionError> run(int root) {
    const Node& whole = node(root);
    const Symbol* parameter = word_parameter(whole);
    const bool done = parameter != nullptr && m_rules.word ? load(*parameter, Op::load) : number(root);
    if (!done) return *m_error;
    std::ranges::sort(m_program.reads);
    const auto repeated = std::ranges::unique(m_program.reads);
    m_program.reads.erase(repeated.begin(), repeated.end());
    return std::move(m_program);
  }

 private:
  const Node& node(int index) const { return m_syntax.nodes[static_cast<std::size_t>(index)]; }

  bool number(int index) {
    const Node& at = node(index);
    switch (at.kind) {
      case Node::Kind::integer:
        return constant(at.number, at);
      case Node::Kind::real:
        if (!m_rules.real) {
          return fail(at, "decimal number where the value must be an integer", "scale it, or use a fraction");
        }
        return constant(at.number, at);
      case Node::Kind::word:
        return stray_word(at);
      case Node::Kind::name:
        return name(at);
      case Node::Kind::unary:
        return number(at.a) && emit(at.op, 0);
      case Node::Kind::binary:
        return binary(at);
      case Node::Kind::logical_and:
        return shortcut(at, Op::and_jump);
      case Node::Kind::logical_or:
        return shortcut(at, Op::or_jump);
      case Node::Kind::conditional:
        return conditional(at);
    }
    return false;
  }

  bool constant(const Literal& literal, const Node& at) {
    m_program.literals.push_back(literal);
    return push(at) && emit(Op::constant, static_cast<int>(m_program.literals.size()) - 1);
  }

  bool binary(const Node& at) {
    if (at.op == Op::equal || at.op == Op::not_equal) {
      const bool words = is_word(node(at.a)) || is_word(node(at.b));
      if (words) return compare_words(at);
    }
    if (m_rules.real && is_bit_operation(at.op)) {
      return fail(at, "bit operation in an expression that is evaluated in double precision",
                  "move it to [derived]");
    }
    if (!number(at.a) || !number(at.b)) return false;
    --m_height;
    return emit(at.op, 0);
  }

  bool shortcut(const Node& at, Op jump) {
    if (!number(at.a)) return false;
    const std::size_t from = m_program.code.size();
    emit(jump, 0);
    --m_height;
    if (!number(at.b) || !emit(Op::truth, 0)) return false;
    return land(from);
  }

  bool conditional(const Node& at) {
    if (!number(at.a)) return false;
    const std::size_t to_no = m_program.code.size();
    emit(Op::jump_if_zero, 0);
    --m_height;
    if (!number(at.b)) return false;
    const std::size_t to_end = m_program.code.size();
    emit(Op::jump, 0);
    --m_height;
    land(to_no);
    return number(at.c) && land(to_end);
  }

  bool name(const Node& at) {
    const Symbol* symbol = m_scope.find(at.text);
    if (symbol == nullptr) return unknown_name(at);
    if (symbol->takes_words) return stray_word(at);
    switch (symbol->kind) {
      case Symbol::Kind::time:
        if (!m_rules.time) return fail(at, "`time_ns` is known in metrics only", "");
        return push(at) && emit(Op::load_time, 0);
      case Symbol::Kind::limit:
        if (!m_rules.limits) {
          return fail(at, fmt::format("device limit `{}` in a metric", at.text),
                      "metrics are also computed from records, where the device is not at hand");
        }
        break;
      case Symbol::Kind::element:
        if (symbol->slot < 0) {
          return fail(at, fmt::format("`{}` is a macro, not a number", at.text),
                      "use ELEMENT_BYTES or ELEMENT_IS_INTEGER");
        }
        break;
      default:
        break;
    }
    return push(at) && load(*symbol, symbol->kind == Symbol::Kind::derived ? Op::load_derived : Op::load);
  }

  bool unknown_name(const Node& at) {
    const std::string owner = m_scope.parameter_offering(at.text);
    if (!owner.empty()) {
      return fail(at, fmt::format("unknown name `{}`", at.text),
                  fmt::format("a word of {} is written '{}'", owner, at.text));
    }
    const auto& functions = function_names();
    if (std::ranges::count(functions, at.text) > 0) {
      return fail(at, fmt::format("function `{}` without its arguments", at.text), "");
    }
    return fail(at, fmt::format("unknown name `{}`", excerpt(at.text)),
                util::did_you_mean(at.text, m_scope.names()));
  }

  // Words.

  const Symbol* word_parameter(const Node& at) const {
    if (at.kind != Node::Kind::name) return nullptr;
    const Symbol* symbol = m_scope.find(at.text);
    return symbol != nullptr && symbol->takes_words ? symbol : nullptr;
  }
  bool is_word(const Node& at) const { return at.kind == Node::Kind::word || word_parameter(at) != nullptr; }

  static bool offers(const Symbol& parameter, std::string_view word) {
    return std::ranges::count(parameter.words, word) > 0;
  }

  bool stray_word(const Node& at) {
    const std::string what = at.kind == Node::Kind::word
                                 ? fmt::format("word '{}'", excerpt(at.text))
                                 : fmt::format("`{}`, whose values are words,", at.text);
    return fail(at, what + " where a number is needed",
                "words can be compared by == and != only: PARTITION == 'row'");
  }

  bool compare_words(const Node& at) {
    const Symbol* left = word_parameter(node(at.a));
    const Symbol* right = word_parameter(node(at.b));
    if (left == nullptr && right == nullptr) {
      return fail(node(is_word(node(at.a)) ? at.a : at.b), "word that is not compared with a parameter",
                  "compare it with a parameter that offers it: PARTITION == 'row'");
    }
    if (!word_operand(node(at.a), right) || !word_operand(node(at.b), left)) return false;
    --m_height;
    return emit(at.op, 0);
  }

  /// Pushes the code of one side of a comparison; `other` is the parameter on the other side, if that is one.
  bool word_operand(const Node& at, const Symbol* other) {
    if (const Symbol* parameter = word_parameter(at)) return push(at) && load(*parameter, Op::load);
    if (at.kind != Node::Kind::word) {
      const bool unquoted = at.kind == Node::Kind::name && offers(*other, at.text);
      return fail(at, "parameter of words compared with something that is not a word",
                  unquoted ? fmt::format("write '{}'", at.text) : "write the word in single quotes");
    }
    if (!offers(*other, at.text)) {
      const std::string near = util::did_you_mean(at.text, other->words);
      return fail(
          at, fmt::format("word '{}' is not offered by the parameter it is compared with", excerpt(at.text)),
          near.empty() ? fmt::format("it offers {}", fmt::join(other->words, ", ")) : near);
    }
    const std::int64_t code = model::word_code(at.text);
    return constant({code, static_cast<double>(code)}, at);
  }

  // Emission. m_height is the number of values on the stack at this point of the code.

  bool push(const Node& at) {
    if (++m_height > Program::stack_limit) {
      return fail(at, "expression is nested too deeply", "name parts under [derived]");
    }
    return true;
  }

  bool load(const Symbol& symbol, Op op) {
    m_program.reads.push_back(symbol.slot);
    return emit(op, symbol.slot);
  }

  bool emit(Op op, int argument) {
    m_program.code.push_back({op, argument});
    return true;
  }

  /// Lets the jump at `from` continue at the next instruction.
  bool land(std::size_t from) {
    m_program.code[from].argument = static_cast<std::int32_t>(m_program.code.size());
    return true;
  }

  bool fail(const Node& at, std::string message, std::string hint) {
    if (!m_error) m_error = ExpressionError{at.offset + 1, std::move(message), std::move(hint)};
    return false;
  }

  const Syntax& m_syntax;
  const Scope& m_scope;
  const Rules& m_rules;
  Program m_program;
  int m_height = 0;
  std::optional<ExpressionError> m_error;
};

void collect_conjuncts(const Syntax& syntax, int index, std::vector<int>& found) {
  const Node& at = syntax.nodes[static_cast<std::size_t>(index)];
  if (at.kind != Node::Kind::logical_and) {
    found.push_back(index);
    return;
  }
  collect_conjuncts(syntax, at.a, found);
  collect_conjuncts(syntax, at.b, found);
}

}  // namespace

std::variant<Program, ExpressionError> generate(const Syntax& syntax, int root, const Scope& scope,
                                                const Rules& rules) {
  return Generator(syntax, scope, rules).run(root);
}

std::vector<int> conjuncts(const Syntax& syntax) {
  std::vector<int> found;
  collect_conjuncts(syntax, syntax.root, found);
  return found;
}

}  // namespace tuner::space
