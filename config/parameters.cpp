#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "config/spec_reader.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace {

constexpr std::size_t most_entries = 256;
constexpr std::size_t most_metric_columns = 64;

bool is_small_table(const Node& table, std::string_view name, Mistakes& mistakes) {
  if (!is_table(table, fmt::format("\"{}\"", name),
                fmt::format("write [{}], then name = \"expression\"", name), mistakes))
    return false;
  if (table.members.size() > most_entries) {
    mistakes.add(table.where, fmt::format("[{}] has {} entries", name, table.members.size()),
                 fmt::format("at most {}", most_entries));
    return false;
  }
  return true;
}

}  // namespace

void read_derived(const Node& table, bool are_macros, model::KernelSpec& spec, Mistakes& mistakes) {
  if (!is_small_table(table, are_macros ? "macros" : "derived", mistakes)) return;
  for (const Member& member : table.members) {
    check_name(member.key, are_macros ? "macro" : "derived value", member.where, mistakes);
    auto value = read_expression(member.value, member.key, mistakes);
    if (!value) continue;
    spec.derived.push_back({member.key, std::move(*value)});
    if (are_macros) spec.macros.push_back({member.key, member.where});
  }
}

std::vector<model::MetricSpec> read_metrics(const Node& table, Mistakes& mistakes) {
  std::vector<model::MetricSpec> metrics;
  if (!is_small_table(table, "metrics", mistakes)) return metrics;
  for (const Member& member : table.members) {
    const std::string& name = member.key;
    if (name == "time_ms") {
      mistakes.add(member.where, "a metric may not be called \"time_ms\": the name is the time's",
                   "choose another name");
    } else if (name.empty() || name != util::one_line(name) ||
               util::display_width(name) > most_metric_columns) {
      mistakes.add(
          member.where, fmt::format("\"{}\" is no name for a metric", util::one_line(name, 60)),
          fmt::format("one line of at most {} columns, unit included: \"GFLOP/s\"", most_metric_columns));
    }
    if (member.value.kind == Node::Kind::table) {
      mistakes.wrong_type(member.value, fmt::format("the metric \"{}\"", name), "an expression",
                          "a name with a dot, or anything else than letters and digits, stands in quotes");
    } else if (auto value = read_expression(member.value, fmt::format("the metric \"{}\"", name), mistakes,
                                            Numbers::real)) {
      metrics.push_back({name, std::move(*value)});
    }
  }
  return metrics;
}

namespace {

constexpr std::size_t most_parameters = 64;

/// Words become parts of macro names (PARTITION_row), so they are made of what identifiers are made of.
bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// `constraints = [...]` below a [parameters] header is a parameter to TOML; its values give it away.
bool looks_like_constraints(const Member& member) {
  const Node& value = member.value;
  if (value.kind != Node::Kind::list || value.items.empty()) return false;
  return member.key == "constraints" || std::ranges::all_of(value.items, [](const Node& item) {
           return item.kind == Node::Kind::text &&
                  item.text.find_first_of("<>=!&|%*/+()") != std::string::npos;
         });
}

bool is_misplaced(const Member& member, Mistakes& mistakes) {
  if (looks_like_constraints(member)) {
    mistakes.add(
        member.where,
        fmt::format("\"{}\" stands below [parameters], which makes it a parameter, but its values are "
                    "expressions",
                    util::one_line(member.key, 60)),
        fmt::format("move the line to the top of the file, before the first [header], as {} = [...]",
                    member.key == "worth_trying" ? "worth_trying" : "constraints"));
    return true;
  }
  if (member.key == "default" && member.value.kind == Node::Kind::table) {
    mistakes.add(member.where, "\"default\" stands below [parameters], which makes it a parameter",
                 "move the line to [kernel]");
    return true;
  }
  return false;
}

/// Adds `value` unless it is there already, or of another kind than the first.
void add_value(const model::Value& value, const Node& node, model::ParameterSpec& parameter,
               Mistakes& mistakes) {
  std::vector<model::Value>& values = parameter.values;
  if (!values.empty() && values.front().is_word() != value.is_word()) {
    mistakes.add(node.where, fmt::format("{} mixes integers and words", parameter.name),
                 "the values of a parameter are all integers or all words");
  } else if (std::ranges::count(values, value) > 0) {
    mistakes.add(node.where, fmt::format("{} offers {} twice", parameter.name, value.text()),
                 "leave one out");
  } else {
    values.push_back(value);
  }
}

bool is_number(const Node& node) {
  return node.kind == Node::Kind::integer || node.kind == Node::Kind::real;
}

/// As a source spells it: with a point or an exponent, so that it is no integer there.
std::string spelled(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// A word that is put into the source as it is: a type, a template's argument.
bool is_spelling(const std::string& text) {
  return !util::trimmed(text).empty() && text.size() <= 256 && util::one_line(text) == text &&
         text.find_first_of("'\"") == std::string::npos;
}

/// Whether there is a real number among the values, as spelled() writes them.
bool has_real(const std::vector<model::Value>& values) {
  return std::ranges::any_of(values, [](const model::Value& value) {
    const std::string text = value.text();
    constexpr const char* digits = "0123456789";
    return text.find_first_of(digits) == (text.starts_with('-') ? 1 : 0) &&
           text.find_first_of(".e") != std::string::npos &&
           text.find_first_not_of(std::string("-+.e") + digits) == std::string::npos;
  });
}

/// With `as_real` integers are spelled as the real numbers beside them.
std::optional<model::Value> read_spelled(const Node& node, bool as_real, std::string_view what,
                                         Mistakes& mistakes) {
  if (node.kind == Node::Kind::integer && !as_real) return model::Value(std::to_string(node.integer));
  const double number = node.kind == Node::Kind::integer ? static_cast<double>(node.integer) : node.real;
  if (is_number(node) && std::isfinite(number)) return model::Value(spelled(number));
  if (node.kind == Node::Kind::text && is_spelling(node.text)) return model::Value(node.text);
  mistakes.wrong_type(node, what, "a number, or a word as the source has it",
                      "such as \"float4\" or \"Tile<8, 4>\": one line without quotes");
  return std::nullopt;
}

/// A value of `parameter`.
std::optional<model::Value> read_value_of(const model::ParameterSpec& parameter, const Node& node,
                                          std::string_view what, Mistakes& mistakes) {
  return parameter.spelled ? read_spelled(node, has_real(parameter.values), what, mistakes)
                           : read_value(node, what, mistakes);
}

void read_values(const Node& list, model::ParameterSpec& parameter, Mistakes& mistakes) {
  // One real number makes all of them real.
  const bool is_real =
      list.kind == Node::Kind::list && std::ranges::count(list.items, Node::Kind::real, &Node::kind) > 0;
  if (is_real && std::ranges::all_of(list.items, is_number)) parameter.spelled = true;
  if (!is_list(list, parameter.name, "a list of values or a { table }", mistakes)) return;
  if (list.items.empty()) {
    mistakes.add(list.where, fmt::format("{} offers no value", parameter.name),
                 "a list of at least one: [8, 16, 32]");
  }
  for (const Node& item : list.items) {
    const std::string what = "a value of " + parameter.name;
    const auto value =
        parameter.spelled ? read_spelled(item, is_real, what, mistakes) : read_value(item, what, mistakes);
    if (value) add_value(*value, item, parameter, mistakes);
  }
}

/// `from`, `to` and either `times` or `step`.
void read_range(TableReader& reader, model::ParameterSpec& parameter, Mistakes& mistakes) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const Member* first = reader.require(
      "from", "a range is { from = 8, to = 64, times = 2 } or { from = 0, to = 32, step = 8 }");
  const Member* last = reader.require("to", "");
  const auto from = reader.integer("from", -most, most);
  const auto to = reader.integer("to", -most, most);
  const auto times = reader.integer("times", 2, most);
  const auto step = reader.integer("step", 1, most);
  if (first == nullptr || last == nullptr || !from || !to) return;
  const Node& table = reader.table();
  const bool has_times = table.find("times") != nullptr;
  if (has_times == (table.find("step") != nullptr)) {
    mistakes.add(table.where,
                 fmt::format("the range of {} needs either \"times\" or \"step\"", parameter.name));
    return;
  }
  if (!times && !step) return;
  if (*from > *to) {
    mistakes.add(first->value.where,
                 fmt::format("the range of {} starts at {} and ends at {}", parameter.name, *from, *to),
                 "the smaller number first");
    return;
  }
  if (times && *from < 1) {
    mistakes.add(first->value.where, fmt::format("the range of {} starts at {}", parameter.name, *from),
                 "with \"times\" it must start at 1 or more");
    return;
  }
  if (step && (*to - *from) / *step >= static_cast<std::int64_t>(most_items)) {
    mistakes.add(table.where,
                 fmt::format("the range of {} has {} values", parameter.name, (*to - *from) / *step + 1),
                 fmt::format("at most {}", most_items));
    return;
  }
  for (std::int64_t value = *from; value <= *to; value = times ? value * *times : value + *step) {
    parameter.values.emplace_back(value);
  }
}

void read_condition(TableReader& reader, model::ParameterSpec& parameter, Mistakes& mistakes) {
  parameter.when = reader.expression("when");
  const Member* otherwise = reader.take("otherwise");
  const bool has_when = reader.table().find("when") != nullptr;
  const bool words = !parameter.values.empty() && parameter.values.front().is_word();
  if (has_when && otherwise == nullptr && words) {  // integers have 0
    reader.misplaced("when", fmt::format("{} has \"when\" but no \"otherwise\"", parameter.name),
                     "otherwise = the one word it has where \"when\" is false");
  } else if (!has_when && otherwise != nullptr) {
    mistakes.add(otherwise->where, fmt::format("{} has \"otherwise\" but no \"when\"", parameter.name),
                 "when = \"PARTITION == 'block'\" says where the parameter exists");
  }
  if (otherwise == nullptr) return;
  const auto value = read_value_of(parameter, otherwise->value, "\"otherwise\"", mistakes);
  if (!value) return;
  if (!parameter.values.empty() && words != value->is_word()) {
    mistakes.add(otherwise->value.where, fmt::format("{} mixes integers and words", parameter.name),
                 "\"otherwise\" is of the same kind as the values");
  }
  parameter.otherwise = *value;
}

/// `constexpr = true`: what a source sees is a constant instead of a macro.
void read_constant(TableReader& reader, model::ParameterSpec& parameter, Mistakes& mistakes) {
  parameter.constant = reader.boolean("constexpr").value_or(false);
  if (!parameter.constant) return;
  const model::SourceLocation& where = reader.table().find("constexpr")->where;
  if (parameter.runtime) {
    mistakes.add(where, fmt::format("{} is an argument, and no constant of the source", parameter.name),
                 "leave out either \"constexpr\" or \"runtime\"");
  }
  const auto is_type = [](const model::Value& value) {
    const std::string text = value.text();
    return value.is_word() && text.find_first_of("0123456789") != 0 && text.find_first_of("-.") != 0;
  };
  if (parameter.spelled && std::ranges::any_of(parameter.values, is_type)) {
    mistakes.add(where, fmt::format("{} has values that are no numbers", parameter.name),
                 "\"constexpr\" is for numbers; types are macros, \"spelled\"");
  }
}

model::ParameterSpec read_parameter(const Member& member, Mistakes& mistakes) {
  model::ParameterSpec parameter;
  parameter.name = member.key;
  parameter.where = member.where;
  const Node& value = member.value;
  if (value.kind != Node::Kind::table) {
    read_values(value, parameter, mistakes);
    return parameter;
  }
  TableReader reader(value, member.key, mistakes);
  parameter.spelled = reader.boolean("spelled").value_or(false);
  if (const Member* values = reader.take("values")) {
    read_values(values->value, parameter, mistakes);
  } else if (value.find("from") != nullptr || value.find("to") != nullptr) {
    read_range(reader, parameter, mistakes);
  } else {
    mistakes.add(value.where, fmt::format("{} has neither \"values\" nor \"from\" and \"to\"", member.key),
                 "{ values = [1, 2, 4] } or { from = 8, to = 64, times = 2 }");
  }
  read_condition(reader, parameter, mistakes);
  parameter.runtime = reader.boolean("runtime").value_or(false);
  read_constant(reader, parameter, mistakes);
  if (parameter.runtime && parameter.spelled) {
    reader.misplaced(
        "runtime",
        fmt::format("{} is put into the source as it is spelled, so it is a macro", parameter.name),
        "leave out \"runtime\"");
  }
  if (parameter.spelled && !parameter.values.empty() && !parameter.values.front().is_word()) {
    reader.misplaced("spelled", fmt::format("the range of {} has integers", parameter.name),
                     "\"spelled\" is for words; integers are spelled anyway");
  }
  reader.finish();
  return parameter;
}

}  // namespace

std::optional<model::Value> read_value(const Node& node, std::string_view what, Mistakes& mistakes) {
  if (node.kind == Node::Kind::integer) return model::Value(node.integer);
  if (node.kind == Node::Kind::text && is_word(node.text)) return model::Value(node.text);
  const std::string hint = node.kind == Node::Kind::boolean ? "write 0 and 1 for a switch"
                           : node.kind == Node::Kind::text  ? "words are letters, digits and underscores"
                                                            : "";
  mistakes.wrong_type(node, what, "an integer or a word", hint);
  return std::nullopt;
}

void read_parameters(const Node& table, SpecContext& context) {
  if (!is_table(table, "\"parameters\"", "write [parameters], then NAME = [values]", context.mistakes))
    return;
  if (table.members.size() > most_parameters) {
    context.mistakes.add(table.where, fmt::format("{} parameters", table.members.size()),
                         fmt::format("at most {}", most_parameters));
    return;
  }
  for (const Member& member : table.members) {
    if (is_misplaced(member, context.mistakes)) continue;
    check_name(member.key, "parameter", member.where, context.mistakes);
    context.spec.parameters.push_back(read_parameter(member, context.mistakes));
  }
}

void read_defaults(SpecContext& context) {
  if (context.defaults == nullptr) return;
  const Node& table = *context.defaults;
  if (!is_table(table, "\"default\"", "default = { BLOCK_SIZE = 16 }", context.mistakes)) return;
  std::vector<std::string_view> names;
  for (const model::ParameterSpec& parameter : context.spec.parameters) names.push_back(parameter.name);
  for (const Member& member : table.members) {
    const auto found = std::ranges::find(names, member.key);
    if (found == names.end()) {
      std::string hint = util::did_you_mean(member.key, names, '\"');
      if (hint.empty() && !names.empty()) hint = "the parameters are " + util::listed(names);
      context.mistakes.add(member.where,
                           fmt::format("\"default\" sets \"{}\", which is no parameter", member.key),
                           std::move(hint));
      continue;
    }
    const model::ParameterSpec& parameter =
        context.spec.parameters[static_cast<std::size_t>(found - names.begin())];
    const auto value =
        read_value_of(parameter, member.value, "the default of " + member.key, context.mistakes);
    if (!value) continue;
    const bool offered =
        std::ranges::count(parameter.values, *value) > 0 || (parameter.when && parameter.otherwise == *value);
    if (!offered && !parameter.values.empty()) {
      context.mistakes.add(member.value.where, fmt::format("{} does not offer {}", member.key, value->text()),
                           "the default is one of the parameter's values");
      continue;
    }
    context.spec.defaults.push_back({member.key, *value});
  }
}

}  // namespace config
