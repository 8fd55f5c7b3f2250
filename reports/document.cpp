#include "reports/document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/field.hpp"
#include "reports/text.hpp"

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

}  // namespace reports
