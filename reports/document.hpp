#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reports/table.hpp"

namespace reports {

struct Tick {
  double value = 0;
  std::string label;
};

/// Ticks from 0 at steps of 1, 2 or 5 times a power of ten, the last at or above `max`; about five of them.
std::vector<Tick> linear_ticks(double max);

/// Ticks at powers of two within [min, max], every second or third one where there are more than `most`; at
/// the ends themselves where fewer than two powers lie between. Requires 0 < min <= max.
std::vector<Tick> binary_ticks(double min, double max, int most);

/// Moves positions apart so that neighbours in rising order are at least `gap` apart and all lie in [low,
/// high] if there is room; keeps their order and moves them no further than needed. Answers in the order
/// given.
std::vector<double> spread_apart(const std::vector<double>& wanted, double gap, double low, double high);

struct Point {
  double x = 0;
  double y = 0;
  bool approximate = false;  ///< drawn hollow
};

struct Series {
  std::string name;
  std::vector<Point> points;  ///< by rising x; x > 0, y >= 0 and finite
};

/// A line chart: y from zero, x on a logarithmic axis of base 2, one line a series with its name at its end.
struct Chart {
  std::string title;
  std::string x_label;  ///< with unit
  std::string y_label;  ///< with unit
  std::vector<Series> series;

  bool empty() const;
};

/// A self-contained SVG of 860 × 480 units: own style, light and dark by prefers-color-scheme, the colours of
/// Okabe and Ito (Color Universal Design, 2008), which people with any colour vision tell apart; markers and
/// dashes differ too. Points outside the contract of Series are left out.
std::string render_svg(const Chart& chart);

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
