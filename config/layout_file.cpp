#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "config/kernel_file.hpp"
#include "config/mistakes.hpp"
#include "config/source_files.hpp"
#include "config/spec_reader.hpp"
#include "tuner/model/error.hpp"

namespace config {
namespace layout = model::layout;
namespace {

std::vector<std::string> strings(TableReader& reader, std::string_view key) {
  std::vector<std::string> out;
  for (const Node* node : reader.texts(key)) out.push_back(node->text);
  return out;
}

/// `{ BLOCK_X = 8, PARTITION = "row" }`
std::vector<model::Assignment> read_assignments(const Node& table, Mistakes& mistakes) {
  std::vector<model::Assignment> out;
  if (table.kind != Node::Kind::table) {
    mistakes.wrong_type(table, "a selection of parameters", "a table such as { BLOCK_SIZE = 32 }");
    return out;
  }
  for (const Member& member : table.members) {
    if (auto value = read_value(member.value, member.key, mistakes))
      out.push_back({member.key, std::move(*value)});
  }
  return out;
}

layout::Filter read_filter(TableReader& reader) {
  layout::Filter filter;
  filter.family = reader.text("family").value_or("");
  filter.kernels = strings(reader, "kernels");
  filter.sizes = strings(reader, "sizes");
  filter.row_padding = reader.integer("row_padding", 0, 1 << 20).value_or(0);
  if (const Member* fixed = reader.take("where"))
    filter.fixed = read_assignments(fixed->value, reader.mistakes());
  return filter;
}

layout::Field read_field(const Node& node, Mistakes& mistakes) {
  layout::Field field;
  if (node.kind == Node::Kind::text) {
    field.name = node.text;
    return field;
  }
  TableReader reader(node, "a cell", mistakes);
  field.name = reader.required_text("field", "field = \"time_ms\", or the name of a metric").value_or("");
  field.heading = reader.text("heading").value_or("");
  if (const Member* scale = reader.take("scale")) {
    if (scale->value.kind == Node::Kind::real)
      field.scale = scale->value.real;
    else if (scale->value.kind == Node::Kind::integer)
      field.scale = static_cast<double>(scale->value.integer);
    else
      mistakes.wrong_type(scale->value, "\"scale\"", "a number");
  }
  reader.finish();
  return field;
}

layout::Axis::Choice read_choice(const Node& node, Mistakes& mistakes) {
  layout::Axis::Choice choice;
  if (node.kind == Node::Kind::text) {
    choice.label = node.text;
    return choice;
  }
  TableReader reader(node, "a choice", mistakes);
  choice.label = reader.required_text("label", "label = what the table says").value_or("");
  choice.kernel = reader.text("kernel").value_or("");
  if (const Member* where = reader.take("where")) choice.where = read_assignments(where->value, mistakes);
  reader.finish();
  return choice;
}

/// `"size"`, `"kernel"`, or a table with `by`.
layout::Axis read_axis(const Node& node, Mistakes& mistakes) {
  using Kind = layout::Axis::Kind;
  constexpr std::pair<std::string_view, Kind> kinds[] = {{"size", Kind::size},
                                                         {"parameter", Kind::parameter},
                                                         {"kernel", Kind::kernel},
                                                         {"choice", Kind::choice}};
  layout::Axis axis;
  std::string by = node.text;
  if (node.kind == Node::Kind::table) {
    TableReader reader(node, "an axis", mistakes);
    by =
        reader.required_text("by", "by = \"size\", \"parameter\", \"kernel\" or \"choice\"").value_or("size");
    axis.heading = reader.text("heading").value_or("");
    axis.parameters = strings(reader, "parameters");
    for (const Node& item : reader.items("choices", "a list"))
      axis.choices.push_back(read_choice(item, mistakes));
    reader.finish();
  } else if (node.kind != Node::Kind::text) {
    mistakes.wrong_type(node, "an axis", "\"size\", \"kernel\", or a table with \"by\"");
    return axis;
  }
  for (const auto& [name, kind] : kinds) {
    if (name == by) {
      axis.kind = kind;
      return axis;
    }
  }
  mistakes.add(node.where, fmt::format("no axis goes by \"{}\"", by), "size, parameter, kernel or choice");
  return axis;
}

std::vector<layout::Axis> read_axes(TableReader& reader, std::string_view key) {
  std::vector<layout::Axis> axes;
  for (const Node& item : reader.items(key, "a list of axes"))
    axes.push_back(read_axis(item, reader.mistakes()));
  return axes;
}

std::optional<layout::Field> read_cell(TableReader& reader) {
  const Member* cell = reader.require("cell", "cell = \"time_ms\", or the name of a metric");
  if (cell == nullptr) return std::nullopt;
  return read_field(cell->value, reader.mistakes());
}

layout::TableLayout read_table(const Node& node, Mistakes& mistakes) {
  layout::TableLayout table;
  TableReader reader(node, "[[table]]", mistakes);
  table.title = reader.required_text("title", "title = the heading above the table").value_or("");
  table.caption = reader.text("caption").value_or("");
  table.filter = read_filter(reader);
  table.rows = read_axes(reader, "rows");
  table.columns = read_axes(reader, "columns");
  if (auto cell = read_cell(reader)) table.cell = std::move(*cell);
  for (const Node& item : reader.items("extra", "a list of cells"))
    table.extra.push_back(read_field(item, mistakes));
  for (const Node& item : reader.items("not_applicable", "a list of tables")) {
    TableReader rule(item, "a not_applicable rule", mistakes);
    layout::NotApplicable entry;
    entry.parameter =
        rule.required_text("parameter", "the parameter that may exceed a dimension").value_or("");
    entry.dimension = rule.required_text("dimension", "the size it may exceed").value_or("");
    rule.finish();
    table.not_applicable.push_back(std::move(entry));
  }
  reader.finish();
  return table;
}

layout::ChartLayout read_chart(const Node& node, Mistakes& mistakes) {
  layout::ChartLayout chart;
  TableReader reader(node, "[[chart]]", mistakes);
  chart.title = reader.required_text("title", "title = the heading above the chart").value_or("");
  chart.filter = read_filter(reader);
  if (const Member* series = reader.take("series")) chart.series = read_axis(series->value, mistakes);
  if (auto cell = read_cell(reader)) chart.cell = std::move(*cell);
  reader.finish();
  return chart;
}

layout::Layout read_document(const Node& document, Mistakes& mistakes) {
  layout::Layout result;
  TableReader reader(document, "the file", mistakes);
  result.title = reader.required_text("title", "title = the document's heading").value_or("");
  result.introduction = reader.text("introduction").value_or("");
  for (const Node& item : reader.items("table", "[[table]] entries"))
    result.tables.push_back(read_table(item, mistakes));
  for (const Node& item : reader.items("chart", "[[chart]] entries"))
    result.charts.push_back(read_chart(item, mistakes));
  reader.finish();
  return result;
}

layout::Layout parse(const std::string& text, const std::string& file, const std::string& name) {
  const std::vector<model::SourceText> texts = {{file, text}};
  std::vector<model::Diagnostic> diagnostics;
  auto document = parse_toml(text, file);
  if (auto* mistake = std::get_if<model::Diagnostic>(&document)) {
    diagnostics.push_back(std::move(*mistake));
  } else {
    Mistakes mistakes;
    layout::Layout result = read_document(std::get<Node>(document), mistakes);
    result.name = name;
    diagnostics = mistakes.take();
    if (diagnostics.empty()) return result;
  }
  throw model::UsageError(diagnostics_text(diagnostics, texts), "docs/reports.md describes layouts");
}

layout::Layout read_file(const std::string& path) {
  const FileText file = DiskFiles().read(path);
  if (!file.problem.empty()) throw model::UsageError(fmt::format("{}: {}", path, file.problem));
  return parse(file.text, path, std::filesystem::path(path).stem().stem().string());
}

}  // namespace

layout::Layout load_layout(std::span<const model::EmbeddedFile> shipped, const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return read_file(name);
  std::vector<std::string> names;
  for (const model::EmbeddedFile& file : shipped) {
    const std::string base = std::filesystem::path(file.path).filename().string();
    if (!base.ends_with(layout_suffix)) continue;
    names.push_back(base.substr(0, base.size() - layout_suffix.size()));
    if (names.back() == name)
      return parse(std::string(file.text), fmt::format("{}{}", tuner::model::shipped_prefix, file.path),
                   name);
  }
  throw model::UsageError(
      fmt::format("no report layout is called '{}'", name),
      fmt::format("shipped: {}; or give the path of a {} file", fmt::join(names, ", "), layout_suffix));
}

}  // namespace config
