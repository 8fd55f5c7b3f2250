#include "reports/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "reports/field.hpp"
#include "reports/text.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/text.hpp"

namespace reports {

std::span<const tuner::model::EmbeddedFile> embedded_files();  // generated

namespace {

std::string_view embedded(std::string_view path) {
  for (const tuner::model::EmbeddedFile& file : embedded_files()) {
    if (file.path == path) return file.text;
  }
  throw tuner::model::Error("the binary lacks the style sheet " + std::string(path));
}

}  // namespace

std::string_view chart_style() {
  return embedded("chart.css");
}
std::string_view page_style() {
  return embedded("page.css");
}

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

std::vector<std::string> anchors(const std::vector<Block>& blocks) {
  std::vector<std::string> out(blocks.size());
  std::map<std::string, int> taken;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto* heading = std::get_if<Heading>(&blocks[i]);
    const auto* fold = std::get_if<Fold>(&blocks[i]);
    if (heading == nullptr && fold == nullptr) continue;
    const std::string base = slug(heading != nullptr ? heading->text : fold->summary);
    const int before = taken[base]++;
    out[i] = before == 0 ? base : fmt::format("{}-{}", base, before);
  }
  return out;
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

/// A path as a link target: everything that could end the link is percent-encoded.
std::string link_target(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool safe = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '-' || c == '_' || c == '.' || c == '/';
    out += safe ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
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
    return in_lines(line_start_safe(markdown_text(paragraph.text)), 0);
  }
  std::string operator()(const Facts& facts) const {
    std::string out;
    for (const auto& [name, value] : facts.entries) {
      out += in_lines(fmt::format("- **{}:** {}", markdown_text(name), markdown_text(value)), 2);
    }
    return out;
  }
  std::string operator()(const Table& table) const { return table.markdown(); }
  std::string operator()(const Code& code) const { return markdown_code_block(code.text); }
  std::string operator()(const Figure& figure) const {
    if (m_figure_folder == nullptr) return "";
    const std::string target = link_target(*m_figure_folder + figure.name + ".svg");
    return fmt::format("![{}]({})\n", markdown_text(figure.chart.title), target);
  }

  std::string operator()(const Contents&) const {
    std::string out;
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
      const auto* heading = std::get_if<Heading>(&m_blocks[i]);
      if (heading == nullptr) continue;
      const std::string indent(static_cast<std::size_t>(std::max(0, heading->level - 2)) * 2, ' ');
      out += fmt::format("{}- [{}](#{})\n", indent, markdown_text(heading->text), m_anchors[i]);
    }
    return out;
  }
  /// Not every reader of Markdown folds: there it is a section.
  std::string operator()(const Fold& fold) const {
    return fmt::format("#### {}\n", markdown_text(fold.summary));
  }
  std::string operator()(const EndFold&) const { return ""; }

 private:
  /// Text over several lines, `hanging` blanks before those behind the first.
  static std::string in_lines(const std::string& text, std::size_t hanging) {
    std::string out;
    for (const std::string& line : tuner::util::wrapped(text, line_columns)) {
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

namespace {

const char* cell_environment(const std::string& cell, Align align) {
  const bool number = align == Align::right;
  if (cell.rfind("✗ ", 0) == 0) return number ? "number failed" : "failed";
  if (cell == "NA" || cell == "-") return number ? "number absent" : "absent";
  return number ? "number" : "";
}

std::string element(const char* tag, const char* kind, const std::string& content) {
  if (*kind == '\0') return fmt::format("<{0}>{1}</{0}>", tag, html_text(content));
  return fmt::format("<{0} class=\"{1}\">{2}</{0}>", tag, kind, html_text(content));
}

std::string environments(const Column& column, const std::string& own) {
  if (column.drop == 0) return own;
  return own.empty() ? "minor" : own + " minor";
}

/// What stands between two backticks as code.
std::string with_code(std::string_view html) {
  std::string out;
  while (true) {
    const std::size_t begin = html.find('`');
    const std::size_t end = begin == std::string_view::npos ? begin : html.find('`', begin + 1);
    if (end == std::string_view::npos) return out.append(html);
    out.append(html.substr(0, begin)).append("<code>").append(html.substr(begin + 1, end - begin - 1));
    out.append("</code>");
    html.remove_prefix(end + 1);
  }
}

/// Writes one document's blocks, in order.
class HtmlWriter {
 public:
  explicit HtmlWriter(const Document& document)
      : m_blocks(document.blocks), m_anchors(anchors(document.blocks)) {}

  std::string write() {
    std::string out;
    for (m_at = 0; m_at < m_blocks.size(); ++m_at) out += std::visit(*this, m_blocks[m_at]);
    return out;
  }

  std::string operator()(const Heading& heading) const {
    return fmt::format("<h{0} id=\"{2}\">{1}</h{0}>\n", heading.level, html_text(heading.text),
                       m_anchors[m_at]);
  }
  std::string operator()(const Paragraph& paragraph) const {
    return fmt::format("<p>{}</p>\n", with_code(html_text(paragraph.text)));
  }
  std::string operator()(const Facts& facts) const {
    std::string out = "<dl>\n";
    for (const auto& [name, value] : facts.entries)
      out += element("dt", "", name) + element("dd", "", value) + '\n';
    return out + "</dl>\n";
  }
  std::string operator()(const Table& table) const {
    std::string out = "<div class=\"wide\"><table>\n<thead><tr>";
    for (const Column& column : table.columns()) {
      const char* own = column.align == Align::right ? "number" : "";
      out += element("th", environments(column, own).c_str(), column.heading);
    }
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows()) {
      out += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const Column& column = table.columns()[i];
        out += element("td", environments(column, cell_environment(row[i], column.align)).c_str(), row[i]);
      }
      out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n";
  }
  std::string operator()(const Code& code) const {
    return fmt::format("<pre>{}</pre>\n", html_text(code.text));
  }
  std::string operator()(const Figure& figure) const {
    return fmt::format("<figure>\n{}</figure>\n", render_svg(figure.chart));
  }
  std::string operator()(const Contents&) const {
    std::string out = "<nav>\n";
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
      const auto* heading = std::get_if<Heading>(&m_blocks[i]);
      if (heading == nullptr) continue;
      out += fmt::format("<a class=\"level{}\" href=\"#{}\">{}</a>\n", heading->level, m_anchors[i],
                         html_text(heading->text));
    }
    return out + "</nav>\n";
  }
  std::string operator()(const Fold& fold) const {
    return fmt::format("<details id=\"{}\">\n<summary>{}</summary>\n", m_anchors[m_at],
                       html_text(fold.summary));
  }
  std::string operator()(const EndFold&) const { return "</details>\n"; }

 private:
  const std::vector<Block>& m_blocks;
  std::vector<std::string> m_anchors;
  std::size_t m_at = 0;
};

}  // namespace

std::string to_html(const Document& document) {
  const std::string title = html_text(document.title);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      title, page_style());
  out += HtmlWriter(document).write();
  return out + "</body>\n</html>\n";
}

}  // namespace reports
