#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "tuner/cover/cover.hpp"

namespace tuner::cover {
namespace {

using Set = std::vector<std::size_t>;

/// A size without a usable configuration costs more than all losses together, which are cut at this.
constexpr double largest_loss = 1e3;
constexpr double uncovered_cost = 1e4;
constexpr double nothing = 1e-9;

/// What a set costs: sizes that it leaves uncovered and its weighted mean loss in one number, and its worst.
struct Cost {
  double mean = 0;
  double worst = 0;
  bool beats(const Cost& other) const {
    return mean < other.mean - nothing || (mean < other.mean + nothing && worst < other.worst - nothing);
  }
};

/// Costs of the candidates at the sizes that count, in rows by candidate.
struct Costs {
  std::vector<std::vector<double>> weighted;  ///< of the mean
  std::vector<std::vector<double>> plain;     ///< of the worst
  std::size_t sizes = 0;
};

struct Reached {
  std::vector<double> weighted, plain;

  explicit Reached(std::size_t sizes) : weighted(sizes, uncovered_cost), plain(sizes, uncovered_cost) {}
  void add(const Costs& costs, std::size_t candidate) {
    for (std::size_t s = 0; s < weighted.size(); ++s) {
      weighted[s] = std::min(weighted[s], costs.weighted[candidate][s]);
      plain[s] = std::min(plain[s], costs.plain[candidate][s]);
    }
  }
  Cost cost() const {
    return {std::accumulate(weighted.begin(), weighted.end(), 0.0),
            plain.empty() ? 0 : *std::max_element(plain.begin(), plain.end())};
  }
  Cost cost_with(const Costs& costs, std::size_t candidate) const {
    Cost sum;
    for (std::size_t s = 0; s < weighted.size(); ++s) {
      sum.mean += std::min(weighted[s], costs.weighted[candidate][s]);
      sum.worst = std::max(sum.worst, std::min(plain[s], costs.plain[candidate][s]));
    }
    return sum;
  }
  double gain(const Costs& costs, std::size_t candidate) const {
    double sum = 0;
    for (std::size_t s = 0; s < weighted.size(); ++s)
      sum += std::max(0.0, weighted[s] - costs.weighted[candidate][s]);
    return sum;
  }
};

Cost cost_of(const Costs& costs, const Set& set) {
  Reached reached(costs.sizes);
  for (const std::size_t one : set) reached.add(costs, one);
  return reached.cost();
}

/// Adds what gains most, then exchanges single members as long as that helps.
Set greedy_with_exchange(const Costs& costs, std::size_t most) {
  Set set;
  Reached reached(costs.sizes);
  while (set.size() < std::min(most, costs.plain.size())) {
    std::size_t best = 0;
    double gain = nothing;
    for (std::size_t i = 0; i < costs.plain.size(); ++i) {
      const double more = reached.gain(costs, i);
      if (more > gain) std::tie(gain, best) = std::pair(more, i);
    }
    if (gain <= nothing) break;
    set.push_back(best);
    reached.add(costs, best);
  }
  Cost cost = cost_of(costs, set);
  for (bool better = true; better;) {
    better = false;
    for (std::size_t& member : set) {
      Reached others(costs.sizes);
      for (const std::size_t& other : set)
        if (&other != &member) others.add(costs, other);
      for (std::size_t i = 0; i < costs.plain.size(); ++i) {
        const Cost changed = others.cost_with(costs, i);
        if (!changed.beats(cost)) continue;
        std::tie(cost, member) = std::pair(changed, i);
        better = true;
      }
    }
  }
  return set;
}

/// Branch and bound over sets of at most n: what the members to come can gain is at most what each of the
/// best of them would gain alone, and no size falls below the least cost that any of them has there.
class LeastLoss {
 public:
  /// `start`: a set to improve on, of at most so many.
  LeastLoss(const Costs& costs, std::size_t most, Set start, std::int64_t effort)
      : m_costs(costs), m_effort(effort), m_best(std::move(start)), m_cost(cost_of(costs, m_best)) {
    Set greedy = greedy_with_exchange(costs, most);
    const Cost cost = cost_of(costs, greedy);
    if (cost.beats(m_cost)) std::tie(m_cost, m_best) = std::pair(cost, std::move(greedy));
    Set all(costs.plain.size());
    std::iota(all.begin(), all.end(), 0U);
    extend(Reached(costs.sizes), all, most);
  }
  const Set& best() const { return m_best; }
  bool is_exact() const { return m_effort > 0; }

 private:
  void extend(const Reached& reached, const Set& candidates, std::size_t left) {
    const Cost cost = reached.cost();
    if (cost.beats(m_cost)) std::tie(m_cost, m_best) = std::pair(cost, m_set);
    if (left == 0 || m_effort <= 0) return;
    --m_effort;
    std::vector<std::pair<double, std::size_t>> gains;
    for (const std::size_t i : candidates) gains.emplace_back(-reached.gain(m_costs, i), i);
    std::sort(gains.begin(), gains.end());
    Set open;
    for (const auto& [gain, i] : gains) open.push_back(i);
    const std::vector<Cost> least = least_with(reached, open);
    for (std::size_t at = 0; at < gains.size(); ++at) {
      double most_gain = 0;
      for (std::size_t i = at; i < std::min(at + left, gains.size()); ++i) most_gain -= gains[i].first;
      Cost bound = least[at];
      bound.mean = std::max(bound.mean, cost.mean - most_gain);
      if (!bound.beats(m_cost)) return;
      Reached next = reached;
      next.add(m_costs, open[at]);
      m_set.push_back(open[at]);
      extend(next, Set(open.begin() + static_cast<std::ptrdiff_t>(at) + 1, open.end()), left - 1);
      m_set.pop_back();
      if (m_effort <= 0) return;
    }
  }

  /// What all of `open` from each place on would cost together.
  std::vector<Cost> least_with(Reached reached, const Set& open) const {
    std::vector<Cost> costs(open.size());
    for (std::size_t at = open.size(); at-- > 0;) {
      reached.add(m_costs, open[at]);
      costs[at] = reached.cost();
    }
    return costs;
  }

  const Costs& m_costs;
  std::int64_t m_effort;
  Set m_set, m_best;
  Cost m_cost;
};

/// The fewest candidates that leave no size without a usable one where any is usable. The size with the
/// fewest choices is covered first.
class SmallestCover {
 public:
  SmallestCover(const Costs& costs, std::int64_t effort) : m_effort(effort) {
    for (std::size_t i = 0; i < costs.plain.size(); ++i) add(costs, i);
    Bits wanted(costs.sizes);
    for (const auto& [usable, candidate] : m_usable) wanted = wanted | usable;
    m_set = greedy(wanted);
    while (m_set.size() > 1 && m_effort > 0) {
      m_found.clear();
      if (!is_coverable(wanted, m_set.size() - 1)) break;
      m_set = m_found;
    }
  }
  const Set& set() const { return m_set; }
  bool is_exact() const { return m_effort > 0; }

 private:
  /// Unless it is usable nowhere else than another is.
  void add(const Costs& costs, std::size_t candidate) {
    Bits usable(costs.sizes);
    for (std::size_t s = 0; s < costs.sizes; ++s)
      if (costs.plain[candidate][s] < uncovered_cost) usable.set(s);
    for (const auto& [other, of] : m_usable)
      if (other.contains(usable)) return;
    std::erase_if(m_usable, [&](const auto& other) { return usable.contains(other.first); });
    m_usable.emplace_back(std::move(usable), candidate);
  }

  Set greedy(Bits left) const {
    Set taken;
    while (left.any()) {
      const auto best = std::max_element(m_usable.begin(), m_usable.end(), [&](const auto& a, const auto& b) {
        return (a.first & left).count() < (b.first & left).count();
      });
      left = left.without(best->first);
      taken.push_back(best->second);
    }
    return taken;
  }

  bool is_coverable(const Bits& left, std::size_t most) {
    if (!left.any()) return true;
    if (most == 0 || --m_effort <= 0) return false;
    std::size_t largest = 0;
    for (const auto& [usable, candidate] : m_usable) largest = std::max(largest, (usable & left).count());
    if (largest * most < left.count()) return false;
    std::size_t rarest = 0;
    std::size_t fewest = m_usable.size() + 1;
    left.each([&](std::size_t size) {
      const auto choices = static_cast<std::size_t>(std::count_if(
          m_usable.begin(), m_usable.end(), [&](const auto& one) { return one.first.test(size); }));
      if (choices < fewest) std::tie(fewest, rarest) = std::pair(choices, size);
    });
    for (const auto& [usable, candidate] : m_usable) {
      if (!usable.test(rarest) || !is_coverable(left.without(usable), most - 1)) continue;
      m_found.push_back(candidate);
      return true;
    }
    return false;
  }

  std::vector<std::pair<Bits, std::size_t>> m_usable;
  std::int64_t m_effort;
  Set m_set, m_found;
};

/// `candidates` becomes those that are used anywhere and not made superfluous by another.
Costs costs_of(const Losses& losses, const Bits& sizes, const Goal& goal, Set& candidates) {
  Costs costs;
  std::vector<std::size_t> counted;
  double weight = 0;
  sizes.each([&](std::size_t size) {
    counted.push_back(size);
    weight += losses.table().weight(size);
  });
  costs.sizes = counted.size();
  const auto share = [&](std::size_t size) {
    // Where all remaining sizes have weight 0, they count equally.
    return weight > 0 ? losses.table().weight(size) / weight : 1.0 / static_cast<double>(counted.size());
  };
  Set kept;
  for (const std::size_t one : candidates) {
    std::vector<double> plain, weighted;
    for (const std::size_t size : counted) {
      const double loss = usable_loss(losses, goal, size, one);
      const bool usable = loss < std::numeric_limits<double>::infinity();
      plain.push_back(usable ? std::min(loss, largest_loss) : uncovered_cost);
      weighted.push_back(usable ? plain.back() * share(size) : uncovered_cost);
    }
    const auto is_above = [&](const std::vector<double>& other) {
      for (std::size_t s = 0; s < plain.size(); ++s)
        if (other[s] > plain[s]) return false;
      return true;
    };
    if (std::any_of(costs.plain.begin(), costs.plain.end(), is_above)) continue;
    kept.push_back(one);
    costs.plain.push_back(std::move(plain));
    costs.weighted.push_back(std::move(weighted));
  }
  candidates = std::move(kept);
  return costs;
}

Choice named(const LeastLoss& search, const Set& names) {
  Choice choice;
  choice.exact = search.is_exact();
  for (const std::size_t i : search.best()) choice.configurations.push_back(names[i]);
  std::sort(choice.configurations.begin(), choice.configurations.end());
  return choice;
}

}  // namespace

double usable_loss(const Losses& losses, const Goal& goal, std::size_t size, std::size_t configuration) {
  if (goal.at_most > 0) return losses.at(size, configuration);
  return losses.is_within(size, configuration, goal.within) ? losses.at(size, configuration)
                                                            : std::numeric_limits<double>::infinity();
}

std::vector<std::size_t> undominated(const Losses& losses) {
  Set order(losses.configurations());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<double> sum(losses.configurations());
  for (const std::size_t i : order)
    for (std::size_t size = 0; size < losses.sizes(); ++size)
      sum[i] += losses.is_known(size, i) ? std::min(losses.at(size, i), largest_loss) : largest_loss;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sum[a] < sum[b]; });
  Set kept;
  for (const std::size_t one : order) {
    if (std::none_of(kept.begin(), kept.end(),
                     [&](std::size_t other) { return losses.dominates(other, one); }))
      kept.push_back(one);
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

Choice choose(const Losses& losses, const std::vector<std::size_t>& candidates, const Bits& sizes,
              const Goal& goal, const Effort& effort) {
  Set names = candidates;
  const Costs costs = costs_of(losses, sizes, goal, names);
  if (goal.at_most > 0) return named(LeastLoss(costs, goal.at_most, {}, effort.sets), names);
  const SmallestCover cover(costs, effort.sets);
  Choice choice = named(LeastLoss(costs, cover.set().size(), cover.set(), effort.sets), names);
  choice.exact = cover.is_exact();
  return choice;
}

}  // namespace tuner::cover
