#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "config/draft_plan.hpp"
#include "config/planned_launch.hpp"

namespace config {
namespace {

using tuner::source::BufferContents;

class LaunchWords {
 public:
  explicit LaunchWords(PlannedLaunch& planned)
      : m_planned(planned), m_source(planned.source), m_launch(planned.launch), m_plan(planned.plan) {}

  void write() {
    std::size_t axes = 1;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (!m_launch.grid[axis].is(1) || !m_launch.block[axis].is(1)) axes = axis + 1;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Value grid = m_launch.grid[axis];
      const Value& block = m_launch.block[axis];
      m_plan.grid.push_back(can_be_said(grid) && !grid.is(0) ? text(grid) : "?");
      m_plan.block.push_back(can_be_said(block) && !block.is(0) ? text(block) : "?");
      if (grid.is_call("/") && can_be_said(grid))
        add_constraint(source::call(
            "==", {source::call("%", {grid.operands[0], grid.operands[1]}), source::number_value(0)}));
    }
    if (!m_launch.shared_bytes.is(0))
      m_plan.shared_bytes = can_be_said(m_launch.shared_bytes) ? text(m_launch.shared_bytes) : "?";
    for (std::size_t axis = 0; axis < axes; ++axis) keep_end(m_launch.grid[axis]);
    for (const Value& condition : m_launch.conditions) add_constraint(condition);
    for (std::size_t i = 0; i < m_launch.arguments.size(); ++i)
      m_plan.arguments.push_back(argument(m_launch.arguments[i], m_source.kernel.parameters[i]));
    whole_vectors();
    whole_rows();
    doubt_grid();
  }

 private:
  /// A kernel that compares nothing, and is not passed the size that a grid rounds up, would go on past it.
  void keep_end(const Value& grid) {
    const auto is_passed = [&](const std::string& symbol) { return m_planned.is_passed(symbol); };
    constexpr std::array<std::string_view, 6> ending = {"if", "min", "while", "return", "gridDim", "asm"};
    if (!grid.is_call("ceil_div") || std::ranges::any_of(source::symbols_of(grid), is_passed) ||
        std::ranges::any_of(ending, [&](std::string_view word) { return m_source.words.contains(word); }) ||
        std::ranges::any_of(m_source.reached, [](const ProgramFunction* one) {
          return source::find_one_of(one->body, {"?"}) < one->body.size();
        }))
      return;
    if (!source::symbols_of(grid.operands[0]).empty())
      add_constraint(source::call("==", {source::call("%", grid.operands), source::number_value(0)}));
  }

  /// A grid over a size that no buffer follows and no argument: with more blocks it may read past them all.
  void doubt_grid() {
    const auto has_extent = [](const PlannedArgument& one) { return !one.extent.empty(); };
    // Where threads go on by the grid's size, the kernel says where they end.
    if (m_source.words.contains("gridDim") || std::ranges::none_of(m_plan.arguments, has_extent)) return;
    for (const std::string& size : m_plan.sizes) {
      const auto has = [&](const std::string& text) { return mentions(text, size); };
      const bool is_followed = std::ranges::any_of(m_plan.arguments, [&](const PlannedArgument& one) {
        return has(one.value) || std::ranges::any_of(one.extent, has);
      });
      const bool are_fixed = std::ranges::none_of(m_launch.arguments, [](const LaunchArgument& one) {
        return !source::symbols_of(one.bytes).empty();
      });
      if (std::ranges::none_of(m_plan.grid, has) || (is_followed && !are_fixed)) continue;
      m_plan.doubts["grid"] = fmt::format("? no buffer follows {}", size);
      m_source.ask(fmt::format("grid: no buffer follows {}; up to which are these large enough?", size));
    }
  }

  std::string text(const Value& value) const {
    if (!value.is_known()) return "?";
    return source::text_of(value, [&](const std::string& symbol) {
      const auto known = m_plan.names.find(symbol);
      return known != m_plan.names.end() ? known->second : m_planned.facts(symbol).name;
    });
  }

  /// A spec can have it: every name in it is one of the spec's, and nothing in it rounds as real numbers do.
  bool can_be_said(const Value& value) const {
    if (!value.is_known() || value.kind == Value::Kind::real || value.is_call("real") ||
        value.is_call("real/"))
      return false;
    if (value.kind == Value::Kind::symbol)
      return m_plan.names.contains(value.name) || m_planned.facts(value.name).is_limit;
    return std::ranges::all_of(value.operands, [&](const Value& one) { return can_be_said(one); });
  }

  /// Numbers and quotients of them, as `1.0 / N`.
  bool real_can_be_said(const Value& value) const {
    if (!value.is_known()) return false;
    if (value.kind == Value::Kind::symbol) return can_be_said(value);
    return std::ranges::all_of(value.operands, [&](const Value& one) { return real_can_be_said(one); });
  }

  void add_constraint(const Value& condition) {
    std::vector<std::string> symbols;
    source::list_symbols(condition, symbols);
    if (symbols.empty() || !can_be_said(condition)) return;
    m_plan.add_constraint(text(condition));
  }

  PlannedArgument argument(const LaunchArgument& argument, const source::SourceParameter& parameter) {
    PlannedArgument planned;
    planned.type = m_planned.type_inside(parameter.type);
    if (m_planned.is_open_type(planned.type)) planned.type = likely_type(parameter.type);
    if (!parameter.pointer) {
      planned.value = value(argument.value, planned.type);
      planned.keeps_rest = drops_rest(argument.value, planned.type);
      planned.fields = fields(argument, planned.type);
      return planned;
    }
    planned.is_null = argument.origin.is_null;
    if (argument.bytes.is_known()) {
      Value count = source::divide(argument.bytes, m_source.host.size_of(planned.type));
      if (can_be_said(count)) {
        for (const Value& factor : source::factors_of(count)) planned.extent.push_back(text(factor));
        planned.lone_size = lone_size(count);
        planned.extent_from = argument.is_filled ? fmt::format("? line {} fills so many", argument.bytes_line)
                                                 : fmt::format("allocated in line {}", argument.bytes_line);
      } else {
        planned.extent_from =
            fmt::format("the allocation in line {} has {} bytes", argument.bytes_line, text(argument.bytes));
      }
    }
    planned.init = init(argument.contents, planned.type);
    planned.is_init_guess = argument.contents.is_guess;
    return planned;
  }

  /// A size that neither the launch has nor its arguments: the kernel reads as far as the others say.
  std::string lone_size(const Value& count) const {
    for (const std::string& symbol : source::symbols_of(count)) {
      const bool is_launched = m_planned.occurs_in_launch(symbol) || m_planned.is_passed(symbol);
      const auto name = m_plan.names.find(symbol);
      if (!is_launched && name != m_plan.names.end() && std::ranges::count(m_plan.sizes, name->second) > 0)
        return name->second;
    }
    return {};
  }

  static bool is_real_type(const std::string& type) { return type == "float" || type == "double"; }

  /// It divides integers, where a spec divides real numbers.
  static bool drops_rest(const Value& value, const std::string& type) {
    return is_real_type(type) &&
           (value.is_call("/") || std::ranges::any_of(value.operands, [&](const Value& operand) {
              return drops_rest(operand, type);
            }));
  }

  /// Empty: a spec cannot say it.
  std::string value(const Value& given, const std::string& type) const {
    const bool is_real = is_real_type(type);
    const Value whole = is_real ? given : source::as_integer(given);
    return can_be_said(whole) || (is_real && real_can_be_said(whole)) ? text(whole) : "";
  }

  /// What the program gives the fields of a struct.
  std::map<std::string, std::string> fields(const LaunchArgument& argument, const std::string& type) const {
    std::map<std::string, std::string> given;
    const auto of = std::ranges::find(m_source.structs, type, &SourceStruct::name);
    if (of == m_source.structs.end() || argument.tokens.size() != 1) return given;
    for (const SourceField& field : of->fields) {
      const std::string path = fmt::format("{}.{}", argument.tokens.front().text, field.name);
      const Value one = source::replaced(
          m_source.host.variable(path, *m_launch.frame),
          [&](const std::string& symbol) -> std::optional<Value> {
            if (const auto fixed = m_plan.fixed.find(symbol); fixed != m_plan.fixed.end())
              return fixed->second;
            const auto present = m_planned.facts(symbol).present;
            return m_plan.names.contains(symbol) || !present ? std::nullopt
                                                             : std::optional(source::number_value(*present));
          });
      const std::string said = value(one, field.type);
      if (!said.empty() && !drops_rest(one, field.type)) given[field.name] = said;
    }
    return given;
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

  /// Bytes of the widest vector that the kernel moves through a pointer; 0: it moves none.
  std::int64_t vector_bytes() const {
    std::int64_t bytes = 0;
    for (const ProgramFunction* function : m_source.reached)
      for (std::size_t i = 0; i + 1 < function->body.size(); ++i) {
        const std::string_view word = function->body[i].text;
        const bool is_vector = word.ends_with('2') || word.ends_with('4');
        if (is_vector && function->body[i + 1].is("*")) bytes = std::max(bytes, source::bytes_of(word));
      }
    return bytes;
  }

  /// A kernel that moves vectors is taken to have rows of whole ones.
  void whole_vectors() {
    const std::int64_t bytes = vector_bytes();
    if (bytes == 0) return;
    for (const PlannedArgument& argument : m_plan.arguments) {
      const Value each = m_source.host.size_of(argument.type);
      if (argument.extent.empty() || each.kind != Value::Kind::number || each.number >= bytes) continue;
      const std::string& last = argument.extent.back();
      const auto size = std::ranges::find(m_plan.sizes, last) - m_plan.sizes.begin();
      if (size == std::ssize(m_plan.sizes)) continue;
      const auto present = m_plan.present[static_cast<std::size_t>(size)];
      if (present && *present % (bytes / each.number) != 0) continue;  // it takes others, too
      const std::string said = fmt::format("{} % {} == 0", last, bytes / each.number);
      if (std::ranges::count(m_plan.constraints, said) > 0) continue;
      m_plan.constraints.push_back(said);
      m_plan.notes.push_back(fmt::format("? {}: the kernel moves vectors of {} bytes", said, bytes));
    }
  }

  /// No row is longer than the leading dimension that says where the next begins.
  void whole_rows() {
    const auto value_of = [&](const std::string& name) {
      const auto& all = m_source.kernel.parameters;
      const auto at = std::ranges::find(all, name, &source::SourceParameter::name);
      return at == all.end() ? "" : m_plan.arguments[static_cast<std::size_t>(at - all.begin())].value;
    };
    for (std::size_t i = 0; i < m_plan.arguments.size(); ++i)
      for (const source::RowEnd& row : source::row_ends(m_source.program, m_source.kernel, i)) {
        const std::string length = value_of(row.length);
        const std::string end = value_of(row.end);
        const auto is_size = [&](const std::string& one) {
          return std::ranges::count(m_plan.sizes, one) > 0;
        };
        if (end == length || !is_size(end) || !is_size(length) ||
            std::ranges::count(m_plan.arguments[i].extent, length) == 0)
          continue;
        const std::string said = fmt::format("{} >= {}", length, end);
        if (std::ranges::count(m_plan.constraints, said) > 0) continue;
        m_plan.constraints.push_back(said);
        m_plan.notes.push_back(fmt::format("? {}: rows lie {} apart", said, length));
      }
  }

  PlannedLaunch& m_planned;
  DraftSource& m_source;
  ProgramLaunch& m_launch;
  DraftPlan& m_plan;
};

}  // namespace

void say(PlannedLaunch& planned) {
  LaunchWords(planned).write();
}

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

}  // namespace config
