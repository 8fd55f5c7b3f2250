#include "tuner/model/configuration.hpp"

#include <algorithm>

#include "tuner/model/json_text.hpp"

namespace tuner::model {
namespace {

std::string json_of(const std::vector<Assignment>& assignments) {
  std::string out = "{";
  for (const Assignment& assignment : assignments) {
    if (out.size() > 1) out += ',';
    out += json_quote(assignment.name) + ':' + assignment.value.json();
  }
  return out + '}';
}

}  // namespace

const Value* Configuration::find(std::string_view name) const {
  for (const Assignment& assignment : m_assignments) {
    if (assignment.name == name) return &assignment.value;
  }
  return nullptr;
}

std::string Configuration::json() const {
  return json_of(m_assignments);
}

std::string Configuration::canonical_json() const {
  std::vector<Assignment> sorted = m_assignments;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return json_of(sorted);
}

std::string Configuration::text() const {
  std::string out;
  for (const Assignment& assignment : m_assignments) {
    if (!out.empty()) out += ' ';
    out += assignment.name + '=' + assignment.value.text();
  }
  return out.empty() ? "-" : out;
}

}  // namespace tuner::model
