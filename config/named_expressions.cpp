#include <fmt/format.h>

#include "config/identifiers.hpp"
#include "config/spec_context.hpp"
#include "config/table_reader.hpp"
#include "tuner/util/text.hpp"

namespace config {
namespace model = tuner::model;
namespace util = tuner::util;
namespace {

constexpr std::size_t most_entries = 256;
constexpr std::size_t most_metric_columns = 64;

bool is_small_table(const Node& table, std::string_view name, Mistakes& mistakes) {
  if (table.kind != Node::Kind::table) {
    mistakes.wrong_type(table, fmt::format("\"{}\"", name), "a table",
                        fmt::format("write [{}], then name = \"expression\"", name));
    return false;
  }
  if (table.members.size() > most_entries) {
    mistakes.add(table.where, fmt::format("[{}] has {} entries", name, table.members.size()),
                 fmt::format("at most {}", most_entries));
    return false;
  }
  return true;
}

}  // namespace

std::vector<model::NamedExpression> read_derived(const Node& table, Mistakes& mistakes) {
  std::vector<model::NamedExpression> derived;
  if (!is_small_table(table, "derived", mistakes)) return derived;
  for (const Member& member : table.members) {
    check_name(member.key, "derived value", member.where, mistakes);
    if (auto value = read_expression(member.value, member.key, mistakes)) {
      derived.push_back({member.key, std::move(*value)});
    }
  }
  return derived;
}

void read_macros(const Node& table, model::KernelSpec& spec, Mistakes& mistakes) {
  if (!is_small_table(table, "macros", mistakes)) return;
  for (const Member& member : table.members) {
    check_name(member.key, "macro", member.where, mistakes);
    if (auto value = read_expression(member.value, member.key, mistakes)) {
      spec.derived.push_back({member.key, std::move(*value)});
      spec.macros.push_back({member.key, member.where});
    }
  }
}

std::vector<model::MetricSpec> read_metrics(const Node& table, Mistakes& mistakes) {
  std::vector<model::MetricSpec> metrics;
  if (!is_small_table(table, "metrics", mistakes)) return metrics;
  for (const Member& member : table.members) {
    const std::string& name = member.key;
    if (name.empty() || name != util::one_line(name) || util::display_width(name) > most_metric_columns) {
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

}  // namespace config
