#include "tuner/search/random_order.hpp"

#include <numeric>
#include <utility>

namespace tuner::search {

RandomOrder::RandomOrder(std::size_t size, std::uint64_t seed) : m_order(size), m_settled(size, false) {
  std::iota(m_order.begin(), m_order.end(), std::size_t{0});
  RandomSource random(seed);
  // Fisher and Yates. All of it now: what is reported early must not change what comes later, or a resumed
  // sweep would not continue in the order it began with.
  for (std::size_t left = size; left > 1; --left) std::swap(m_order[left - 1], m_order[random.below(left)]);
}

std::optional<std::size_t> RandomOrder::next() {
  while (m_next < m_order.size() && m_settled[m_order[m_next]]) ++m_next;
  if (m_next == m_order.size()) return std::nullopt;
  return m_order[m_next++];
}

void RandomOrder::report(std::size_t candidate, const Result&) {
  m_settled.at(candidate) = true;
}

}  // namespace tuner::search
