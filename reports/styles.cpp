#include "reports/styles.hpp"

#include <span>

#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"

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

}  // namespace reports
