#include "config/planned_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace config {

static const Frame* frame_inside(DraftSource& source) {
  const tuner::source::ProgramLaunch& launch = source.launches.front();
  std::vector<Tokens> arguments;
  for (const LaunchArgument& argument : launch.arguments) arguments.push_back(argument.tokens);
  const tuner::source::ProgramFunction& kernel = source.kernel;
  return source.host.keep(
      {&kernel, kernel.end(), launch.frame, std::move(arguments), launch.template_arguments});
}

PlannedLaunch::PlannedLaunch(DraftSource& its_source)
    : source(its_source), launch(its_source.launches.front()), inside(frame_inside(its_source)) {
  plan.cooperative = launch.cooperative;
  plan.cluster = launch.cluster;
  plan.launch_from = fmt::format("as in line {}", launch.line);
}

void PlannedLaunch::change_all(const std::function<Value(const Value&)>& change) {
  for (Value& one : launch.grid) one = change(one);
  for (Value& one : launch.block) one = change(one);
  launch.shared_bytes = change(launch.shared_bytes);
  for (Value& one : launch.conditions) one = change(one);
  for (LaunchArgument& argument : launch.arguments) {
    argument.value = change(argument.value);
    argument.bytes = change(argument.bytes);
    argument.contents.below = change(argument.contents.below);
  }
  for (auto& [name, value] : plan.fixed) value = change(value);
}

void PlannedLaunch::replace(const std::string& symbol, const Value& by) {
  plan.fixed[symbol] = by;
  change_all([&](const Value& value) {
    return tuner::source::replaced(
        value, [&](const std::string& name) { return name == symbol ? std::optional(by) : std::nullopt; });
  });
}

std::vector<std::string> PlannedLaunch::all_symbols() const {
  std::vector<std::string> names;
  for (const LaunchArgument& argument : launch.arguments) tuner::source::list_symbols(argument.value, names);
  for (const Value& one : launch.grid) tuner::source::list_symbols(one, names);
  for (const Value& one : launch.block) tuner::source::list_symbols(one, names);
  tuner::source::list_symbols(launch.shared_bytes, names);
  for (const LaunchArgument& argument : launch.arguments) {
    tuner::source::list_symbols(argument.bytes, names);
    tuner::source::list_symbols(argument.contents.below, names);
  }
  return names;
}

bool PlannedLaunch::occurs_in_bytes(const std::string& symbol) const {
  return std::ranges::any_of(launch.arguments, [&](const LaunchArgument& argument) {
    return tuner::source::symbols_of(argument.bytes).contains(symbol);
  });
}

bool PlannedLaunch::occurs_in_launch(const std::string& symbol, bool but_grid) const {
  const auto has = [&](const Value& one) { return tuner::source::symbols_of(one).contains(symbol); };
  return (!but_grid && std::ranges::any_of(launch.grid, has)) || std::ranges::any_of(launch.block, has) ||
         has(launch.shared_bytes);
}

bool PlannedLaunch::is_passed(const std::string& symbol) const {
  return std::ranges::any_of(launch.arguments, [&](const LaunchArgument& argument) {
    return tuner::source::symbols_of(argument.value).contains(symbol);
  });
}

void PlannedLaunch::add_parameter(DraftParameter parameter) {
  if (!plan.has_parameter(parameter.name)) plan.parameters.push_back(std::move(parameter));
}

bool PlannedLaunch::is_literal(std::int64_t number) const {
  return std::ranges::any_of(literals, [&](const auto& one) { return one.second == number; });
}

std::optional<std::string> PlannedLaunch::parameter_of(std::int64_t number) const {
  std::optional<std::string> only;
  for (const auto& [name, value] : literals) {
    if (value != number) continue;
    if (only) return std::nullopt;
    only = name;
  }
  // One that has a name in the launch is no number there.
  const auto is_named = [&](const DraftParameter& one) {
    return std::ranges::any_of(plan.names, [&](const auto& name) { return name.second == one.name; });
  };
  const auto has_value = [&](const DraftParameter& one) {
    return only && one.name != *only && one.usual == std::to_string(number) && !is_named(one);
  };
  return std::ranges::any_of(plan.parameters, has_value) ? std::nullopt : only;
}

std::string PlannedLaunch::free_name(std::string name) const {
  name.erase(0, name.find_first_not_of('_'));
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "N" + name;
  const auto is_taken = [&](const std::string& one) {
    // The last are the engine's.
    return plan.has_parameter(one) || std::ranges::count(plan.sizes, one) > 0 || one.starts_with("ELEMENT_");
  };
  return numbered_name(name, is_taken);
}

std::string PlannedLaunch::type_inside(const std::string& type) const {
  const std::vector<Token> tokens = tuner::source::tokens_of(type);
  return source.host.type_in(tokens, *inside);
}

bool PlannedLaunch::is_open_type(const std::string& type) const {
  for (const Frame* at = inside; at != nullptr && at->function != nullptr; at = at->caller)
    if (std::ranges::count(at->function->template_parameters, type, &TemplateParameter::name) > 0)
      return true;
  return false;
}

bool is_dimension(const PlannedLaunch& planned, const TemplateParameter& parameter, const Value& value,
                  std::int64_t present) {
  const tuner::source::ProgramLaunch& launch = planned.launch;
  if (present < 2 || is_of_block(parameter.name) || planned.plan.names.contains(value.name)) return false;
  const std::function<bool(const Value&)> has_it = [&](const Value& one) {
    if (one.kind == Value::Kind::number) return one.number != 0 && one.number % present == 0;
    if (one.kind != Value::Kind::symbol) return std::ranges::any_of(one.operands, has_it);
    if (planned.plan.names.contains(one.name)) return false;
    const SymbolFacts& known = planned.facts(one.name);
    return value.kind == Value::Kind::symbol ? one.name == value.name
                                             : known.constant && known.present == present;
  };
  const auto& [x, y, z] = planned.source.launches.front().block;
  const Value threads = tuner::source::multiply(tuner::source::multiply(x, y), z);
  const auto is_it = [&](const Value& one) {
    return one.is(present) || (one.kind != Value::Kind::number && has_it(one));
  };
  if (is_it(x) || is_it(y) || is_it(z) || is_it(threads) || has_it(launch.shared_bytes) ||
      std::ranges::any_of(launch.grid, has_it))
    return false;
  const bool is_in_indices = std::ranges::any_of(planned.source.shapes, [&](const auto& shape) {
    return std::ranges::any_of(
        shape, [&](const std::string& dimension) { return mentions(dimension, parameter.name); });
  });
  return is_in_indices || std::ranges::any_of(launch.arguments, [&](const LaunchArgument& argument) {
           const auto place = static_cast<std::size_t>(&argument - launch.arguments.data());
           if (!argument.bytes.is_known()) return false;
           const std::string type = planned.type_inside(planned.source.kernel.parameters[place].type);
           const Value count = tuner::source::divide(argument.bytes, planned.source.host.size_of(type));
           return std::ranges::any_of(tuner::source::factors_of(count), [&](const Value& factor) {
             // A small number may be in it by chance.
             return present <= 16 && factor.kind != Value::Kind::symbol ? factor.is(present) : has_it(factor);
           });
         });
}

DraftPlan plan_launch(DraftSource& source) {
  PlannedLaunch planned(source);
  find_parameters(planned);
  find_sizes(planned);
  settle_literals(planned);
  say(planned);
  DraftPlan& plan = planned.plan;
  if (plan.sizes.empty()) {
    plan.sizes.emplace_back("N");
    plan.notes.emplace_back("? N stands for nothing: the source fixes all sizes");
  }
  return std::move(plan);
}

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
  if (planned.plan.doubts[key].find(why) != std::string::npos) return;
  planned.plan.add_doubt(key, "? " + why);
  planned.source.ask(fmt::format("{}: {}", key, why));
}

/// Other values than the launched one could leave a part of the output uncomputed.
void keep_launched_value(PlannedLaunch& planned, const std::string& name, std::int64_t number) {
  DraftParameter& one = *planned.plan.parameter(name);
  one.values = {number};
  one.why += fmt::format("\n? does it have to do with the {} of the launch?", number);
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
