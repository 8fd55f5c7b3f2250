#include "tuner/search/open_candidates.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tuner::search {

std::vector<std::size_t> shuffled(std::size_t count, RandomSource& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

std::optional<double> comparable_time_ns(const Result& result) {
  const bool measured =
      result.status == model::TrialStatus::ok || result.status == model::TrialStatus::dropped;
  if (!measured || !result.time_ns || !(*result.time_ns > 0)) return std::nullopt;
  return result.time_ns;
}

OpenCandidates::OpenCandidates(const SearchSpace& space, RandomSource& random)
    : m_open(space.size(), true), m_count(space.size()), m_order(shuffled(space.size(), random)) {
  for (std::size_t i = 0; i < space.size(); ++i)
    if (space.known[i]) take(i);
}

void OpenCandidates::take(std::size_t candidate) {
  if (!m_open[candidate]) return;
  m_open[candidate] = false;
  --m_count;
}

std::optional<std::size_t> OpenCandidates::first() {
  while (m_next < m_order.size() && !m_open[m_order[m_next]]) ++m_next;
  if (m_next == m_order.size()) return std::nullopt;
  return m_order[m_next];
}

std::optional<std::size_t> OpenCandidates::first(
    const std::function<bool(std::size_t candidate)>& is_wanted) const {
  const auto found = std::find_if(m_order.begin() + static_cast<std::ptrdiff_t>(m_next), m_order.end(),
                                  [&](std::size_t one) { return m_open[one] && is_wanted(one); });
  if (found == m_order.end()) return std::nullopt;
  return *found;
}

}  // namespace tuner::search
