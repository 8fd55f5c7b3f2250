#include "tuner/search/learn/part.hpp"

#include <algorithm>
#include <utility>

#include "tuner/util/processors.hpp"

namespace tuner::search::learn {
namespace {

/// More candidates than this are never kept.
constexpr std::size_t most_kept = std::size_t{1} << 19U;
/// Where few may be tried, as of a shard, so many times what is wanted is looked at.
constexpr std::size_t looks = 8;
constexpr std::size_t least_looks = 4096;

}  // namespace

Part::Part(const SearchSpace& whole, std::size_t sample, RandomSource& random)
    : m_whole(whole), m_is_whole(whole.candidates.told() == whole.size()) {
  if (m_is_whole) return;
  m_part.problem = whole.problem;
  for (const SearchSpace::Kernel& kernel : whole.kernels) {
    m_lists.emplace_back(kernel.spec->parameters);
    m_part.kernels.push_back({kernel.spec, &m_lists.back()});
  }
  m_neighbourhood.emplace(whole);
  whole.known.for_each([this](std::size_t number, const Result& result) {
    add(number);
    m_part.known[m_numbers.size() - 1] = result;
  });
  for (const std::size_t number : whole.begun) {
    m_part.begun.push_back(m_numbers.size());
    add(number);
  }
  if (whole.priors) m_priors = whole.priors();
  std::vector<std::size_t> elsewhere;
  for (const SearchSpace::Prior& prior : m_priors)
    prior.results.for_each([&](std::size_t number, const Result&) { elsewhere.push_back(number); });
  add_offered(std::move(elsewhere));
  add_random(sample, random);
  m_part.priors = [this] { return priors_of_part(); };
}

void Part::add(std::size_t number) {
  if (!m_places.emplace(number, m_numbers.size()).second) return;
  const Candidate one = m_whole.candidates[number];
  const space::Coordinates at = m_whole.coordinates(number);
  m_numbers.push_back(number);
  m_part.candidates.push_back({one.kernel, m_lists[one.kernel].size()});
  m_lists[one.kernel].add({at.data(), at.size()});
  m_part.known.resize(m_numbers.size());
}

void Part::add_offered(std::vector<std::size_t> numbers) {
  sort_apart(numbers);
  std::erase_if(numbers, [this](std::size_t number) { return m_places.contains(number); });
  std::vector<char> offered(numbers.size(), 1);
  if (m_whole.offers)
    util::for_each_index(numbers.size(), 64, [&](std::size_t i) { offered[i] = m_whole.offers(numbers[i]); });
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (offered[i] && m_numbers.size() < most_kept) add(numbers[i]);
}

void Part::add_around(std::span<const std::size_t> best, std::size_t children, RandomSource& random) {
  std::vector<std::size_t> found;
  for (const std::size_t one : best) {
    if (!m_centres.insert(one).second) continue;
    const std::vector<std::size_t> around = m_neighbourhood->around(in_whole(one));
    found.insert(found.end(), around.begin(), around.end());
  }
  for (std::size_t i = 0; !best.empty() && i < children; ++i) {
    const std::size_t mother = in_whole(best[random.below(best.size())]);
    const std::size_t father = in_whole(best[random.below(best.size())]);
    if (const auto child = m_neighbourhood->cross(mother, father, random)) found.push_back(*child);
  }
  add_offered(std::move(found));
}

/// Half of it, or less, among those told one by one, which are kernels that have few; the rest in equal
/// shares from the kernels that have many.
void Part::add_random(std::size_t most, RandomSource& random) {
  const std::size_t told = m_whole.candidates.told();
  add_random_of(0, told, most / 2, random);
  std::vector<std::pair<std::size_t, std::size_t>> wholes;
  for (std::size_t kernel = 0; kernel < m_whole.kernels.size(); ++kernel)
    if (const auto first = m_whole.candidates.of_whole(kernel, 0))
      wholes.emplace_back(*first, m_whole.candidates.count(kernel));
  const std::size_t left = most - std::min(told, most / 2);
  for (const auto& [first, count] : wholes) add_random_of(first, count, left / wholes.size(), random);
}

void Part::add_random_of(std::size_t first, std::size_t count, std::size_t most, RandomSource& random) {
  if (count <= most) {
    std::vector<std::size_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = first + i;
    return add_offered(std::move(all));
  }
  const std::size_t before = m_numbers.size();
  const std::size_t end = before + most;
  for (std::size_t looked = 0; m_numbers.size() < end && looked < std::max(least_looks, looks * most);) {
    std::vector<std::size_t> drawn(end - m_numbers.size());
    for (std::size_t& number : drawn) number = first + random.below(count);
    looked += drawn.size();
    add_offered(std::move(drawn));
  }
}

std::vector<SearchSpace::Prior> Part::priors_of_part() const {
  std::vector<SearchSpace::Prior> priors;
  for (const SearchSpace::Prior& of_whole : m_priors) {
    SearchSpace::Prior prior{of_whole.origin, of_whole.problem, of_whole.same_environment, {}};
    prior.results.resize(m_numbers.size());
    of_whole.results.for_each([&](std::size_t number, const Result& result) {
      if (const auto place = m_places.find(number); place != m_places.end())
        prior.results[place->second] = result;
    });
    priors.push_back(std::move(prior));
  }
  return priors;
}

}  // namespace tuner::search::learn
