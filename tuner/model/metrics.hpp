#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::model {

/// Figures of a trial by name with unit, in the order its spec gives them: the first is the one shown in
/// tables. Read like a map; there are a handful at most.
class Metrics {
 public:
  using Entry = std::pair<std::string, double>;
  using const_iterator = std::vector<Entry>::const_iterator;

  Metrics() = default;
  Metrics(std::initializer_list<Entry> entries) : m_entries(entries) {}

  const_iterator begin() const { return m_entries.begin(); }
  const_iterator end() const { return m_entries.end(); }
  bool empty() const { return m_entries.empty(); }
  std::size_t size() const { return m_entries.size(); }
  void clear() { m_entries.clear(); }

  const_iterator find(std::string_view name) const {
    return std::find_if(begin(), end(), [&](const Entry& entry) { return entry.first == name; });
  }
  /// Throws std::out_of_range.
  double at(std::string_view name) const {
    const auto found = find(name);
    if (found == end()) throw std::out_of_range("no metric is called " + std::string(name));
    return found->second;
  }
  /// The value of `name`, added at the end where it is new.
  double& operator[](std::string_view name) {
    const auto index = static_cast<std::size_t>(find(name) - begin());
    if (index == m_entries.size()) m_entries.emplace_back(name, 0.0);
    return m_entries[index].second;
  }

  bool operator==(const Metrics&) const = default;

 private:
  std::vector<Entry> m_entries;
};

}  // namespace tuner::model
