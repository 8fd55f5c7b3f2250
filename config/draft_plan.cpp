#include "config/draft_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/spec_draft.hpp"

namespace config {
namespace {

using tuner::source::BufferContents;
using tuner::source::HostCode;
using tuner::source::LaunchArgument;
using tuner::source::ProgramFunction;
using tuner::source::ProgramLaunch;
using tuner::source::SymbolFacts;
using tuner::source::TemplateParameter;
using tuner::source::Value;
namespace source = tuner::source;

constexpr std::size_t most_sizes = 8;

/// Powers of two about a present block size, within what a block may have.
std::string block_values(const std::vector<std::int64_t>& choices, std::optional<std::int64_t> present,
                         bool is_plane) {
  std::set<std::int64_t> values;
  for (const std::int64_t choice : choices)
    if (choice > 0 && choice <= 1024) values.insert(choice);
  const std::int64_t usual = present.value_or(is_plane ? 16 : 256);
  if (values.empty()) {
    const std::int64_t least = is_plane || usual < 32 ? 1 : 32;
    for (std::int64_t value = std::max(usual / 4, least); value <= std::min<std::int64_t>(usual * 4, 1024);
         value *= 2)
      values.insert(value);
    values.insert(usual);
  }
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string usual_choice(const SymbolFacts& facts) {
  if (facts.present) return std::to_string(*facts.present);
  if (std::ranges::count(facts.choices, 256) > 0) return "256";
  return facts.choices.empty() ? "" : std::to_string(facts.choices[facts.choices.size() / 2]);
}

class LaunchPlanner {
 public:
  LaunchPlanner(HostCode& host, const ProgramFunction& kernel, const std::vector<ProgramLaunch>& launches)
      : m_host(host), m_kernel(kernel), m_launches(launches), m_launch(launches.front()) {
    const auto reached = source::reached_functions(host.program(), kernel);
    for (const std::string_view word : source::words_of(reached)) m_device_words.emplace(word);
    // What macros of these stand for is used as well.
    for (bool grows = true; grows;) {
      grows = false;
      for (const std::string& word : std::set<std::string>(m_device_words)) {
        const source::ConstantMacro* const macro = host.program().macro(word);
        if (macro == nullptr) continue;
        for (const source::Token& token : macro->tokens)
          if (token.is_word()) grows |= m_device_words.emplace(token.text).second;
      }
    }
  }

  DraftPlan plan() {
    m_plan.cooperative = m_launch.cooperative;
    fold_constants();
    template_arguments();
    block();
    drop_what_is_no_size();
    name_sizes();
    write();
    return std::move(m_plan);
  }

 private:
  const SymbolFacts& facts(const std::string& symbol) const { return m_host.facts(symbol); }

  template <class Change>
  void change_all(const Change& change) {
    for (Value& one : m_launch.grid) one = change(one);
    for (Value& one : m_launch.block) one = change(one);
    m_launch.shared_bytes = change(m_launch.shared_bytes);
    for (Value& one : m_launch.conditions) one = change(one);
    for (LaunchArgument& argument : m_launch.arguments) {
      argument.value = change(argument.value);
      argument.bytes = change(argument.bytes);
      argument.contents.below = change(argument.contents.below);
    }
    for (auto& [name, value] : m_plan.fixed) value = change(value);
  }

  void replace(const std::string& symbol, const Value& by) {
    m_plan.fixed[symbol] = by;
    change_all([&](const Value& value) {
      return source::replaced(
          value, [&](const std::string& name) { return name == symbol ? std::optional(by) : std::nullopt; });
    });
  }

  std::vector<std::string> all_symbols() const {
    std::vector<std::string> names;
    for (const LaunchArgument& argument : m_launch.arguments) source::list_symbols(argument.value, names);
    for (const Value& one : m_launch.grid) source::list_symbols(one, names);
    for (const Value& one : m_launch.block) source::list_symbols(one, names);
    source::list_symbols(m_launch.shared_bytes, names);
    for (const LaunchArgument& argument : m_launch.arguments) {
      source::list_symbols(argument.bytes, names);
      source::list_symbols(argument.contents.below, names);
    }
    return names;
  }

  bool occurs_in_bytes(const std::string& symbol) const {
    return std::ranges::any_of(m_launch.arguments, [&](const LaunchArgument& argument) {
      return source::symbols_of(argument.bytes).contains(symbol);
    });
  }

  /// Constants that the kernel has too cannot change with the launch alone.
  void fold_constants() {
    std::vector<std::string> symbols = all_symbols();
    for (const Value& condition : m_launch.conditions) source::list_symbols(condition, symbols);
    for (const std::string& symbol : symbols) {
      const SymbolFacts& known = facts(symbol);
      if (!known.constant || known.function != nullptr || !m_device_words.contains(known.name)) continue;
      if (known.guarded) {
        add_parameter(known.name, guessed_values(known.name, std::to_string(*known.present), false),
                      "a macro that the build may give", std::to_string(*known.present));
        m_plan.names[symbol] = known.name;
        continue;
      }
      const bool in_block = std::ranges::any_of(
          m_launch.block, [&](const Value& one) { return source::symbols_of(one).contains(symbol); });
      if (!contains_any(upper(known.name), {"WARP"}))
        m_plan.notes.push_back(fmt::format(
            "{} is {} in the source{}", known.name, *known.present,
            known.is_macro
                ? fmt::format("; with `#ifndef {}` above its `#define` it could be a parameter: {} = {}",
                              known.name, known.name,
                              in_block ? block_values({}, known.present, true)
                                       : guessed_values(known.name, std::to_string(*known.present), false))
                : ""));
      replace(symbol, source::number_value(*known.present));
    }
    // Other macros of the kernel that the build may give.
    for (const std::string& word : m_device_words) {
      const source::ConstantMacro* const macro = m_host.program().macro(word);
      if (macro == nullptr || !macro->guarded || has_parameter(word) || macro->tokens.empty()) continue;
      if (macro->tokens.size() != 1 || macro->tokens[0].kind != source::Token::Kind::number) continue;
      const std::string usual(macro->tokens[0].text);
      if (!number(usual)) continue;
      add_parameter(word, guessed_values(word, usual, false), fmt::format("line {}", macro->line), usual);
    }
  }

  bool has_parameter(const std::string& name) const {
    return std::ranges::count(m_plan.parameters, name, &DraftParameter::name) > 0;
  }

  void add_parameter(std::string name, std::string values, std::string why, std::string usual) {
    if (has_parameter(name)) return;
    m_plan.parameters.push_back({std::move(name), std::move(values), std::move(why), std::move(usual)});
  }

  /// The symbol that a template parameter's value stands for where a condition or a name says so.
  std::optional<std::string> twin(const TemplateParameter& parameter, const Value& value) const {
    for (const auto& [left, right] : m_launch.equalities) {
      if (left.kind == Value::Kind::symbol && source::same(right, value)) return left.name;
      if (right.kind == Value::Kind::symbol && source::same(left, value)) return right.name;
    }
    for (const std::string& symbol : all_symbols()) {
      if (m_plan.names.contains(symbol)) continue;
      std::string caps = upper(facts(symbol).name);
      std::string own = upper(parameter.name);
      std::erase(caps, '_');
      std::erase(own, '_');
      if (caps == own) return symbol;
    }
    return std::nullopt;
  }

  void template_arguments() {
    const auto& parameters = m_kernel.template_parameters;
    const source::Frame inside{&m_kernel, m_kernel.end(), m_launch.frame, tokens_of_arguments(),
                               m_launch.template_arguments};
    m_inside = m_host.keep(inside);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const TemplateParameter& parameter = parameters[i];
      if (parameter.type == "typename") {
        const std::vector<source::Token> name = source::tokens_of(parameter.name);
        const std::string type = m_host.type_in(name, *m_inside);
        const bool is_open = type.empty() || is_open_type(type);
        m_plan.template_arguments.push_back(is_open ? "float" : type);
        if (is_open) m_plan.notes.push_back(fmt::format("? which type is {}?", parameter.name));
        continue;
      }
      if (i >= m_launch.template_arguments.size()) break;  // it has a default, or is deduced
      const Value value = m_host.evaluate(m_launch.template_arguments[i], *m_launch.frame);
      const std::vector<source::Token> type = source::tokens_of(parameter.type);
      const bool varies = source::is_integer_type(m_host.program().resolved_type(source::type_text(type))) &&
                          parameter.type.find("bool") == std::string::npos;
      if (!varies || !(value.kind == Value::Kind::number || value.kind == Value::Kind::symbol)) {
        std::vector<std::string_view> words;
        for (const source::Token& token : m_launch.template_arguments[i]) words.push_back(token.text);
        m_plan.template_arguments.push_back(value.kind == Value::Kind::number ? std::to_string(value.number)
                                                                              : source::joined(words));
        continue;
      }
      template_value(parameter, i, value);
    }
  }

  std::vector<source::Tokens> tokens_of_arguments() const {
    std::vector<source::Tokens> tokens;
    for (const LaunchArgument& argument : m_launch.arguments) tokens.push_back(argument.tokens);
    return tokens;
  }

  void template_value(const TemplateParameter& parameter, std::size_t index, const Value& value) {
    // A macro of the template parameter's own name would replace it in the source.
    const std::string name = "TUNED_" + upper(parameter.name);
    std::set<std::int64_t> launched;
    for (const ProgramLaunch& launch : m_launches) {
      if (index >= launch.template_arguments.size()) continue;
      const Value one = m_host.evaluate(launch.template_arguments[index], *launch.frame);
      if (one.kind == Value::Kind::number) launched.insert(one.number);
      if (one.kind == Value::Kind::symbol && facts(one.name).present)
        launched.insert(*facts(one.name).present);
    }
    std::optional<std::int64_t> present;
    if (value.kind == Value::Kind::number) present = value.number;
    if (value.kind == Value::Kind::symbol) present = facts(value.name).present;
    const bool in_block = is_of_block(parameter.name);
    std::vector<std::int64_t> choices;
    if (launched.size() > 1) choices.assign(launched.begin(), launched.end());
    const std::string values =
        !choices.empty() ? fmt::format("[{}]", fmt::join(choices, ", "))
        : in_block       ? block_values({}, present, present.value_or(256) <= 32)
                         : guessed_values(parameter.name, std::to_string(present.value_or(1)), false);
    add_parameter(name, values, fmt::format("template parameter {}", parameter.name),
                  present ? std::to_string(*present) : "");
    m_plan.template_arguments.push_back(name);
    const std::optional<std::string> other =
        value.kind == Value::Kind::symbol ? std::optional(value.name) : twin(parameter, value);
    if (other) {
      replace(*other, source::symbol_value(name));
      m_plan.names[name] = name;
    } else if (value.kind == Value::Kind::number && value.number > 1) {
      m_literals[value.number] = name;
    }
  }

  static bool is_of_block(const std::string& name) {
    return contains_any(upper(name), {"BLOCK", "THREAD", "BDIM", "TPB", "WORKGROUP"});
  }

  bool uses_block() const {
    for (const char* word : {"blockDim", "group_size", "thread_rank", "num_threads", "meta_group_size",
                             "group_dim", "dim_threads"})
      if (m_device_words.contains(word)) return true;
    return false;
  }

  void block() {
    const bool is_plane = !m_launch.block[1].is(1) || !m_launch.block[2].is(1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<std::string> symbols;
      source::list_symbols(m_launch.block[axis], symbols);
      for (const std::string& symbol : symbols) {
        if (m_plan.names.contains(symbol)) continue;
        const SymbolFacts& known = facts(symbol);
        const bool is_size = occurs_in_bytes(symbol) && known.choices.empty() && !is_of_block(known.name);
        if (is_size || known.is_limit) continue;
        if (!uses_block() && known.present) {
          m_plan.notes.push_back(fmt::format("{} is {}: the kernel does not ask how large its blocks are",
                                             known.name, *known.present));
          replace(symbol, source::number_value(*known.present));
          continue;
        }
        const std::string name = free_name(upper(known.name));
        add_parameter(name,
                      fmt::format("{{ values = {}, runtime = true }}",
                                  block_values(known.choices, known.present, is_plane)),
                      known.choices.empty()
                          ? fmt::format("`{}` of the launch in line {}", known.name, m_launch.line)
                          : fmt::format("`{}`, as the program tries them", known.name),
                      usual_choice(known));
        m_plan.names[symbol] = name;
      }
    }
    literal_block(is_plane);
  }

  /// `<<<n, 256>>>`: a number that may change where the kernel asks for its block's size.
  void literal_block(bool is_plane) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Value& one = m_launch.block[axis];
      if (one.kind != Value::Kind::number || one.number <= 1) continue;
      const auto found = m_literals.find(one.number);
      if (found == m_literals.end() && !may_change_literals()) continue;
      std::string name;
      if (found != m_literals.end()) {
        name = found->second;
      } else {
        name = free_name(is_plane ? fmt::format("BLOCK_{}", "XYZ"[axis]) : "BLOCK_SIZE");
        add_parameter(
            name, fmt::format("{{ values = {}, runtime = true }}", block_values({}, one.number, is_plane)),
            fmt::format("{} in the launch in line {}", one.number, m_launch.line),
            std::to_string(one.number));
      }
      const std::int64_t number = one.number;
      const Value symbol = source::symbol_value(name);
      m_plan.names[name] = name;
      m_launch.block[axis] = symbol;
      m_launch.grid[axis] = with_divisor(m_launch.grid[axis], number, symbol);
      m_launch.shared_bytes = with_factor(m_launch.shared_bytes, number, symbol);
    }
  }

  /// The launch alone has the numbers: the kernel asks for its block's size, and has none of them itself.
  bool may_change_literals() const {
    const auto& written = m_launches.front().block;
    if (!uses_block()) return false;
    for (const Value& one : written)
      if (one.kind != Value::Kind::number || has_number(one.number)) return false;
    return true;
  }

  bool has_number(std::int64_t wanted) const {
    if (wanted <= 1) return false;
    const std::string digits = std::to_string(wanted);
    for (const ProgramFunction* function : source::reached_functions(m_host.program(), m_kernel))
      for (const source::Token& token : function->body)
        if (token.kind == source::Token::Kind::number && token.is(digits)) return true;
    return false;
  }

  /// With a division by `number` made one by `by`.
  static Value with_divisor(const Value& value, std::int64_t number, const Value& by) {
    if (value.kind != Value::Kind::call) return value;
    Value changed = value;
    const bool divides = value.is_call("ceil_div") || value.is_call("/");
    if (divides && value.operands[1].is(number)) {
      changed.operands[1] = by;
      return changed;
    }
    for (Value& operand : changed.operands) operand = with_divisor(operand, number, by);
    return changed;
  }

  /// Bytes of shared memory for each thread of a literal block.
  static Value with_factor(const Value& value, std::int64_t number, const Value& by) {
    if (value.kind != Value::Kind::number || value.number == 0 || value.number % number != 0) return value;
    return source::multiply(source::number_value(value.number / number), by);
  }

  std::string free_name(std::string name) const {
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "N" + name;
    const auto is_taken = [&](const std::string& one) {
      return has_parameter(one) || std::ranges::count(m_plan.sizes, one) > 0 || is_one_of_the_engine(one);
    };
    std::string free = name;
    for (int number = 2; is_taken(free); ++number) free = fmt::format("{}_{}", name, number);
    return free;
  }

  static bool is_one_of_the_engine(const std::string& name) {
    return name.starts_with("ELEMENT_") || name.starts_with("__");
  }

  void drop_what_is_no_size() {
    for (const std::string& symbol : all_symbols()) {
      if (m_plan.names.contains(symbol)) continue;
      const SymbolFacts& known = facts(symbol);
      if (known.is_limit || known.name.starts_with("sizeof ")) continue;
      const bool is_argument = std::ranges::any_of(m_launch.arguments, [&](const LaunchArgument& argument) {
        return source::symbols_of(argument.value).contains(symbol);
      });
      const bool is_of_launch = occurs_in_launch(symbol) || !all_extents_known();
      if (known.counter) {
        m_plan.notes.push_back(fmt::format("{} counts in a loop; the draft has its first value", known.name));
        replace(symbol, source::number_value(known.present.value_or(0)));
      } else if (known.constant && known.present && !occurs_in_bytes(symbol) && !is_argument) {
        replace(symbol, source::number_value(*known.present));
      } else if (known.present && !occurs_in_bytes(symbol) && !is_of_launch) {
        m_plan.notes.push_back(
            fmt::format("{} is {}: no buffer and no grid depends on it", known.name, *known.present));
        replace(symbol, source::number_value(*known.present));
      }
    }
  }

  bool occurs_in_launch(const std::string& symbol) const {
    const auto has = [&](const Value& one) { return source::symbols_of(one).contains(symbol); };
    return std::ranges::any_of(m_launch.grid, has) || std::ranges::any_of(m_launch.block, has) ||
           has(m_launch.shared_bytes);
  }

  bool all_extents_known() const {
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const LaunchArgument& argument = m_launch.arguments[i];
      if (m_kernel.parameters[i].pointer && !argument.origin.is_null && !argument.bytes.is_known())
        return false;
    }
    return true;
  }

  bool is_size(const std::string& symbol) const {
    return !m_plan.names.contains(symbol) && !facts(symbol).is_limit &&
           !facts(symbol).name.starts_with("sizeof ");
  }

  void add_size(const std::string& symbol, const std::string& wanted) {
    if (m_plan.names.contains(symbol)) return;
    const std::string name = free_name(upper(wanted));
    m_plan.names[symbol] = name;
    m_plan.sizes.push_back(name);
    m_plan.present.push_back(facts(symbol).present);
  }

  void name_sizes() {
    use_products();
    // The kernel's own words for them first, in its order.
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const Value& value = m_launch.arguments[i].value;
      const std::string& own = m_kernel.parameters[i].name;
      if (m_kernel.parameters[i].pointer) continue;
      const bool is_integer =
          source::is_integer_type(m_host.program().resolved_type(m_kernel.parameters[i].type));
      if (is_integer && value.kind == Value::Kind::symbol && is_size(value.name) && !own.empty())
        add_size(value.name, own);
      if (is_integer && !value.is_known() && !own.empty() && !is_no_size(own)) {
        m_products[own] = upper(own);
        m_launch.arguments[i].value = own_size(own, std::nullopt);
      }
    }
    for (const std::string& symbol : all_symbols()) {
      if (!is_size(symbol)) continue;
      if (m_plan.sizes.size() < most_sizes) {
        add_size(symbol, facts(symbol).name);
      } else if (facts(symbol).present) {
        replace(symbol, source::number_value(*facts(symbol).present));
      }
    }
  }

  /// A size that is no variable of the program: an argument of the kernel.
  Value own_size(const std::string& name, std::optional<std::int64_t> present) {
    const std::string free = free_name(upper(name));
    m_plan.names[free] = free;
    m_plan.sizes.push_back(free);
    m_plan.present.push_back(present);
    return source::symbol_value(free);
  }

  /// `N = B * T`: where the kernel takes a product, and nothing else needs its factors, the product is a
  /// size.
  void use_products() {
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const Value product = m_launch.arguments[i].value;
      const std::string& own = m_kernel.parameters[i].name;
      if (m_kernel.parameters[i].pointer || own.empty() || !product.is_call("*")) continue;
      const std::vector<Value> factors = source::factors_of(product);
      const bool plain = std::ranges::all_of(factors, [&](const Value& factor) {
        return factor.kind == Value::Kind::symbol && is_size(factor.name);
      });
      if (!plain) continue;
      const ProgramLaunch before = m_launch;
      const std::string name = "product " + own;
      const Value by = source::symbol_value(name);
      const auto fixed = m_plan.fixed;
      change_all([&](const Value& value) { return source::factored(value, product, by); });
      const std::vector<std::string> left = all_symbols();
      const bool gone = std::ranges::none_of(
          factors, [&](const Value& factor) { return std::ranges::count(left, factor.name) > 0; });
      std::optional<std::int64_t> present = 1;
      for (const Value& factor : factors)
        present = present && facts(factor.name).present
                      ? std::optional(*present * *facts(factor.name).present)
                      : std::nullopt;
      m_launch = before;
      m_plan.fixed = fixed;
      if (!gone) continue;
      const Value size = own_size(own, present);
      change_all([&](const Value& value) { return source::factored(value, product, size); });
      m_plan.products.emplace_back(product, size);
    }
  }

  std::string text(const Value& value) const {
    if (!value.is_known()) return "?";
    return source::text_of(value, [&](const std::string& symbol) {
      const auto known = m_plan.names.find(symbol);
      return known != m_plan.names.end() ? known->second : facts(symbol).name;
    });
  }

  /// A spec can have it: every name in it is one of the spec's, and nothing in it rounds as real numbers do.
  bool can_be_said(const Value& value) const {
    if (!value.is_known() || value.kind == Value::Kind::real || value.is_call("real") ||
        value.is_call("real/"))
      return false;
    if (value.kind == Value::Kind::symbol)
      return m_plan.names.contains(value.name) || facts(value.name).is_limit;
    return std::ranges::all_of(value.operands, [&](const Value& one) { return can_be_said(one); });
  }

  void write() {
    std::size_t axes = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!m_launch.grid[axis].is(1) || !m_launch.block[axis].is(1)) axes = axis + 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Value grid = m_launch.grid[axis];
      m_plan.grid.push_back(can_be_said(grid) ? text(grid) : "?");
      m_plan.block.push_back(can_be_said(m_launch.block[axis]) ? text(m_launch.block[axis]) : "?");
      if (grid.is_call("/") && can_be_said(grid))
        add_constraint(source::call(
            "==", {source::call("%", {grid.operands[0], grid.operands[1]}), source::number_value(0)}));
    }
    if (!m_launch.shared_bytes.is(0))
      m_plan.shared_bytes = can_be_said(m_launch.shared_bytes) ? text(m_launch.shared_bytes) : "?";
    for (const Value& condition : m_launch.conditions) add_constraint(condition);
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i)
      m_plan.arguments.push_back(argument(m_launch.arguments[i], m_kernel.parameters[i]));
    whole_vectors();
  }

  /// Bytes of the widest vector that the kernel moves through a pointer; 0: it moves none.
  std::int64_t vector_bytes() const {
    static const std::map<std::string_view, std::int64_t> known = {
        {"float4", 16},  {"int4", 16},      {"uint4", 16},        {"float2", 8},
        {"int2", 8},     {"uint2", 8},      {"half2", 4},         {"__half2", 4},
        {"double2", 16}, {"longlong2", 16}, {"__nv_bfloat162", 4}};
    std::int64_t bytes = 0;
    for (const ProgramFunction* function : source::reached_functions(m_host.program(), m_kernel)) {
      for (std::size_t i = 0; i + 1 < function->body.size(); ++i) {
        const auto found = known.find(function->body[i].text);
        if (found != known.end() && function->body[i + 1].is("*")) bytes = std::max(bytes, found->second);
      }
    }
    return bytes;
  }

  /// A kernel that moves vectors is taken to have rows of whole ones.
  void whole_vectors() {
    const std::int64_t bytes = vector_bytes();
    if (bytes == 0) return;
    for (const PlannedArgument& argument : m_plan.arguments) {
      const Value each = m_host.size_of(argument.type);
      if (argument.extent.empty() || each.kind != Value::Kind::number || each.number >= bytes) continue;
      const std::string& last = argument.extent.back();
      if (std::ranges::count(m_plan.sizes, last) == 0) continue;
      const std::string said = fmt::format("{} % {} == 0", last, bytes / each.number);
      if (std::ranges::count(m_plan.constraints, said) > 0) continue;
      m_plan.constraints.push_back(said);
      m_plan.notes.push_back(fmt::format("? {}: the kernel moves vectors of {} bytes", said, bytes));
    }
  }

  void add_constraint(const Value& condition) {
    std::vector<std::string> symbols;
    source::list_symbols(condition, symbols);
    if (symbols.empty() || !can_be_said(condition)) return;
    const std::string said = text(condition);
    if (std::ranges::count(m_plan.constraints, said) == 0) m_plan.constraints.push_back(said);
  }

  PlannedArgument argument(const LaunchArgument& argument, const source::SourceParameter& parameter) {
    PlannedArgument planned;
    const std::vector<source::Token> type = source::tokens_of(parameter.type);
    planned.type = m_host.type_in(type, *m_inside);
    if (is_open_type(planned.type)) planned.type = "float";
    if (!parameter.pointer) {
      const bool is_real = planned.type == "float" || planned.type == "double";
      const Value whole = is_real ? argument.value : source::as_integer(argument.value);
      if (can_be_said(whole) || (is_real && real_can_be_said(whole))) planned.value = text(whole);
      return planned;
    }
    planned.is_null = argument.origin.is_null;
    if (argument.bytes.is_known()) {
      Value count = source::divide(argument.bytes, m_host.size_of(planned.type));
      if (can_be_said(count)) {
        for (const Value& factor : source::factors_of(count)) planned.extent.push_back(text(factor));
        planned.extent_from = fmt::format("allocated in line {}", argument.bytes_line);
      } else {
        planned.extent_from =
            fmt::format("the allocation in line {} has {} bytes", argument.bytes_line, text(argument.bytes));
      }
    }
    planned.init = init(argument.contents, planned.type);
    return planned;
  }

  /// The name of a template's type that no call gives.
  bool is_open_type(const std::string& type) const {
    for (const source::Frame* at = m_inside; at != nullptr && at->function != nullptr; at = at->caller)
      if (std::ranges::count(at->function->template_parameters, type, &TemplateParameter::name) > 0)
        return true;
    return false;
  }

  /// Numbers and quotients of them, as `1.0 / N`.
  bool real_can_be_said(const Value& value) const {
    if (!value.is_known()) return false;
    if (value.kind == Value::Kind::symbol) return can_be_said(value);
    return std::ranges::all_of(value.operands, [&](const Value& one) { return real_can_be_said(one); });
  }

  std::string init(const BufferContents& contents, const std::string& type) const {
    const bool is_integer = source::is_integer_type(type);
    switch (contents.kind) {
      case BufferContents::Kind::unknown:
        return "";
      case BufferContents::Kind::zero:
        return "constant(0)";
      case BufferContents::Kind::one:
        return "constant(1)";
      case BufferContents::Kind::unit:
        return is_integer ? "integers(0, 1)" : "uniform(0, 1)";
      case BufferContents::Kind::whole:
        break;
    }
    const Value last = source::subtract(contents.below, source::number_value(1));
    return can_be_said(last) ? fmt::format("integers(0, {})", text(last)) : "";
  }

  HostCode& m_host;
  const ProgramFunction& m_kernel;
  const std::vector<ProgramLaunch>& m_launches;
  ProgramLaunch m_launch;
  const source::Frame* m_inside = nullptr;
  std::set<std::string> m_device_words;
  std::map<std::int64_t, std::string> m_literals;  ///< numbers that a template parameter stands for
  std::map<std::string, std::string> m_products;
  DraftPlan m_plan;
};

}  // namespace

std::optional<std::string> DraftPlan::over_sizes(const HostCode& host, Value value) const {
  value = source::replaced(value, [&](const std::string& symbol) -> std::optional<Value> {
    const auto found = fixed.find(symbol);
    return found == fixed.end() ? std::nullopt : std::optional(found->second);
  });
  for (const auto& [product, size] : products) {
    value = source::factored(value, product, size);
    // The kernel knows the product alone: one factor is all of it, and the others are 1.
    const std::vector<Value> factors = source::factors_of(product);
    value = source::replaced(value, [&, size = size](const std::string& symbol) -> std::optional<Value> {
      for (const Value& factor : factors)
        if (factor.name == symbol) return &factor == &factors.back() ? size : source::number_value(1);
      return std::nullopt;
    });
  }
  bool is_known = value.is_known();
  std::string text = source::text_of(value, [&](const std::string& symbol) -> std::string {
    const auto name = names.find(symbol);
    if (name != names.end()) {
      is_known &= std::ranges::count(sizes, name->second) > 0;
      return name->second;
    }
    const SymbolFacts& known = host.facts(symbol);
    is_known &= known.present.has_value() && !known.is_limit;
    return std::to_string(known.present.value_or(0));
  });
  return is_known ? std::optional(std::move(text)) : std::nullopt;
}

DraftPlan plan_launch(HostCode& host, const ProgramFunction& kernel,
                      const std::vector<ProgramLaunch>& launches) {
  return LaunchPlanner(host, kernel, launches).plan();
}

}  // namespace config
