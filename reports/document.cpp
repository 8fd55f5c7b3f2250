#include "reports/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

}  // namespace reports
