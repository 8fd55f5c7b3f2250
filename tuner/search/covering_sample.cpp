#include "tuner/search/covering_sample.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

#include "tuner/search/open_candidates.hpp"

namespace tuner::search {
namespace {

/// Two parameters and their coordinates in one number: 16 bits each.
std::uint64_t pair_code(std::size_t p, std::uint16_t a, std::size_t q, std::uint16_t b) {
  return (static_cast<std::uint64_t>(p) << 48) | (static_cast<std::uint64_t>(a) << 32) |
         (static_cast<std::uint64_t>(q) << 16) | b;
}

template <typename Visit>
void for_each_pair(std::span<const std::uint16_t> coordinates, const Visit& visit) {
  for (std::size_t p = 0; p < coordinates.size(); ++p) {
    // With one parameter its values are what is to be covered: each is a pair with itself.
    if (coordinates.size() == 1) visit(pair_code(p, coordinates[p], p, coordinates[p]));
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
