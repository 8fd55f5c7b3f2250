#include "tuner/worker/output_tail.hpp"

namespace tuner::worker {

void OutputTail::add(std::string_view text) {
  m_printed += static_cast<std::int64_t>(text.size());
  if (text.size() >= m_keep) {
    m_tail = text.substr(text.size() - m_keep);
    return;
  }
  m_tail += text;
  // Cut back only at twice the size, so that many small pieces do not each move the whole tail.
  if (m_tail.size() > 2 * m_keep) m_tail.erase(0, m_tail.size() - m_keep);
}

std::string OutputTail::text() const {
  const std::size_t kept = m_tail.size() < m_keep ? m_tail.size() : m_keep;
  std::string text = m_tail.substr(m_tail.size() - kept);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return static_cast<std::int64_t>(kept) < m_printed ? "[…]" + text : text;
}

void OutputTail::clear() {
  m_tail.clear();
  m_printed = 0;
}

}  // namespace tuner::worker
