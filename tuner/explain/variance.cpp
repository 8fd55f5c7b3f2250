#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "tuner/explain/rule_parts.hpp"

namespace tuner::explain {
namespace {

constexpr int trees = 16;
constexpr std::size_t least_in_leaf = 2;
constexpr int rounds_of_bounds = 2;
constexpr std::size_t most_observations = 4096;

using Rows = std::vector<std::size_t>;

struct Interval {
  int low = 0;
  int high = 0;  ///< behind the last
  bool has(int level) const { return level >= low && level < high; }
};

/// A part of the space in which a tree says the same.
struct Leaf {
  std::vector<Interval> sides;  ///< of each parameter
  double value = 0;
};

double mean_of(const std::vector<Observation>& all, const Rows& rows) {
  double sum = 0;
  for (const std::size_t row : rows) sum += all[row].log_time;
  return sum / static_cast<double>(rows.size());
}

struct Split {
  std::size_t parameter = 0;
  int at = 0;       ///< what is below goes left
  double gain = 0;  ///< of the sum of squares
};

/// The best split of the rows; its gain is 0 where there is none.
Split best_split(const std::vector<int>& levels, const std::vector<Observation>& all, const Rows& rows) {
  Split best;
  const auto count = static_cast<double>(rows.size());
  const double mean = mean_of(all, rows);
  for (std::size_t p = 0; p < levels.size(); ++p) {
    std::vector<double> sums(static_cast<std::size_t>(levels[p]));
    std::vector<std::size_t> counts(sums.size());
    for (const std::size_t row : rows) {
      const auto level = static_cast<std::size_t>(all[row].values[p]);
      sums[level] += all[row].log_time - mean;
      ++counts[level];
    }
    double left = 0;
    std::size_t before = 0;
    for (std::size_t level = 0; level + 1 < sums.size(); ++level) {
      left += sums[level];
      before += counts[level];
      if (before < least_in_leaf || rows.size() - before < least_in_leaf) continue;
      const auto n = static_cast<double>(before);
      const double gain = left * left * count / (n * (count - n));
      if (gain > best.gain * (1 + 1e-9)) best = {p, static_cast<int>(level) + 1, gain};
    }
  }
  return best;
}

class Tree {
 public:
  Tree(const std::vector<int>& levels, const std::vector<Observation>& all, Rows rows) {
    std::vector<Interval> whole;
    whole.reserve(levels.size());
    for (const int count : levels) whole.push_back({0, count});
    grow(levels, all, std::move(rows), std::move(whole));
  }

  const std::vector<Leaf>& leaves() const { return m_leaves; }
  double foretell(const std::vector<int>& values) const {
    int at = 0;
    while (m_nodes[static_cast<std::size_t>(at)].left >= 0) {
      const Node& node = m_nodes[static_cast<std::size_t>(at)];
      at = values[node.split.parameter] < node.split.at ? node.left : node.right;
    }
    return m_leaves[static_cast<std::size_t>(m_nodes[static_cast<std::size_t>(at)].leaf)].value;
  }

 private:
  struct Node {
    Split split;
    int left = -1;
    int right = -1;
    int leaf = -1;
  };

  int grow(const std::vector<int>& levels, const std::vector<Observation>& all, Rows rows,
           std::vector<Interval> sides) {
    constexpr double nothing = 1e-12;
    const auto at = m_nodes.size();
    m_nodes.emplace_back();
    const Split split = best_split(levels, all, rows);
    if (split.gain <= nothing) {
      m_nodes[at].leaf = static_cast<int>(m_leaves.size());
      m_leaves.push_back({std::move(sides), mean_of(all, rows)});
      return static_cast<int>(at);
    }
    const auto middle = std::stable_partition(rows.begin(), rows.end(), [&](std::size_t row) {
      return all[row].values[split.parameter] < split.at;
    });
    std::vector<Interval> left_sides = sides;
    left_sides[split.parameter].high = split.at;
    sides[split.parameter].low = split.at;
    const int left = grow(levels, all, {rows.begin(), middle}, std::move(left_sides));
    const int right = grow(levels, all, {middle, rows.end()}, std::move(sides));
    m_nodes[at] = {split, left, right, -1};
    return static_cast<int>(at);
  }

  std::vector<Node> m_nodes;
  std::vector<Leaf> m_leaves;
};

struct Forest {
  std::vector<Tree> trees;
  std::vector<double> unseen;  ///< of each observation, the mean of the trees that have not seen it
};

Forest grow_forest(const std::vector<int>& levels, const std::vector<Observation>& all) {
  Forest forest;
  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same observations give the same shares
  std::vector<double> sums(all.size());
  std::vector<int> counts(all.size());
  for (int t = 0; t < trees; ++t) {
    Rows rows;
    std::vector<bool> is_seen(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      rows.push_back(random() % all.size());
      is_seen[rows.back()] = true;
    }
    forest.trees.emplace_back(levels, all, std::move(rows));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_seen[i]) continue;
      sums[i] += forest.trees.back().foretell(all[i].values);
      ++counts[i];
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    forest.unseen.push_back(counts[i] > 0 ? sums[i] / counts[i] : all[i].log_time);
  return forest;
}

/// How often each level was tried, as prefix sums: those of an interval are a difference.
std::vector<std::vector<double>> weights_of(const std::vector<int>& levels,
                                            const std::vector<Observation>& all) {
  std::vector<std::vector<double>> weights;
  for (std::size_t p = 0; p < levels.size(); ++p) {
    std::vector<double> below(static_cast<std::size_t>(levels[p]) + 1);
    for (const Observation& one : all) below[static_cast<std::size_t>(one.values[p]) + 1] += 1;
    for (double& count : below) count /= static_cast<double>(all.size());
    std::partial_sum(below.begin(), below.end(), below.begin());
    weights.push_back(std::move(below));
  }
  return weights;
}

/// The analysis of one tree, whose parts are boxes.
class Decomposition {
 public:
  Decomposition(const Tree& tree, const std::vector<std::vector<double>>& weights)
      : m_leaves(tree.leaves()), m_below(weights) {
    for (const Leaf& leaf : m_leaves) {
      std::vector<double> sides;
      double all = 1;
      for (std::size_t p = 0; p < m_below.size(); ++p) {
        sides.push_back(within(p, leaf.sides[p].low, leaf.sides[p].high));
        all *= sides.back();
      }
      m_mean += all * leaf.value;
      m_square += all * leaf.value * leaf.value;
      m_sides.push_back(std::move(sides));
      m_all.push_back(all);
    }
  }

  double total() const { return m_square - m_mean * m_mean; }

  /// The variance of what these parameters foretell together, the others averaged out.
  double of(std::size_t first, std::size_t second) const {
    const bool is_pair = first != second;
    const std::size_t rows = m_below[first].size() - 1;
    const std::size_t columns = is_pair ? m_below[second].size() - 1 : 1;
    std::vector<double> means(rows * columns);
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
      const Interval& a = m_leaves[i].sides[first];
      const Interval b = is_pair ? m_leaves[i].sides[second] : Interval{0, 1};
      const double own = m_sides[i][first] * (is_pair ? m_sides[i][second] : 1);
      if (own <= 0) continue;
      const double part = m_all[i] / own * m_leaves[i].value;
      for (int x = a.low; x < a.high; ++x)
        for (int y = b.low; y < b.high; ++y)
          means[static_cast<std::size_t>(x) * columns + static_cast<std::size_t>(y)] += part;
    }
    double variance = 0;
    for (std::size_t x = 0; x < rows; ++x)
      for (std::size_t y = 0; y < columns; ++y) {
        const double off = means[x * columns + y] - m_mean;
        const double weight = within(first, static_cast<int>(x), static_cast<int>(x) + 1) *
                              (is_pair ? within(second, static_cast<int>(y), static_cast<int>(y) + 1) : 1);
        variance += weight * off * off;
      }
    return variance;
  }

 private:
  double within(std::size_t p, int low, int high) const {
    return m_below[p][static_cast<std::size_t>(high)] - m_below[p][static_cast<std::size_t>(low)];
  }

  const std::vector<Leaf>& m_leaves;
  const std::vector<std::vector<double>>& m_below;
  std::vector<std::vector<double>> m_sides;
  std::vector<double> m_all;
  double m_mean = 0;
  double m_square = 0;
};

double foretold_share(const std::vector<Observation>& all, const std::vector<double>& unseen) {
  double mean = 0;
  for (const Observation& one : all) mean += one.log_time / static_cast<double>(all.size());
  double total = 0;
  double left = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    total += (all[i].log_time - mean) * (all[i].log_time - mean);
    left += (all[i].log_time - unseen[i]) * (all[i].log_time - unseen[i]);
  }
  return total > 0 ? 1 - left / total : 0;
}

}  // namespace

VarianceShares variance_shares(const std::vector<int>& levels, std::vector<Observation> observations) {
  VarianceShares out;
  if (observations.size() > most_observations) {  // every n-th
    const std::size_t step = (observations.size() + most_observations - 1) / most_observations;
    std::vector<Observation> some;
    for (std::size_t i = 0; i < observations.size(); i += step) some.push_back(observations[i]);
    observations = std::move(some);
  }
  if (observations.size() < 2 * least_in_leaf) return out;
  const std::vector<Observation> measured = observations;
  Forest forest = grow_forest(levels, observations);
  const bool has_bounds = std::ranges::any_of(measured, &Observation::is_bound);
  for (int round = 0; has_bounds && round < rounds_of_bounds; ++round) {
    for (std::size_t i = 0; i < observations.size(); ++i)
      if (measured[i].is_bound) observations[i].log_time = std::max(measured[i].log_time, forest.unseen[i]);
    forest = grow_forest(levels, observations);
  }
  out.foretold = foretold_share(observations, forest.unseen);

  const std::vector<std::vector<double>> weights = weights_of(levels, observations);
  const std::size_t count = levels.size();
  std::vector<double> shares(count * count);
  double total = 0;
  for (const Tree& tree : forest.trees) {
    const Decomposition parts(tree, weights);
    total += parts.total();
    for (std::size_t p = 0; p < count; ++p) shares[p * count + p] += parts.of(p, p);
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t q = p + 1; q < count; ++q)
        if (levels[p] > 1 && levels[q] > 1) shares[p * count + q] += parts.of(p, q);
  }
  if (total <= 0) return out;
  constexpr double least = 0.01;
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t q = p; q < count; ++q) {
      const double alone = p == q ? 0 : shares[p * count + p] + shares[q * count + q];
      const double share = (shares[p * count + q] - alone) / total;
      if (share >= least) out.shares.push_back({p, q, share});
    }
  std::ranges::stable_sort(out.shares, std::greater{}, &VarianceShares::Share::share);
  return out;
}

}  // namespace tuner::explain
