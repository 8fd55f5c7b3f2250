#include "tuner/search/learn/pool.hpp"

namespace tuner::search::learn {

std::vector<std::size_t> make_pool(std::size_t most, const OpenCandidates& open, const Records& records,
                                   const Neighbourhood& neighbourhood, std::span<const std::size_t> best,
                                   RandomSource& random) {
  std::vector<std::size_t> pool;
  if (open.count() <= most) {
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open.contains(i)) pool.push_back(i);
    return pool;
  }
  std::vector<bool> in(open.size(), false);
  const auto add = [&](std::size_t candidate) {
    if (!open.contains(candidate) || in[candidate] || pool.size() == most) return;
    in[candidate] = true;
    pool.push_back(candidate);
  };
  for (std::size_t record = 0; record < records.count(); ++record) {
    const auto& ranking = records.ranking(record);
    for (std::size_t i = 0; i < ranking.size() && i < most / 10; ++i) add(ranking[i]);
  }
  for (const std::size_t one : best)
    for (const std::size_t neighbour : neighbourhood.around(one)) add(neighbour);
  for (std::size_t i = 0; !best.empty() && i < most / 4; ++i) {
    const std::size_t mother = best[random.below(best.size())];
    if (const auto child = neighbourhood.cross(mother, best[random.below(best.size())], random)) add(*child);
  }
  while (pool.size() < most) add(random.below(open.size()));
  return pool;
}

}  // namespace tuner::search::learn
