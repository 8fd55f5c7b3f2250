#include "tuner/search/exhaustive.hpp"

namespace tuner::search {

std::optional<std::size_t> Exhaustive::next() {
  while (m_next < m_settled.size() && m_settled[m_next]) ++m_next;
  if (m_next == m_settled.size()) return std::nullopt;
  return m_next++;
}

void Exhaustive::report(std::size_t candidate, const Result&) {
  m_settled.at(candidate) = true;
}

}  // namespace tuner::search
