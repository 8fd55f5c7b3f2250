#include "tuner/search/open_candidates.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "tuner/space/configuration_list.hpp"

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

OpenCandidates::OpenCandidates(const SearchSpace& space, RandomSource& random)
    : m_open(space.size() <= RandomOrderOf::most_listed ? space.size() : 0, true),
      m_count(space.size()),
      m_order(space.size(), random) {
  space.known.for_each([this](std::size_t candidate, const Result&) { take(candidate); });
  for (const std::size_t candidate : space.begun) take(candidate);
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

namespace {

std::uint64_t hash_of(std::size_t kernel, std::span<const std::uint16_t> coordinates) {
  std::uint64_t hash = 0xcbf29ce484222325U + kernel;  // FNV-1a, two bytes at a time
  for (const std::uint16_t coordinate : coordinates) hash = (hash ^ coordinate) * 0x100000001b3U;
  return hash ^ (hash >> 29);
}

const model::ParameterSpec& parameter_of(const SearchSpace& space, std::size_t kernel, std::size_t p) {
  return space.kernels[kernel].spec->parameters[p];
}

constexpr std::uint16_t off = space::ConfigurationList::inactive;

}  // namespace

Neighbourhood::Neighbourhood(const SearchSpace& space) : m_space(space) {
  m_by_hash.reserve(space.candidates.told());
  for (std::size_t i = 0; i < space.candidates.told(); ++i) add(i);
}

void Neighbourhood::add(std::size_t candidate) {
  m_by_hash.emplace(hash_of(m_space.candidates[candidate].kernel, m_space.coordinates(candidate)), candidate);
}

std::optional<std::size_t> Neighbourhood::find(std::size_t kernel,
                                               std::span<const std::uint16_t> coordinates) const {
  if (const space::CountedSpace* counted = m_space.kernels[kernel].configurations->counted()) {
    const auto index = counted->find(coordinates);
    return index ? m_space.candidates.of_whole(kernel, static_cast<std::size_t>(*index)) : std::nullopt;
  }
  const auto [first, last] = m_by_hash.equal_range(hash_of(kernel, coordinates));
  for (auto it = first; it != last; ++it) {
    if (m_space.candidates[it->second].kernel != kernel) continue;
    const auto there = m_space.coordinates(it->second);
    if (std::equal(there.begin(), there.end(), coordinates.begin(), coordinates.end())) return it->second;
  }
  return std::nullopt;
}

/// A changed switch brings parameters to life or ends them: these take their first value that exists.
std::optional<std::size_t> Neighbourhood::find_repaired(std::size_t kernel, Coordinates coordinates,
                                                        std::size_t changed) const {
  if (const auto found = find(kernel, coordinates)) return found;
  for (std::size_t p = 0; p < coordinates.size(); ++p) {
    const model::ParameterSpec& parameter = parameter_of(m_space, kernel, p);
    if (p == changed || !parameter.when) continue;
    const std::uint16_t before = coordinates[p];
    if (before != off) {
      coordinates[p] = off;
      if (const auto found = find(kernel, coordinates)) return found;
    } else {
      for (std::size_t value = 0; value < parameter.values.size(); ++value) {
        coordinates[p] = static_cast<std::uint16_t>(value);
        if (const auto found = find(kernel, coordinates)) return found;
      }
    }
    // Kept as it is now, for switches that more than one parameter hangs on: all off, or all on.
    coordinates[p] = before == off ? std::uint16_t{0} : off;
  }
  return find(kernel, coordinates);
}

std::vector<std::size_t> Neighbourhood::around(std::size_t candidate) const {
  const std::size_t kernel = m_space.candidates[candidate].kernel;
  const auto here = m_space.coordinates(candidate);
  std::vector<std::size_t> found;
  for (std::size_t p = 0; p < here.size(); ++p) {
    if (here[p] == off) continue;
    for (std::size_t value = 0; value < parameter_of(m_space, kernel, p).values.size(); ++value) {
      if (value == here[p]) continue;
      Coordinates there(here.begin(), here.end());
      there[p] = static_cast<std::uint16_t>(value);
      if (const auto other = find_repaired(kernel, std::move(there), p)) found.push_back(*other);
    }
  }
  return found;
}

std::optional<std::size_t> Neighbourhood::step(std::size_t candidate, RandomSource& random) const {
  const std::size_t kernel = m_space.candidates[candidate].kernel;
  const auto here = m_space.coordinates(candidate);
  if (here.empty()) return std::nullopt;
  constexpr int tries = 20;
  for (int attempt = 0; attempt < tries; ++attempt) {
    Coordinates there(here.begin(), here.end());
    std::size_t p = 0;
    // Constraints may allow no single change: every third try makes two.
    for (int change = 0; change < (attempt % 3 == 2 ? 2 : 1); ++change) {
      p = random.below(here.size());
      const std::size_t values = parameter_of(m_space, kernel, p).values.size();
      if (there[p] == off || values < 2) continue;
      // Half of the time to the next value in the list, else to any.
      if (random.below(2) == 0) {
        const bool up = there[p] == 0 || (there[p] + 1U < values && random.below(2) == 0);
        there[p] = static_cast<std::uint16_t>(up ? there[p] + 1 : there[p] - 1);
      } else {
        there[p] = static_cast<std::uint16_t>(random.below(values));
      }
    }
    if (std::equal(here.begin(), here.end(), there.begin())) continue;
    if (const auto found = find_repaired(kernel, std::move(there), p)) return found;
  }
  return std::nullopt;
}

std::optional<std::size_t> Neighbourhood::cross(std::size_t a, std::size_t b, RandomSource& random) const {
  const std::size_t kernel = m_space.candidates[a].kernel;
  if (m_space.candidates[b].kernel != kernel) return std::nullopt;
  const auto left = m_space.coordinates(a);
  const auto right = m_space.coordinates(b);
  constexpr int tries = 8;
  for (int attempt = 0; attempt < tries; ++attempt) {
    Coordinates child(left.begin(), left.end());
    for (std::size_t p = 0; p < child.size(); ++p)
      if (random.below(2) == 0) child[p] = right[p];
    if (const auto found = find(kernel, child)) return found;
  }
  return std::nullopt;
}

namespace {

/// Two parameters and their coordinates in one number: 16 bits each.
std::uint64_t pair_code(std::size_t p, std::uint16_t a, std::size_t q, std::uint16_t b) {
  return (static_cast<std::uint64_t>(p) << 48) | (static_cast<std::uint64_t>(a) << 32) |
         (static_cast<std::uint64_t>(q) << 16) | b;
}

template <typename Visit>
void for_each_pair(std::span<const std::uint16_t> coordinates, const Visit& visit) {
  for (std::size_t p = 0; p < coordinates.size(); ++p) {
    // Each value is a pair with itself: where few are chosen, no value waits for all pairs of another.
    visit(pair_code(p, coordinates[p], p, coordinates[p]));
    for (std::size_t q = p + 1; q < coordinates.size(); ++q) {
      visit(pair_code(p, coordinates[p], q, coordinates[q]));
    }
  }
}

/// Of a list that is counted: numbers drawn at random, ascending.
std::vector<std::size_t> drawn(std::size_t size) {
  RandomSource random(1);
  std::vector<std::size_t> numbers(drawn_of_counted);
  for (std::size_t& number : numbers) number = random.below(size);
  sort_apart(numbers);
  return numbers;
}

std::vector<std::size_t> covering(const space::ConfigurationList& list, std::size_t most) {
  std::unordered_set<std::uint64_t> missing;
  for (std::size_t i = 0; i < list.size(); ++i) {
    for_each_pair(list.coordinates(i), [&](std::uint64_t pair) { missing.insert(pair); });
  }
  // Lazy greedy: how much a configuration would add only shrinks, so an old count is an upper bound and
  // configurations whose bound is too low need no new count.
  const auto gain = [&](std::size_t i) {
    std::size_t fresh = 0;
    for_each_pair(list.coordinates(i), [&](std::uint64_t pair) { fresh += missing.count(pair); });
    return fresh;
  };
  struct Bound {
    std::size_t gain;
    std::size_t index;
    bool operator<(const Bound& other) const {
      return gain != other.gain ? gain < other.gain : index > other.index;
    }
  };
  std::vector<Bound> heap;
  for (std::size_t i = 0; i < list.size(); ++i) heap.push_back({gain(i), i});
  std::make_heap(heap.begin(), heap.end());
  std::vector<std::size_t> sample;
  while (!missing.empty() && !heap.empty() && sample.size() < most) {
    std::pop_heap(heap.begin(), heap.end());
    Bound top = heap.back();
    heap.pop_back();
    top.gain = gain(top.index);
    if (!heap.empty() && top < heap.front()) {
      heap.push_back(top);
      std::push_heap(heap.begin(), heap.end());
      continue;
    }
    for_each_pair(list.coordinates(top.index), [&](std::uint64_t pair) { missing.erase(pair); });
    sample.push_back(top.index);
  }
  // A kernel without parameters has one configuration and no pair.
  if (sample.empty() && list.size() > 0) sample.push_back(0);
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace

std::vector<std::size_t> covering_sample(const space::ConfigurationList& list, std::size_t most) {
  if (!list.counted()) return covering(list, most);
  const std::vector<std::size_t> numbers = drawn(list.size());
  space::ConfigurationList some = list.without_any();
  for (const std::size_t number : numbers) {
    const space::Coordinates at = list.coordinates(number);
    some.add({at.data(), at.size()});
  }
  std::vector<std::size_t> sample = covering(some, most);
  for (std::size_t& one : sample) one = numbers[one];
  return sample;
}

}  // namespace tuner::search
