#include "config/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "tuner/util/text.hpp"

namespace config {

const Member* Node::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

std::string Node::described() const {
  switch (kind) {
    case Kind::text:
      return fmt::format("string \"{}\"", util::one_line(text, 40));
    case Kind::integer:
      return fmt::format("integer {}", integer);
    case Kind::real:
      return fmt::format("number {}", real);
    case Kind::boolean:
      return boolean ? "boolean true" : "boolean false";
    case Kind::time:
      return "date or time";
    case Kind::list:
      return fmt::format("list of {}", items.size());
    case Kind::table:
      return "table";
  }
  return "value";
}

void Mistakes::add(model::SourceLocation where, std::string message, std::string hint) {
  m_list.push_back({std::move(where), std::move(message), std::move(hint)});
}

void Mistakes::wrong_type(const Node& found, std::string_view what, std::string_view expected,
                          std::string hint) {
  add(found.where, fmt::format("{} must be {}, found {}", what, expected, found.described()),
      std::move(hint));
}

std::vector<model::Diagnostic> Mistakes::take() {
  std::ranges::stable_sort(m_list, [](const model::Diagnostic& a, const model::Diagnostic& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) <
           std::tie(b.where.file, b.where.line, b.where.column);
  });
  return std::exchange(m_list, {});
}

namespace {

constexpr std::size_t gutter_columns = 8;

std::optional<std::string_view> line_of(std::string_view text, int number) {
  for (int i = 1; i < number; ++i) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// The line with a caret below its character `column`, the gutter showing its number.
std::string quoted(std::string_view line, int number, int column, std::size_t columns) {
  const std::size_t room =
      std::clamp(columns, gutter_columns + 8, widest_diagnostic_columns) - gutter_columns;
  const std::size_t columns_before_caret = room * 3 / 8;
  auto before = static_cast<std::size_t>(std::max(column, 1) - 1);
  std::string_view ellipsis;
  if (before > columns_before_caret) {
    line.remove_prefix(util::bytes_of_characters(line, before - columns_before_caret));
    before = columns_before_caret;
    ellipsis = "\u2026";
  }
  const std::string head = util::one_line(line.substr(0, util::bytes_of_characters(line, before)));
  const std::string indent(util::display_width(ellipsis) + util::display_width(head), ' ');
  const std::string tail = util::one_line(line.substr(util::bytes_of_characters(line, before)),
                                          room - std::min(room - 1, indent.size()));
  return fmt::format("{:5} | {}{}{}\n      | {}^", number, ellipsis, head, tail, indent);
}

}  // namespace

std::string diagnostic_text(const model::Diagnostic& diagnostic, std::span<const model::SourceText> texts,
                            std::size_t columns) {
  const model::SourceLocation& where = diagnostic.where;
  std::string text =
      util::wrapped_message(util::one_line(fmt::format("{}: {}", where.text(), diagnostic.message)), columns);
  const auto file = std::ranges::find(texts, where.file, &model::SourceText::name);
  if (where.line > 0 && file != texts.end()) {
    if (const auto line = line_of(file->text, where.line)) {
      text += quoted(*line, where.line, where.column, columns) + '\n';
    }
  }
  if (!diagnostic.hint.empty())
    text += util::wrapped_message("  " + util::one_line(diagnostic.hint), columns);
  text.pop_back();
  return text;
}

std::string diagnostics_text(std::span<const model::Diagnostic> diagnostics,
                             std::span<const model::SourceText> texts, std::size_t columns) {
  std::string all;
  for (const model::Diagnostic& diagnostic : diagnostics) {
    if (!all.empty()) all += '\n';
    all += diagnostic_text(diagnostic, texts, columns);
  }
  return all;
}

}  // namespace config
