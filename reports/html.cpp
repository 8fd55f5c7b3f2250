#include <fmt/format.h>

#include "reports/document.hpp"
#include "reports/styles.hpp"
#include "reports/text.hpp"

namespace reports {
namespace {

const char* cell_class(const std::string& cell, Align align) {
  const bool number = align == Align::right;
  if (cell.rfind("✗ ", 0) == 0) return number ? "number failed" : "failed";
  if (cell == "NA" || cell == "-") return number ? "number absent" : "absent";
  return number ? "number" : "";
}

std::string element(const char* tag, const char* kind, const std::string& content) {
  if (*kind == '\0') return fmt::format("<{0}>{1}</{0}>", tag, html_text(content));
  return fmt::format("<{0} class=\"{1}\">{2}</{0}>", tag, kind, html_text(content));
}

std::string classes(const Column& column, const std::string& own) {
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
      out += element("th", classes(column, own).c_str(), column.heading);
    }
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows()) {
      out += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const Column& column = table.columns()[i];
        out += element("td", classes(column, cell_class(row[i], column.align)).c_str(), row[i]);
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
