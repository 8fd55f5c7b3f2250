#include "config/planned_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

bool DraftPlan::has_parameter(const std::string& name) const {
  return std::ranges::count(parameters, name, &DraftParameter::name) > 0;
}

void PlannedLaunch::add_parameter(std::string name, std::string values, std::string why, std::string usual) {
  if (plan.has_parameter(name)) return;
  plan.parameters.push_back({std::move(name), std::move(values), std::move(why), std::move(usual)});
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
  std::string free = name;
  for (int number = 2; is_taken(free); ++number) free = fmt::format("{}_{}", name, number);
  return free;
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

}  // namespace config
