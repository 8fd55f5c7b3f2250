#include "tuner/search/open_candidates.hpp"

#include <bit>
#include <limits>
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

RandomOrderOf::RandomOrderOf(std::size_t count, RandomSource& random) : m_count(count) {
  if (count <= most_listed) {
    m_listed = shuffled(count, random);
    return;
  }
  m_half_bits = (static_cast<int>(std::bit_width(count - 1)) + 1) / 2;
  for (std::uint64_t& key : m_keys) key = random.below(std::numeric_limits<std::uint64_t>::max());
}

std::size_t RandomOrderOf::operator[](std::size_t place) const {
  if (m_count <= most_listed) return m_listed[place];
  const std::uint64_t mask = (std::uint64_t{1} << m_half_bits) - 1;
  std::uint64_t number = place;
  do {
    std::uint64_t left = number >> m_half_bits;
    std::uint64_t right = number & mask;
    for (const std::uint64_t key : m_keys) {
      std::uint64_t mixed = (right ^ key) * 0xBF58476D1CE4E5B9U;  // the finish of SplitMix64
      mixed ^= mixed >> 31U;
      mixed *= 0x94D049BB133111EBU;
      left ^= (mixed ^ (mixed >> 29U)) & mask;
      std::swap(left, right);
    }
    number = left << m_half_bits | right;
  } while (number >= m_count);
  return number;
}

void RandomOrderOf::add_last() {
  m_listed.push_back(m_count++);
}

OpenCandidates::OpenCandidates(const SearchSpace& space, RandomSource& random)
    : m_open(space.size() <= RandomOrderOf::most_listed ? space.size() : 0, true),
      m_count(space.size()),
      m_order(space.size(), random) {
  space.known.for_each([this](std::size_t candidate, const Result&) { take(candidate); });
}

void OpenCandidates::take(std::size_t candidate) {
  if (!contains(candidate)) return;
  if (m_open.empty())
    m_taken.insert(candidate);
  else
    m_open[candidate] = false;
  --m_count;
}

void OpenCandidates::add() {
  m_open.push_back(true);
  m_order.add_last();
  ++m_count;
}

std::optional<std::size_t> OpenCandidates::first() {
  while (m_next < m_order.size() && !contains(m_order[m_next])) ++m_next;
  if (m_next == m_order.size()) return std::nullopt;
  return m_order[m_next];
}

std::optional<std::size_t> OpenCandidates::first(
    const std::function<bool(std::size_t candidate)>& is_wanted) const {
  for (std::size_t place = m_next; place < m_order.size(); ++place) {
    const std::size_t one = m_order[place];
    if (contains(one) && is_wanted(one)) return one;
  }
  return std::nullopt;
}

}  // namespace tuner::search
