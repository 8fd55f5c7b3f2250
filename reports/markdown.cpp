#include <fmt/format.h>

#include "reports/document.hpp"
#include "reports/text.hpp"

namespace reports {
namespace {

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
  explicit MarkdownWriter(const std::string* figure_folder) : m_figure_folder(figure_folder) {}

  std::string operator()(const Heading& heading) const {
    return fmt::format("{} {}\n", std::string(static_cast<std::size_t>(heading.level), '#'),
                       markdown_text(heading.text));
  }
  std::string operator()(const Paragraph& paragraph) const {
    return line_start_safe(markdown_text(paragraph.text)) + '\n';
  }
  std::string operator()(const Facts& facts) const {
    std::string out;
    for (const auto& [name, value] : facts.entries) {
      out += fmt::format("- **{}:** {}\n", markdown_text(name), markdown_text(value));
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

 private:
  /// Signs that mean a list or a rule at the start of a line alone.
  static std::string line_start_safe(std::string text) {
    if (!text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == '=')) text.insert(0, 1, '\\');
    return text;
  }

  const std::string* m_figure_folder;
};

}  // namespace

std::string to_markdown(const Document& document, const std::string* figure_folder) {
  std::string out = fmt::format("# {}\n", markdown_text(document.title));
  const MarkdownWriter writer(figure_folder);
  for (const Block& block : document.blocks) {
    const std::string text = std::visit(writer, block);
    if (!text.empty()) out += '\n' + text;
  }
  return out;
}

}  // namespace reports
