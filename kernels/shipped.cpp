#include "kernels/shipped.hpp"

#include <string>
#include <vector>

namespace kernels {

std::span<const tuner::model::EmbeddedFile> embedded_files();  // generated

std::span<const tuner::model::EmbeddedFile> shipped() {
  return embedded_files();
}

namespace {

/// The text on the first line `key = "…"` of `table`; empty where it has none.
std::string_view text_of(std::string_view table, std::string_view key) {
  const std::string begin = "\n" + std::string(key) + " = \"";
  const std::size_t at = table.find(begin);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = table.substr(at + begin.size());
  return rest.substr(0, rest.find('"'));
}

std::vector<ShippedKernel> find_kernels() {
  std::vector<ShippedKernel> found;
  for (const tuner::model::EmbeddedFile& file : shipped()) {
    if (!file.path.ends_with(".toml")) continue;
    const std::size_t table = file.text.find("\n[kernel]\n");
    if (table == std::string_view::npos) continue;  // a layout of reports
    const std::string_view text = file.text.substr(table);
    found.push_back(
        {text_of(text, "name"), text_of(text, "family"), text_of(text, "description"), file.path});
  }
  return found;
}

}  // namespace

std::span<const ShippedKernel> shipped_kernels() {
  static const std::vector<ShippedKernel> found = find_kernels();
  return found;
}

}  // namespace kernels
