#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "config/draft_plan.hpp"
#include "config/planned_launch.hpp"
#include "config/spec_reader.hpp"

namespace config {
namespace {

class LaunchSizes {
 public:
  explicit LaunchSizes(PlannedLaunch& planned)
      : m_planned(planned), m_source(planned.source), m_launch(planned.launch), m_plan(planned.plan) {}

  void find() {
    fix_choices();
    drop_what_is_no_size();
    use_products();
    name_sizes();
  }

 private:
  /// A choice of an enumeration is no size: it has the value that the program gives it.
  void fix_choices() {
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      Value& value = m_launch.arguments[i].value;
      if (!m_source.program.is_enumeration(m_source.kernel.parameters[i].type)) continue;
      const auto present =
          value.kind == Value::Kind::symbol ? m_planned.facts(value.name).present : std::nullopt;
      if (value.kind != Value::Kind::number) value = present ? source::number_value(*present) : Value();
    }
  }

  void drop_what_is_no_size() {
    for (const std::string& symbol : m_planned.all_symbols()) {
      if (m_plan.names.contains(symbol)) continue;
      const SymbolFacts& known = m_planned.facts(symbol);
      if (known.is_limit || known.name.starts_with("sizeof ")) continue;
      const bool is_argument = m_planned.is_passed(symbol);
      // With a grid for more than buffers have, the kernel would read past their ends.
      const bool is_of_launch =
          m_planned.occurs_in_launch(symbol, buffers_are_fixed()) || !all_extents_known();
      const bool is_length_of_block = is_of_block(known.name) && !contains_any(upper(known.name), {"BLOCKS"});
      const bool is_open = known.counter
                               ? !known.present || (known.present == 0 && m_planned.occurs_in_launch(symbol))
                               : known.changed_line > 0 && !is_argument && !m_planned.occurs_in_bytes(symbol);
      if (is_open) {
        m_planned.replace(symbol, Value());
      } else if (known.counter) {
        m_plan.notes.push_back(fmt::format("{} counts in a loop; the draft has its first value", known.name));
        m_planned.replace(symbol, source::number_value(*known.present));
      } else if (known.present && !is_argument && numbers_blocks(symbol)) {
        add_blocks(symbol, *known.present);
      } else if (known.constant && known.present && !is_argument &&
                 (!m_planned.occurs_in_bytes(symbol) || is_length_of_block)) {
        m_planned.replace(symbol, source::number_value(*known.present));
      } else if (known.present && !m_planned.occurs_in_bytes(symbol) && !is_of_launch) {
        m_plan.notes.push_back(fmt::format(
            "{}{} is {}: no buffer {}", may_be_extent(symbol) ? "? " : "", known.name, *known.present,
            m_planned.occurs_in_launch(symbol) ? "follows it" : "and no grid depends on it"));
        m_planned.replace(symbol, source::number_value(*known.present));
      }
    }
  }

  /// The kernel is passed it for an integer that may say how far it reads.
  bool may_be_extent(const std::string& symbol) const {
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const source::SourceParameter& parameter = m_source.kernel.parameters[i];
      if (!parameter.pointer && source::symbols_of(m_launch.arguments[i].value).contains(symbol) &&
          m_source.may_be_size(parameter, m_source.program.resolved_type(parameter.type)))
        return true;
    }
    return false;
  }

  /// The grid alone has it, and threads go on by the grid's size: any number of blocks does the same.
  bool numbers_blocks(const std::string& symbol) const {
    const auto is_it = [&](const Value& one) {
      return one.kind == Value::Kind::symbol && one.name == symbol;
    };
    const std::vector<std::string> all = m_planned.all_symbols();
    return m_source.words.contains("gridDim") && std::ranges::count_if(m_launch.grid, is_it) == 1 &&
           std::ranges::count(all, symbol) == 1 && !m_planned.occurs_in_bytes(symbol);
  }

  void add_blocks(const std::string& symbol, std::int64_t present) {
    const std::string name = m_planned.free_name(upper(m_planned.facts(symbol).name));
    std::vector<std::int64_t> values;
    for (const std::int64_t part : {4, 2})
      if (present % part == 0) values.push_back(present / part);
    values.insert(values.end(), {present, 2 * present, 4 * present});
    m_planned.add_parameter({name, values, fmt::format("blocks of the launch in line {}", m_launch.line),
                             std::to_string(present), true});
    m_plan.names[symbol] = name;
  }

  /// Each buffer has a number of elements, whatever the size.
  bool buffers_are_fixed() const {
    return std::ranges::none_of(
               m_launch.arguments,
               [](const LaunchArgument& one) { return !source::symbols_of(one.bytes).empty(); }) &&
           std::ranges::any_of(m_launch.arguments,
                               [](const LaunchArgument& one) { return one.bytes.is_known(); });
  }

  bool all_extents_known() const {
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const LaunchArgument& argument = m_launch.arguments[i];
      if (m_source.kernel.parameters[i].pointer && !argument.origin.is_null && !argument.bytes.is_known())
        return false;
    }
    return true;
  }

  /// `N = B * T`: where the kernel takes a product, and nothing else needs its factors, the product is a
  /// size.
  void use_products() {
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const Value product = m_launch.arguments[i].value;
      const std::string& own = m_source.kernel.parameters[i].name;
      if (m_source.kernel.parameters[i].pointer || own.empty() || !product.is_call("*")) continue;
      const std::vector<Value> factors = source::factors_of(product);
      const bool plain = std::ranges::all_of(factors, [&](const Value& factor) {
        return factor.kind == Value::Kind::symbol && is_size(factor.name);
      });
      if (!plain) continue;
      PlannedLaunch tried = m_planned;
      const Value by = source::symbol_value("product " + own);
      tried.change_all([&](const Value& value) { return source::factored(value, product, by); });
      const std::vector<std::string> left = tried.all_symbols();
      const bool is_needed = std::ranges::any_of(
          factors, [&](const Value& factor) { return std::ranges::count(left, factor.name) > 0; });
      if (is_needed) continue;
      std::optional<std::int64_t> present = 1;
      for (const Value& factor : factors)
        present = present && m_planned.facts(factor.name).present
                      ? std::optional(*present * *m_planned.facts(factor.name).present)
                      : std::nullopt;
      const Value size = own_size(own, present);
      m_planned.change_all([&](const Value& value) { return source::factored(value, product, size); });
      m_plan.products.emplace_back(product, size);
    }
  }

  void name_sizes() {
    // The kernel's own words for them first, in its order.
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i) {
      const Value& value = m_launch.arguments[i].value;
      const std::string& own = m_source.kernel.parameters[i].name;
      if (m_source.kernel.parameters[i].pointer) continue;
      const bool is_integer =
          source::is_integer_type(m_source.program.resolved_type(m_source.kernel.parameters[i].type));
      if (is_integer && value.kind == Value::Kind::symbol && is_size(value.name) && !own.empty())
        add_size(value.name, own);
      const bool is_choice = m_source.program.is_enumeration(m_source.kernel.parameters[i].type);
      if (is_integer && !is_choice && !value.is_known() && !own.empty() && !is_no_size(own) &&
          m_plan.sizes.size() < most_sizes_of_a_kernel)
        m_launch.arguments[i].value = own_size(own, std::nullopt);
    }
    for (const std::string& symbol : m_planned.all_symbols()) {
      if (is_size(symbol)) add_size(symbol, m_planned.facts(symbol).name);
    }
  }

  bool is_size(const std::string& symbol) const {
    return !m_plan.names.contains(symbol) && !m_planned.facts(symbol).is_limit &&
           !m_planned.facts(symbol).name.starts_with("sizeof ");
  }

  void add_size(const std::string& symbol, const std::string& wanted) {
    if (m_plan.names.contains(symbol)) return;
    const auto present = m_planned.facts(symbol).present;
    if (m_plan.sizes.size() == most_sizes_of_a_kernel) {
      if (present) m_planned.replace(symbol, source::number_value(*present));
      return;
    }
    const std::string name = m_planned.free_name(upper(wanted));
    m_plan.names[symbol] = name;
    m_plan.sizes.push_back(name);
    m_plan.present.push_back(present);
    const SymbolFacts& known = m_planned.facts(symbol);
    if (known.changed_line == 0) return;
    const std::string question = fmt::format(
        "{}: line {} changes `{}` before the launch: how large is it, and does it follow from others?", name,
        known.changed_line, known.name);
    m_plan.notes.push_back("? " + question);
    m_source.ask(question);
  }

  /// A size that is no variable of the program: an argument of the kernel.
  Value own_size(const std::string& name, std::optional<std::int64_t> present) {
    const std::string free = m_planned.free_name(upper(name));
    m_plan.names[free] = free;
    m_plan.sizes.push_back(free);
    m_plan.present.push_back(present);
    return source::symbol_value(free);
  }

  PlannedLaunch& m_planned;
  DraftSource& m_source;
  ProgramLaunch& m_launch;
  DraftPlan& m_plan;
};

}  // namespace

void find_sizes(PlannedLaunch& planned) {
  LaunchSizes(planned).find();
}

}  // namespace config
