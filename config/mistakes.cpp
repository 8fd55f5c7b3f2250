#include "config/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace config {
namespace model = tuner::model;
void Mistakes::add(model::SourceLocation where, std::string message, std::string hint) {
  m_list.push_back({std::move(where), std::move(message), std::move(hint)});
}

void Mistakes::wrong_type(const Node& found, std::string_view what, std::string_view expected,
                          std::string hint) {
  add(found.where, fmt::format("{} must be {}, found {}", what, expected, found.described()),
      std::move(hint));
}

std::vector<model::Diagnostic> Mistakes::take() {
  std::stable_sort(m_list.begin(), m_list.end(), [](const model::Diagnostic& a, const model::Diagnostic& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) <
           std::tie(b.where.file, b.where.line, b.where.column);
  });
  return std::exchange(m_list, {});
}

}  // namespace config
