#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "config/planned_launch.hpp"
#include "config/source_guesses.hpp"

namespace config {
namespace {

/// Where a number stands in an expression.
struct Occurrences {
  int as_factor = 0;  ///< of a product, or what divides
  int elsewhere = 0;
};

/// Whether operand `i` of a call is a factor or a divisor.
bool is_factor(const Value& call, std::size_t i) {
  return call.is_call("*") || (i == 1 && (call.is_call("/") || call.is_call("ceil_div")));
}

void count(const Value& value, std::int64_t number, bool as_factor, Occurrences& found) {
  if (as_factor && value.is(number)) {
    ++found.as_factor;
  } else if (value.is(number) || value.is(-number)) {
    ++found.elsewhere;
  }
  for (std::size_t i = 0; i < value.operands.size(); ++i)
    count(value.operands[i], number, is_factor(value, i), found);
}

Occurrences occurrences(const Value& value, std::int64_t number) {
  Occurrences found;
  count(value, number, false, found);
  return found;
}

Value with_factor_replaced(const Value& value, std::int64_t number, const Value& by) {
  Value changed = value;
  for (std::size_t i = 0; i < changed.operands.size(); ++i) {
    Value& operand = changed.operands[i];
    operand = is_factor(value, i) && operand.is(number) ? by : with_factor_replaced(operand, number, by);
  }
  return changed;
}

void doubt(PlannedLaunch& planned, const std::string& key, const std::string& why) {
  std::string& all = planned.plan.doubts[key];
  if (all.find(why) != std::string::npos) return;
  all += (all.empty() ? "? " : "\n? ") + why;
  planned.source.ask(fmt::format("{}: {}", key, why));
}

/// Other values than the launched one could leave a part of the output uncomputed.
void keep_launched_value(PlannedLaunch& planned, const std::string& name, std::int64_t number) {
  const auto found = std::ranges::find(planned.plan.parameters, name, &DraftParameter::name);
  found->values = fmt::format("[{}]", number);
  found->why += fmt::format("\n? does it have to do with the {} of the launch?", number);
  planned.source.ask(
      fmt::format("{}: does it have to do with the {} of the launch in line {}? Other values "
                  "need a launch that says so",
                  name, number, planned.launch.line));
}

void settle(PlannedLaunch& planned, const std::string& name, std::int64_t number) {
  const auto has_number = [&](const Value& one) {
    const Occurrences found = occurrences(one, number);
    return found.as_factor + found.elsewhere > 0;
  };
  const bool in_grid = std::ranges::any_of(planned.launch.grid, has_number);
  const bool in_block = std::ranges::any_of(planned.launch.block, has_number);
  const auto is_named = [&](const Value& one) { return tuner::source::symbols_of(one).contains(name); };
  const bool sets_block = std::ranges::any_of(planned.launch.block, is_named);
  if ((in_grid || in_block) && !sets_block) return keep_launched_value(planned, name, number);
  if (in_grid) doubt(planned, "grid", fmt::format("is the {} {} too?", number, name));
  if (in_block) doubt(planned, "block", fmt::format("is the {} {} too?", number, name));
  const Value& shared = planned.launch.shared_bytes;
  if (shared.kind == Value::Kind::number && shared.number > 0 && shared.number % number == 0)
    doubt(planned, "dynamic_shared_bytes", fmt::format("do the {} follow {}?", shared.number, name));
  const auto& block = planned.source.launches.front().block;
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    if (block[axis].kind != Value::Kind::number || block[axis].number <= 1) continue;
    const std::int64_t both = block[axis].number * number;
    const Occurrences found = occurrences(planned.launch.grid[axis], both);
    if (found.as_factor > 0)
      doubt(planned, "grid",
            fmt::format("is the {} {} times the block's {}?", both, name, block[axis].number));
  }
}

}  // namespace

void use_literals(PlannedLaunch& planned) {
  for (const auto& [name, number] : planned.literals) {
    if (planned.parameter_of(number) != name) continue;
    const Value symbol = tuner::source::symbol_value(name);
    for (auto* const axes : {&planned.launch.grid, &planned.launch.block}) {
      for (Value& one : *axes) {
        const Occurrences found = occurrences(one, number);
        if (found.as_factor != 1 || found.elsewhere > 0) continue;
        one = with_factor_replaced(one, number, symbol);
        planned.plan.names[name] = name;
      }
    }
    Value& bytes = planned.launch.shared_bytes;
    const std::string digits = std::to_string(number);
    constexpr std::int64_t largest_element = 16;  // bytes: a smaller number may be the size of one
    if (bytes.kind != Value::Kind::number || bytes.number == 0 || bytes.number % number != 0 ||
        number <= largest_element ||
        std::ranges::count(planned.launch.shared_text, digits, &Token::text) != 1)
      continue;
    bytes = tuner::source::multiply(tuner::source::number_value(bytes.number / number), symbol);
    planned.plan.names[name] = name;
  }
}

void settle_literals(PlannedLaunch& planned) {
  for (const auto& [name, number] : planned.literals) settle(planned, name, number);
}

}  // namespace config
