#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reports/svg_chart.hpp"
#include "reports/table.hpp"

namespace reports {

/// What a report says, before it is said in Markdown. All text is plain; the writer escapes it.
struct Heading {
  int level = 2;
  std::string text;
};
struct Paragraph {
  std::string text;  ///< between two backticks: a command or a name as it is typed
};
/// Facts by name: `driver` — `580.159.04`.
struct Facts {
  std::vector<std::pair<std::string, std::string>> entries;
};
struct Code {
  std::string text;
};
struct Figure {
  std::string name;  ///< file name without extension, unique in the document
  Chart chart;
};
/// A list of the document's headings down to the third level, each a link.
struct Contents {};
using Block = std::variant<Heading, Paragraph, Facts, Table, Code, Figure, Contents>;

struct Document {
  std::string title;
  std::vector<Block> blocks;

  void add(Block block) { blocks.push_back(std::move(block)); }
  /// A table, then what the marks in it mean (see field.hpp).
  void add_table(Table table);
  /// A figure whose file name is made from `name`; a number is added where it is taken. Nothing for an empty
  /// chart.
  void add_figure(const std::string& name, Chart chart);
};

struct SvgFile {
  std::string name;  ///< `chart-matmul.svg`
  std::string text;
};

/// Every figure of a document as a file of its own.
std::vector<SvgFile> svg_files(const Document& document);

/// Figures become links to `figure_folder` + NAME.svg (write them with svg_files), or are left out where it
/// is null.
std::string to_markdown(const Document& document, const std::string* figure_folder = nullptr);

}  // namespace reports
