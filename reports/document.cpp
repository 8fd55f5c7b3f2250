#include "reports/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "reports/layout.hpp"
#include "reports/text.hpp"
#include "tuner/util/text.hpp"

namespace reports {

void Document::add_table(Table table) {
  std::string marks = legend(table);
  add(std::move(table));
  if (!marks.empty()) add(Paragraph{std::move(marks)});
}

void Document::add_figure(const std::string& name, Chart chart) {
  if (chart.empty()) return;
  const auto taken = [this](const std::string& candidate) {
    return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
      const auto* figure = std::get_if<Figure>(&block);
      return figure != nullptr && figure->name == candidate;
    });
  };
  const std::string base = slug(name);
  std::string unique = base;
  for (int number = 2; taken(unique); ++number) unique = fmt::format("{}-{}", base, number);
  add(Figure{std::move(unique), std::move(chart)});
}

std::vector<SvgFile> svg_files(const Document& document) {
  std::vector<SvgFile> out;
  for (const Block& block : document.blocks) {
    if (const auto* figure = std::get_if<Figure>(&block)) {
      out.push_back({figure->name + ".svg", render_svg(figure->chart)});
    }
  }
  return out;
}

namespace {

/// Of what is text; a table's row stays one line.
constexpr std::size_t line_columns = 118;
constexpr int deepest_listed = 3;

/// As GitHub names the place of a heading: `g++ 12.2, L2 warm` is at `g-122-l2-warm`.
std::string anchor_of(const std::string& heading) {
  std::string out;
  for (const char c : tuner::util::lower(heading)) {
    const bool stays =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || (c & 0x80) != 0;
    if (stays || c == ' ') out += c == ' ' ? '-' : c;
  }
  return out;
}

/// Where each heading is to be found, by its block, with a number where several have one name.
std::vector<std::string> anchors(const std::vector<Block>& blocks) {
  std::vector<std::string> out(blocks.size());
  std::map<std::string, int> taken;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto* heading = std::get_if<Heading>(&blocks[i]);
    if (heading == nullptr) continue;
    const std::string base = anchor_of(heading->text);
    const int before = taken[base]++;
    out[i] = before == 0 ? base : fmt::format("{}-{}", base, before);
  }
  return out;
}

constexpr const char* unbroken_blank = "\u00A0";

/// Text in which what stands between backticks is code, with blanks that no line is broken at: a line that
/// began in the middle of code might be a heading or a list. Backticks that have no such meaning are text.
std::string with_code(const std::string& text) {
  constexpr std::size_t longest = 100;
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = text.find('`', at);
    const std::size_t close = open == std::string::npos ? open : text.find('`', open + 1);
    const bool is_code = close != std::string::npos && close > open + 1 && close < open + longest &&
                         text.find('`', close + 1) != close + 1;
    if (!is_code) return out + markdown_text(std::string_view(text).substr(at));
    out += markdown_text(std::string_view(text).substr(at, open - at)) + '`';
    for (const char c :
         tuner::util::one_line(tuner::util::valid_utf8(text.substr(open + 1, close - open - 1))))
      out += c == ' ' ? unbroken_blank : std::string(1, c);
    out += '`';
    at = close + 1;
  }
}

std::string with_usual_blanks(std::string line) {
  const std::string_view blank = unbroken_blank;
  for (std::size_t at = line.find(blank); at != std::string::npos; at = line.find(blank, at))
    line.replace(at, blank.size(), " ");
  return line;
}

/// Blocks as GitHub Markdown; every one ends with a newline, and a blank line goes between two.
class MarkdownWriter {
 public:
  MarkdownWriter(const Document& document, const std::string* figure_folder)
      : m_blocks(document.blocks), m_anchors(anchors(document.blocks)), m_figure_folder(figure_folder) {}

  std::string operator()(const Heading& heading) const {
    return fmt::format("{} {}\n", std::string(static_cast<std::size_t>(heading.level), '#'),
                       markdown_text(heading.text));
  }
  std::string operator()(const Paragraph& paragraph) const {
    return in_lines(line_start_safe(with_code(paragraph.text)), 0);
  }
  std::string operator()(const Facts& facts) const {
    std::string out;
    for (const auto& [name, value] : facts.entries) {
      out += in_lines(fmt::format("- **{}:** {}", markdown_text(name), with_code(value)), 2);
    }
    return out;
  }
  std::string operator()(const Table& table) const { return table.markdown(); }
  std::string operator()(const Code& code) const { return markdown_code_block(code.text); }
  std::string operator()(const Figure& figure) const {
    if (m_figure_folder == nullptr) return "";
    const std::string target = tuner::util::percent_encoded(*m_figure_folder + figure.name + ".svg");
    return fmt::format("![{}]({})\n", markdown_text(figure.chart.title), target);
  }

  std::string operator()(const Contents&) const {
    std::string out;
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
      const auto* heading = std::get_if<Heading>(&m_blocks[i]);
      if (heading == nullptr || heading->level > deepest_listed) continue;
      const std::string indent(static_cast<std::size_t>(std::max(0, heading->level - 2)) * 2, ' ');
      out += fmt::format("{}- [{}](#{})\n", indent, markdown_text(heading->text), m_anchors[i]);
    }
    return out;
  }

 private:
  /// Text over several lines, `hanging` blanks before those behind the first.
  static std::string in_lines(const std::string& text, std::size_t hanging) {
    std::string out;
    for (const std::string& broken : tuner::util::wrapped(text, line_columns)) {
      const std::string line = with_usual_blanks(broken);
      if (out.empty())
        out = line + '\n';
      else
        out += std::string(hanging, ' ') + line_start_safe(line) + '\n';
    }
    return out;
  }

  /// Signs that mean a list or a rule at the start of a line alone.
  static std::string line_start_safe(std::string text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == '=')) text.insert(0, 1, '\\');
    if (text.starts_with("1. ") || text.starts_with("1) ")) text.insert(1, 1, '\\');  // a list begins
    return text;
  }

  const std::vector<Block>& m_blocks;
  std::vector<std::string> m_anchors;
  const std::string* m_figure_folder;
};

}  // namespace

std::string to_markdown(const Document& document, const std::string* figure_folder) {
  std::string out = fmt::format("# {}\n", markdown_text(document.title));
  const MarkdownWriter writer(document, figure_folder);
  for (const Block& block : document.blocks) {
    const std::string text = std::visit(writer, block);
    if (!text.empty()) out += '\n' + text;
  }
  return out;
}

}  // namespace reports
