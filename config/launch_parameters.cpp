#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "config/draft_plan.hpp"
#include "config/planned_launch.hpp"

namespace config {
namespace {

class LaunchParameters {
 public:
  explicit LaunchParameters(PlannedLaunch& planned)
      : m_planned(planned), m_source(planned.source), m_launch(planned.launch), m_plan(planned.plan) {}

  void find() {
    fold_constants();
    open_macros();
    template_arguments();
    use_literals(m_planned);
    block();
  }

 private:
  /// Constants that the kernel has too cannot change with the launch alone.
  void fold_constants() {
    std::vector<std::string> symbols = m_planned.all_symbols();
    for (const Value& condition : m_launch.conditions) source::list_symbols(condition, symbols);
    for (const std::string& symbol : symbols) {
      const SymbolFacts& known = m_planned.facts(symbol);
      if (!known.constant || known.function != nullptr || !m_source.words_with_macros.contains(known.name))
        continue;
      const std::string present = std::to_string(*known.present);
      if (known.guarded) {
        m_planned.add_parameter({known.name, m_source.guessed_values(known.name, present),
                                 "a macro that the build may give", present});
        m_plan.names[symbol] = known.name;
        continue;
      }
      const bool in_block = std::ranges::any_of(
          m_launch.block, [&](const Value& one) { return source::symbols_of(one).contains(symbol); });
      if (!contains_any(upper(known.name), {"WARP"}))
        m_plan.notes.push_back(fmt::format(
            "{} is {} in the source{}", known.name, present,
            known.is_macro
                ? fmt::format("; with `#ifndef {0}` above its `#define` it could be a parameter: {0} = [{1}]",
                              known.name,
                              fmt::join(in_block ? block_values({}, known.present, true)
                                                 : m_source.guessed_values(known.name, present),
                                        ", "))
                : ""));
      m_planned.replace(symbol, source::number_value(*known.present));
    }
  }

  /// Other macros of the kernel that the build may give.
  void open_macros() {
    for (const std::string_view word : m_source.words_with_macros) {
      const std::string name(word);
      const source::ConstantMacro* const macro = m_source.program.macro(word);
      if (macro == nullptr || !macro->guarded || m_plan.has_parameter(name) || macro->tokens.empty())
        continue;
      if (macro->tokens.size() != 1 || macro->tokens[0].kind != source::Token::Kind::number) continue;
      const std::string usual(macro->tokens[0].text);
      if (!number(usual)) continue;
      m_planned.add_parameter({name, m_source.guessed_values(name, usual),
                               macro->line == 0 ? "given by the build" : fmt::format("line {}", macro->line),
                               usual});
    }
  }

  /// The symbol that a template parameter's value stands for where a condition or a name says so.
  std::optional<std::string> twin(const TemplateParameter& parameter, const Value& value) const {
    for (const auto& [left, right] : m_launch.equalities) {
      if (left.kind == Value::Kind::symbol && source::same(right, value)) return left.name;
      if (right.kind == Value::Kind::symbol && source::same(left, value)) return right.name;
    }
    for (const std::string& symbol : m_planned.all_symbols()) {
      if (m_plan.names.contains(symbol)) continue;
      std::string caps = upper(m_planned.facts(symbol).name);
      std::string own = upper(parameter.name);
      std::erase(caps, '_');
      std::erase(own, '_');
      if (caps == own) return symbol;
    }
    return std::nullopt;
  }

  void template_arguments() {
    const auto& parameters = m_source.kernel.template_parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const TemplateParameter& parameter = parameters[i];
      if (parameter.type == "typename") {
        const std::string type = m_planned.type_inside(parameter.name);
        const bool is_open = type.empty() || m_planned.is_open_type(type);
        m_plan.template_arguments.push_back(is_open ? likely_type(parameter.name) : type);
        if (is_open) m_plan.notes.push_back(fmt::format("? which type is {}?", parameter.name));
        continue;
      }
      if (i >= m_launch.template_arguments.size()) break;  // it has a default, or is deduced
      const Value value = m_source.host.evaluate(m_launch.template_arguments[i], *m_launch.frame);
      const bool varies = source::is_integer_type(m_source.program.resolved_type(
                              source::type_text(source::tokens_of(parameter.type)))) &&
                          parameter.type.find("bool") == std::string::npos;
      const bool is_number = value.kind == Value::Kind::number || value.kind == Value::Kind::symbol;
      if (!varies || !(is_number || is_of_function(m_launch.template_arguments[i]))) {
        m_plan.template_arguments.push_back(value.kind == Value::Kind::number
                                                ? std::to_string(value.number)
                                                : source::joined(m_launch.template_arguments[i]));
        continue;
      }
      template_value(parameter, i, value);
    }
  }

  /// The launch has a name in it that only the function around it knows.
  bool is_of_function(Tokens argument) const {
    const ProgramFunction& function = *m_launch.frame->function;
    return std::ranges::any_of(argument, [&](const Token& token) {
      return token.is("decltype") || token.is(".") ||
             m_source.host.local(token.text, *m_launch.frame) != nullptr ||
             std::ranges::count(function.template_parameters, token.text, &TemplateParameter::name) > 0;
    });
  }

  void template_value(const TemplateParameter& parameter, std::size_t index, const Value& value) {
    const std::string name = macro_of(parameter);
    std::set<std::int64_t> launched;
    for (const ProgramLaunch& launch : m_source.launches) {
      if (index >= launch.template_arguments.size()) continue;
      const Value one = m_source.host.evaluate(launch.template_arguments[index], *launch.frame);
      if (one.kind == Value::Kind::number) launched.insert(one.number);
      if (one.kind == Value::Kind::symbol && m_planned.facts(one.name).present)
        launched.insert(*m_planned.facts(one.name).present);
    }
    std::optional<std::int64_t> present;
    if (value.kind == Value::Kind::number) present = value.number;
    if (value.kind == Value::Kind::symbol) present = m_planned.facts(value.name).present;
    const std::string usual = present ? std::to_string(*present) : "";
    const bool has_choices = launched.size() > 1;
    const std::optional<std::string> other =
        value.kind == Value::Kind::symbol ? std::optional(value.name) : twin(parameter, value);
    if (present && !has_choices && is_dimension(m_planned, parameter, value, *present)) {
      m_plan.notes.push_back(fmt::format("{} is {}: a dimension of the problem", parameter.name, *present));
      m_plan.template_arguments.push_back(usual);
      if (other) m_planned.replace(*other, source::number_value(*present));
      return;
    }
    const std::vector<std::int64_t> values =
        has_choices                   ? std::vector<std::int64_t>(launched.begin(), launched.end())
        : is_of_block(parameter.name) ? block_values({}, present, present.value_or(256) <= 32)
                                      : m_source.guessed_values(parameter.name, usual);
    const bool is_open = !present && !has_choices;
    if (is_open)
      m_source.ask(fmt::format("{}: which values make sense? Line {} works it out", name, m_launch.line));
    m_planned.add_parameter(
        {name, values, fmt::format("{}template parameter {}", is_open ? "? " : "", parameter.name), usual});
    m_plan.template_arguments.push_back(name);
    if (other) {
      m_planned.replace(*other, source::symbol_value(name));
      m_plan.names[name] = name;
    }
    if (value.kind == Value::Kind::number && value.number > 1) m_planned.literals[name] = value.number;
  }

  void block() {
    const bool is_plane = !m_launch.block[1].is(1) || !m_launch.block[2].is(1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<std::string> symbols;
      source::list_symbols(m_launch.block[axis], symbols);
      for (const std::string& symbol : symbols) {
        if (m_plan.names.contains(symbol)) continue;
        const SymbolFacts& known = m_planned.facts(symbol);
        const bool is_of_problem =
            (m_planned.occurs_in_bytes(symbol) && !(known.present && divides_alone(symbol))) ||
            (!known.present && m_planned.is_passed(symbol));
        const bool is_size = is_of_problem && known.choices.empty() && !is_of_block(known.name);
        if (is_size || known.is_limit) continue;
        const bool is_asked_for = m_source.asks_for_block() && asks_along(axis);
        if (known.present && (!is_asked_for || loops_to(*known.present))) {
          m_plan.notes.push_back(fmt::format(
              "{} is {}: the kernel {}", known.name, *known.present,
              is_asked_for ? "has a loop over as many" : "does not ask how large its blocks are"));
          m_planned.replace(symbol, source::number_value(*known.present));
          continue;
        }
        const std::string name = m_planned.free_name(upper(known.name));
        m_planned.add_parameter({name, block_values(known.choices, known.present, is_plane),
                                 known.choices.empty()
                                     ? fmt::format("`{}` of the launch in line {}", known.name, m_launch.line)
                                     : fmt::format("`{}`, as the program tries them", known.name),
                                 usual_choice(known), true});
        m_plan.names[symbol] = name;
      }
    }
    literal_block(is_plane);
    keep_covered();
    follow_block();
  }

  /// Buffers have elements for each block, and the kernel is not passed how large one is.
  bool divides_alone(const std::string& symbol) const {
    const std::function<bool(const Value&)> divides = [&](const Value& value) {
      if (value.kind == Value::Kind::symbol) return value.name != symbol;
      const bool is_quotient = value.is_call("/") || value.is_call("ceil_div");
      return std::ranges::all_of(value.operands, [&](const Value& one) {
        const bool is_divisor = is_quotient && &one == &value.operands.back();
        return (is_divisor && one.kind == Value::Kind::symbol) || divides(one);
      });
    };
    return !m_planned.is_passed(symbol) &&
           std::ranges::all_of(m_launch.arguments,
                               [&](const LaunchArgument& argument) { return divides(argument.bytes); });
  }

  /// `<<<n, 256>>>`: a number that may change where the kernel asks for its block's size.
  void literal_block(bool is_plane) {
    std::int64_t threads = 1;
    Value changed = source::number_value(1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Value& one = m_launch.block[axis];
      if (one.kind != Value::Kind::number || one.number <= 1) continue;
      const std::optional<std::string> found = m_planned.parameter_of(one.number);
      // The number of several parameters stands as it is.
      if (!found && (m_planned.is_literal(one.number) || !may_change_literals() || !asks_along(axis) ||
                     loops_to(one.number)))
        continue;
      std::string name;
      if (found) {
        name = *found;
      } else {
        name = m_planned.free_name(is_plane ? fmt::format("BLOCK_{}", "XYZ"[axis]) : "BLOCK_SIZE");
        m_planned.add_parameter({name, block_values({}, one.number, is_plane),
                                 fmt::format("{} in the launch in line {}", one.number, m_launch.line),
                                 std::to_string(one.number), true});
      }
      const std::int64_t number = one.number;
      const Value symbol = source::symbol_value(name);
      m_plan.names[name] = name;
      m_launch.block[axis] = symbol;
      m_launch.grid[axis] = with_divisor(m_launch.grid[axis], number, symbol);
      threads *= number;
      changed = source::multiply(std::move(changed), symbol);
    }
    const Value& bytes = m_launch.shared_bytes;
    if (threads == 1 || bytes.kind != Value::Kind::number || bytes.number == 0) return;
    if (bytes.number % threads == 0) {
      m_launch.shared_bytes = source::multiply(source::number_value(bytes.number / threads), changed);
      return;
    }
    // As (16 + 4) * (16 + 4): enough for blocks that are no larger.
    m_plan.doubts["dynamic_shared_bytes"] = "? of the launched block: smaller ones may need less";
    for (DraftParameter& one : m_plan.parameters)
      if (const auto usual = config::number(one.usual);
          usual && source::symbols_of(changed).contains(one.name))
        one.keep_up_to(*usual);
  }

  /// `blockIdx.x * 128` of the kernel, where the grid has a block for `8 * block` elements: it stays 16.
  void keep_covered() {
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const std::string& symbol : source::symbols_of(m_launch.block[axis])) {
        DraftParameter* const found = parameter_of(symbol);
        if (found == nullptr) continue;
        const auto usual = config::number(found->usual);
        if (!usual || !covers_literal(m_launch.grid[axis], symbol, *usual, axis)) continue;
        found->values = {*usual};
        found->why += "\n? the kernel has what a block covers as a number";
      }
  }

  /// Null where the symbol is none.
  DraftParameter* parameter_of(const std::string& symbol) {
    const auto name = m_plan.names.find(symbol);
    return name == m_plan.names.end() ? nullptr : m_plan.parameter(name->second);
  }

  /// Whether what divides the grid is, with this value of `symbol`, a number that the kernel multiplies
  /// blockIdx with.
  bool covers_literal(const Value& grid, const std::string& symbol, std::int64_t usual,
                      std::size_t axis) const {
    if (grid.kind != Value::Kind::call) return false;
    if ((grid.is_call("ceil_div") || grid.is_call("/")) &&
        source::symbols_of(grid.operands[1]).contains(symbol)) {
      const Value covered = source::replaced(grid.operands[1], [&](const std::string& one) {
        return one == symbol ? std::optional(source::number_value(usual)) : std::nullopt;
      });
      return covered.kind == Value::Kind::number && multiplies_block(axis, covered.number);
    }
    return std::ranges::any_of(grid.operands,
                               [&](const Value& one) { return covers_literal(one, symbol, usual, axis); });
  }

  /// `128 * blockIdx.x` or `blockIdx.x * TILE`, where that is the number.
  bool multiplies_block(std::size_t axis, std::int64_t number) const {
    return in_body([&](Tokens body, std::size_t i) {
      if (!body[i].is("blockIdx") || i + 4 >= body.size() || !body[i + 2].is(axis_name(axis))) return false;
      return (i > 1 && body[i - 1].is("*") && is_constant(body[i - 2], number)) ||
             (body[i + 3].is("*") && is_constant(body[i + 4], number));
    });
  }

  /// `for (…; i < TILE; …)`, where that is the number.
  bool loops_to(std::int64_t number) const {
    return in_body([&](Tokens body, std::size_t i) {
      return body[i].is("<") && i + 2 < body.size() && body[i + 2].is(";") &&
             is_constant(body[i + 1], number);
    });
  }

  /// The kernel asks which thread of its block it is along the axis.
  bool asks_along(std::size_t axis) const {
    return axis == 0 || in_body([&](Tokens body, std::size_t i) {
             const bool is_whole = i + 2 >= body.size() || !body[i + 1].is(".");
             return source::is_one_of(body[i].text, {"threadIdx", "blockDim"})
                        ? is_whole || body[i + 2].is(axis_name(axis))
                        : source::is_one_of(body[i].text, {"cg", "cooperative_groups", "thread_rank", "asm"});
           });
  }

  template <class Test>
  bool in_body(const Test& test) const {
    return std::ranges::any_of(m_source.reached, [&](const ProgramFunction* function) {
      for (std::size_t i = 0; i < function->body.size(); ++i)
        if (test(function->body, i)) return true;
      return false;
    });
  }

  static std::string_view axis_name(std::size_t axis) { return std::string_view("xyz").substr(axis, 1); }

  /// A number, or a name that the source gives it.
  bool is_constant(const Token& token, std::int64_t number) const {
    if (token.kind == Token::Kind::number) return token.is(std::to_string(number));
    if (!token.is_word()) return false;
    const Value value = m_source.host.evaluate({&token, 1}, {});
    if (value.kind != Value::Kind::symbol) return value.is(number);
    const SymbolFacts& known = m_planned.facts(value.name);
    return known.constant && !known.guarded && known.present == number;
  }

  /// Where blocks number the elements one behind the other, a grid that does not follow the block leaves some
  /// of them out.
  void follow_block() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!numbers_elements("xyz"[axis])) continue;
      Value& grid = m_launch.grid[axis];
      for (const std::string& symbol : source::symbols_of(m_launch.block[axis])) {
        DraftParameter* const found = parameter_of(symbol);
        const auto follows = [&] { return !grid.is_known() || source::symbols_of(grid).contains(symbol); };
        if (found == nullptr || follows()) continue;
        if (const auto usual = config::number(found->usual)) {
          grid = with_divisor(grid, *usual, source::symbol_value(symbol), true);
          if (follows()) continue;
          found->values = {*usual};
          found->why += "\n? the grid does not follow it";
        }
        m_source.ask(
            fmt::format("{}: the grid in line {} does not follow it, and with other values elements "
                        "would be left out",
                        found->name, m_launch.line));
      }
    }
  }

  /// The kernel multiplies blockIdx and blockDim, and no thread goes on by the grid's size.
  bool numbers_elements(char axis) const {
    const std::string_view name(&axis, 1);
    const auto word_at = [&](Tokens body, std::size_t i) {
      return i + 2 < body.size() && body[i + 1].is(".") && body[i + 2].is(name) ? body[i].text
                                                                                : std::string_view();
    };
    bool found = false;
    for (const ProgramFunction* function : m_source.reached) {
      const Tokens body = function->body;
      for (std::size_t i = 3; i < body.size(); ++i) {
        if (word_at(body, i) == "gridDim") return false;
        if (!body[i].is("*")) continue;
        std::size_t left = i - 1;  // behind brackets, as the right is behind a cast
        while (left > 2 && body[left].is(")")) --left;
        std::size_t right = i + 1;
        while (right < body.size() &&
               (source::is_one_of(body[right].text, {"(", ")"}) || source::is_integer_type(body[right].text)))
          ++right;
        const std::string_view one = left < 2 ? "" : word_at(body, left - 2);
        const std::string_view other = word_at(body, right);
        found |= (one == "blockIdx" && other == "blockDim") || (one == "blockDim" && other == "blockIdx");
      }
    }
    return found;
  }

  /// The launch alone has the numbers: the kernel asks for its block's size, and has none of them itself.
  bool may_change_literals() const {
    const auto& written = m_source.launches.front().block;
    if (!m_source.asks_for_block()) return false;
    for (const Value& one : written)
      if (one.kind != Value::Kind::number || m_source.has_number(one.number)) return false;
    return true;
  }

  /// With a division by `number`, or a multiple of it, made one by `by`, or the same multiple.
  static Value with_divisor(const Value& value, std::int64_t number, const Value& by,
                            bool multiples = false) {
    if (value.kind != Value::Kind::call) return value;
    Value changed = value;
    const bool divides = value.is_call("ceil_div") || value.is_call("/") || value.is_call("%");
    const Value divisor = divides ? value.operands[1] : Value();
    if (divisor.is(number) || (multiples && divisor.kind == Value::Kind::number && divisor.number != 0 &&
                               divisor.number % number == 0)) {
      changed.operands[1] = source::multiply(source::number_value(divisor.number / number), by);
      return changed;
    }
    for (Value& operand : changed.operands) operand = with_divisor(operand, number, by, multiples);
    return changed;
  }

  PlannedLaunch& m_planned;
  DraftSource& m_source;
  ProgramLaunch& m_launch;
  DraftPlan& m_plan;
};

}  // namespace

void find_parameters(PlannedLaunch& planned) {
  LaunchParameters(planned).find();
}

}  // namespace config
