#include "tuner/cover/cover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tuner::cover {

Cover cover(const Losses& losses, const std::vector<std::size_t>& candidates, const Bits& sizes,
            const Goal& goal, const Effort& effort) {
  Cover out;
  out.set = choose(losses, candidates, sizes, goal, effort);
  const std::vector<std::size_t>& set = out.set.configurations;
  std::vector<Bits> allowed(set.size(), Bits(losses.sizes()));
  Bits covered(losses.sizes());
  sizes.each([&](std::size_t size) {
    double promised = std::numeric_limits<double>::infinity();
    for (const std::size_t one : set) promised = std::min(promised, usable_loss(losses, goal, size, one));
    if (!(promised < std::numeric_limits<double>::infinity())) return;
    if (goal.at_most > 0) promised += not_worth_a_question;
    covered.set(size);
    for (std::size_t i = 0; i < set.size(); ++i) {
      const double loss = usable_loss(losses, goal, size, set[i]);
      if (loss < std::numeric_limits<double>::infinity() && (goal.at_most == 0 || loss <= promised))
        allowed[i].set(size);
    }
  });
  out.rule = find_rule(losses, set, allowed, covered, effort);
  out.losses.assign(losses.sizes(), std::numeric_limits<double>::infinity());
  if (out.rule.nodes.empty()) return out;
  sizes.each([&](std::size_t size) {
    out.losses[size] = losses.at(size, out.rule.pick(losses.table().sizes[size]));
  });
  return out;
}

Cover cover(const Losses& losses, const Goal& goal, const Effort& effort) {
  return cover(losses, undominated(losses), Bits(losses.sizes(), true), goal, effort);
}

Summary summary(const Table& table, const std::vector<double>& losses) {
  Summary out;
  double weight = 0;
  for (std::size_t size = 0; size < losses.size(); ++size) {
    if (!std::isfinite(losses[size])) continue;
    if (out.known == 0 || losses[size] > out.worst) {
      out.worst = losses[size];
      out.worst_size = size;
    }
    ++out.known;
    weight += table.weight(size);
    out.mean += table.weight(size) * losses[size];
  }
  if (weight > 0) out.mean /= weight;
  return out;
}

}  // namespace tuner::cover
