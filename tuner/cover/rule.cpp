#include "tuner/cover/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tuner::cover {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// Trees over the sizes of a table. A set of sizes is a leaf where one configuration is right at all of them.
class TreeSearch {
 public:
  TreeSearch(const Losses& losses, const std::vector<std::size_t>& set, const std::vector<Bits>& allowed,
             const Bits& sizes, std::int64_t effort)
      : m_losses(losses),
        m_set(set),
        m_allowed(allowed),
        m_splits(splits(losses.table(), sizes)),
        m_budget(effort),
        m_effort(effort) {}

  Rule run(const Bits& sizes) {
    Rule rule;
    const std::size_t greedy = grow(sizes);
    const std::size_t least = leaves(sizes, greedy - 1);
    rule.smallest = m_effort > 0;
    const std::size_t most = std::min(greedy, least);
    m_effort = rule.smallest ? m_budget : 0;
    if (rule.smallest) cheapest(sizes, most);
    write(sizes, most, rule);
    order_others(rule);
    return rule;
  }

 private:
  /// How a tree begins.
  struct Tree {
    double loss = std::numeric_limits<double>::infinity();
    std::size_t split = nowhere;  ///< nowhere: it is a leaf
    std::size_t leaves_of_yes = 0;
  };

  /// What is known of a set of sizes. Splits are by their places.
  struct Facts {
    std::size_t at_least = 1;              ///< leaves
    std::size_t leaves = nowhere;          ///< of the smallest tree, once it is known …
    std::size_t split = nowhere;           ///< … and how it begins
    std::size_t greedy = nowhere;          ///< how the greedy tree begins
    std::map<std::size_t, Tree> cheapest;  ///< by the leaves that it may have
  };

  Facts& known(const Bits& sizes) {
    const auto [at, is_new] = m_known.try_emplace(sizes);
    if (is_new) at->second.at_least = fewest_configurations(sizes);
    return at->second;
  }

  /// How many configurations are needed, and so leaves: 1, 2 or, not being counted beyond, a lower bound.
  std::size_t fewest_configurations(const Bits& sizes) const {
    const std::size_t count = sizes.count();
    std::size_t largest = 1;
    std::vector<std::size_t> right(m_allowed.size());
    for (std::size_t i = 0; i < m_allowed.size(); ++i) {
      right[i] = m_allowed[i].count_common(sizes);
      if (right[i] == count) return 1;
      largest = std::max(largest, right[i]);
    }
    const std::size_t first = sizes.first();
    for (std::size_t a = 0; a < m_allowed.size(); ++a) {
      // One of the two is right at the first size.
      if (right[a] + largest < count || !m_allowed[a].test(first)) continue;
      for (std::size_t b = 0; b < m_allowed.size(); ++b)
        if (right[a] + right[b] >= count && sizes.is_in(m_allowed[a], m_allowed[b])) return 2;
    }
    return std::max<std::size_t>(3, (count + largest - 1) / largest);
  }

  /// The best configuration of a leaf and what it loses there; nothing where none is right.
  std::optional<std::pair<double, std::size_t>> leaf(const Bits& sizes) const {
    std::optional<std::pair<double, std::size_t>> best;
    for (std::size_t i = 0; i < m_set.size(); ++i) {
      if (!m_allowed[i].contains(sizes)) continue;
      double loss = 0;
      sizes.each(
          [&](std::size_t size) { loss += m_losses.at(size, m_set[i]) * m_losses.table().weight(size); });
      if (!best || loss < best->first) best = std::pair(loss, m_set[i]);
    }
    return best;
  }

  /// A tree by the split that leaves least to do on its two sides; its leaves.
  std::size_t grow(const Bits& sizes) {
    if (known(sizes).at_least == 1) return 1;
    std::size_t best = nowhere;
    std::pair<std::size_t, std::size_t> least(nowhere, nowhere);
    for (std::size_t i = 0; i < m_splits.size(); ++i) {
      const auto [yes, no] = parted(sizes, i);
      if (!yes.any() || !no.any()) continue;
      const std::pair todo(known(yes).at_least + known(no).at_least, wrong(yes) + wrong(no));
      if (todo < least) std::tie(least, best) = std::pair(todo, i);
    }
    known(sizes).greedy = best;
    const auto [yes, no] = parted(sizes, best);
    return grow(yes) + grow(no);
  }

  /// At how many sizes the configuration that is right most often is not.
  std::size_t wrong(const Bits& sizes) const {
    std::size_t right = 0;
    for (const Bits& allowed : m_allowed) right = std::max(right, allowed.count_common(sizes));
    return sizes.count() - right;
  }

  /// The leaves of the smallest tree where it has at most so many; else more than that.
  std::size_t leaves(const Bits& sizes, std::size_t most) {
    {
      const Facts& so_far = known(sizes);
      if (so_far.leaves != nowhere) return so_far.leaves;
      if (so_far.at_least > most) return most + 1;
      if (so_far.at_least == 1) return 1;
    }
    std::size_t best = most + 1;
    std::size_t best_split = nowhere;
    for (std::size_t i = 0; i < m_splits.size() && best > known(sizes).at_least && m_effort > 0; ++i) {
      --m_effort;
      const auto [yes, no] = parted(sizes, i);
      if (!yes.any() || !no.any()) continue;
      const std::size_t of_no = known(no).at_least;
      if (known(yes).at_least + of_no >= best) continue;
      const std::size_t one = leaves(yes, best - 1 - of_no);
      if (one + of_no >= best) continue;
      const std::size_t other = leaves(no, best - 1 - one);
      if (one + other < best) std::tie(best, best_split) = std::pair(one + other, i);
    }
    if (m_effort <= 0) return most + 1;  // what was found is not known to be the smallest
    Facts& result = known(sizes);
    if (best_split != nowhere)
      std::tie(result.leaves, result.split) = std::pair(best, best_split);
    else
      result.at_least = std::max(result.at_least, most + 1);
    return best;
  }

  /// The least loss of a tree with at most so many leaves; infinite where none was found.
  double cheapest(const Bits& sizes, std::size_t most) {
    const auto found = known(sizes).cheapest.find(most);
    if (found != known(sizes).cheapest.end()) return found->second.loss;
    Tree best;
    if (const auto as_leaf = leaf(sizes)) best.loss = as_leaf->first;
    for (std::size_t i = 0; i < m_splits.size() && most > 1 && m_effort > 0; ++i) {
      --m_effort;
      const auto [yes, no] = parted(sizes, i);
      if (!yes.any() || !no.any()) continue;
      const std::size_t of_no = known(no).at_least;
      for (std::size_t part = known(yes).at_least; part + of_no <= most; ++part) {
        const double loss = cheapest(yes, part) + cheapest(no, most - part);
        if (loss < best.loss - 1e-9) best = {loss, i, part};
      }
    }
    known(sizes).cheapest[most] = best;
    return best.loss;
  }

  std::pair<Bits, Bits> parted(const Bits& sizes, std::size_t split) const {
    return {sizes & m_splits[split].yes, sizes.without(m_splits[split].yes)};
  }

  /// Of the trees that were found for `sizes` the cheapest, else the smallest, else the greedy one. Returns
  /// its place.
  std::size_t write(const Bits& sizes, std::size_t most, Rule& rule) {
    Facts& here = known(sizes);
    const auto cheap = here.cheapest.find(most);
    const bool is_cheap =
        cheap != here.cheapest.end() && cheap->second.loss < std::numeric_limits<double>::infinity();
    std::size_t split = here.greedy;
    if (is_cheap)
      split = cheap->second.split;
    else if (here.at_least == 1 || here.split != nowhere)
      split = here.split;
    const std::size_t place = rule.nodes.size();
    rule.nodes.emplace_back();
    if (split == nowhere) {
      rule.nodes[place].configuration = leaf(sizes)->second;
      m_leaves.emplace_back(place, sizes);
      return place;
    }
    const auto [yes, no] = parted(sizes, split);
    const std::size_t of_yes = is_cheap ? cheap->second.leaves_of_yes : most;
    const std::size_t of_no = is_cheap ? most - of_yes : most;
    rule.nodes[place].is_leaf = false;
    rule.nodes[place].feature = m_splits[split].feature;
    rule.nodes[place].threshold = threshold(m_splits[split], yes, no);
    const std::size_t yes_place = write(yes, of_yes, rule);
    const std::size_t no_place = write(no, of_no, rule);
    rule.nodes[place].yes = yes_place;
    rule.nodes[place].no = no_place;
    return place;
  }

  void order_others(Rule& rule) const {
    for (const auto& [place, sizes] : m_leaves) {
      std::map<std::size_t, double> nearest;  // sizes at which each other is picked
      for (const auto& [other, there] : m_leaves) {
        const std::size_t configuration = rule.nodes[other].configuration;
        if (configuration == rule.nodes[place].configuration) continue;
        double& least =
            nearest.try_emplace(configuration, std::numeric_limits<double>::infinity()).first->second;
        least = std::min(least, distance(sizes, there));
      }
      std::vector<std::pair<double, std::size_t>> order;
      for (const auto& [configuration, away] : nearest) order.emplace_back(away, configuration);
      std::sort(order.begin(), order.end());
      for (const auto& [away, configuration] : order) rule.nodes[place].otherwise.push_back(configuration);
    }
  }

  /// Of the nearest two sizes of both, in octaves.
  double distance(const Bits& a, const Bits& b) const {
    double least = std::numeric_limits<double>::infinity();
    const std::vector<Sizes>& all = m_losses.table().sizes;
    a.each([&](std::size_t one) {
      b.each([&](std::size_t other) {
        double sum = 0;
        for (std::size_t i = 0; i < all[one].size(); ++i)
          sum +=
              std::pow(std::log2(static_cast<double>(all[one][i]) / static_cast<double>(all[other][i])), 2);
        least = std::min(least, std::sqrt(sum));
      });
    });
    return least;
  }

  /// Midway between the sizes that meet the question.
  double threshold(const Split& split, const Bits& yes, const Bits& no) const {
    if (split.feature.kind == Feature::Kind::remainder) return 0;
    double low = 0;
    double high = std::numeric_limits<double>::infinity();
    const auto value = [&](std::size_t size) {
      return value_of(split.feature, m_losses.table().sizes[size]);
    };
    yes.each([&](std::size_t size) { low = std::max(low, value(size)); });
    no.each([&](std::size_t size) { high = std::min(high, value(size)); });
    return midway(low, high, split.feature.kind != Feature::Kind::ratio);
  }

  const Losses& m_losses;
  const std::vector<std::size_t>& m_set;
  const std::vector<Bits>& m_allowed;
  const std::vector<Split> m_splits;
  const std::int64_t m_budget;
  std::int64_t m_effort;
  struct Hash {
    std::size_t operator()(const Bits& sizes) const { return sizes.hash(); }
  };
  std::unordered_map<Bits, Facts, Hash> m_known;
  std::vector<std::pair<std::size_t, Bits>> m_leaves;  ///< of the rule that was written, by their places
};

void add_lines(const Rule& rule, std::size_t place, const std::vector<std::string>& dimensions,
               const std::vector<std::string>& names, std::size_t indent, std::string& out) {
  const std::string blanks(indent, ' ');
  const auto add_side = [&](const std::string& head, std::size_t side) {
    const RuleNode& node = rule.nodes[side];
    out += fmt::format("{}{}:{}\n", blanks, head, node.is_leaf ? " " + names[node.configuration] : "");
    if (!node.is_leaf) add_lines(rule, side, dimensions, names, indent + 2, out);
  };
  std::string word = "if ";
  for (; !rule.nodes[place].is_leaf; place = rule.nodes[place].no) {
    add_side(word + text(rule.nodes[place], dimensions), rule.nodes[place].yes);
    word = "else if ";
  }
  const std::string& name = names[rule.nodes[place].configuration];
  out += fmt::format("{}{}{}\n", blanks, word == "if " ? "" : "else: ", name);
}

}  // namespace

const RuleNode& Rule::leaf(const Sizes& sizes) const {
  std::size_t at = 0;
  while (!nodes[at].is_leaf)
    at = value_of(nodes[at].feature, sizes) <= nodes[at].threshold ? nodes[at].yes : nodes[at].no;
  return nodes[at];
}

bool Rule::has_failed(const Sizes& sizes, std::size_t configuration) const {
  const auto there = std::ranges::lower_bound(failed, sizes, {}, &FailedAt::sizes);
  return there != failed.end() && there->sizes == sizes &&
         std::ranges::binary_search(there->configurations, configuration);
}

std::string letter_of(std::size_t number) {
  const std::string letter(1, static_cast<char>('A' + number % 26));
  return number < 26 ? letter : letter + std::to_string(number / 26);
}

std::string text(const RuleNode& question, const std::vector<std::string>& dimensions) {
  const Feature& feature = question.feature;
  const std::string& a = dimensions[feature.a];
  const std::string& b = dimensions[feature.b];
  const std::string limit = fmt::format("{}", question.threshold);
  switch (feature.kind) {
    case Feature::Kind::size:
      return fmt::format("{} <= {}", a, limit);
    case Feature::Kind::least:
      return fmt::format("min({}) <= {}", fmt::join(dimensions, ", "), limit);
    case Feature::Kind::most:
      return fmt::format("max({}) <= {}", fmt::join(dimensions, ", "), limit);
    case Feature::Kind::product:
      return fmt::format("{} <= {}", fmt::join(dimensions, " * "), limit);
    case Feature::Kind::pair:
      return fmt::format("{} * {} <= {}", a, b, limit);
    case Feature::Kind::ratio:
      return fmt::format("{} / {} <= {}", a, b, limit);
    case Feature::Kind::remainder:
      return fmt::format("{} % {} == 0", a, feature.modulus);
  }
  return "";
}

std::string text(const Rule& rule, const std::vector<std::string>& dimensions,
                 const std::vector<std::string>& names, std::size_t indent) {
  std::string out;
  if (!rule.nodes.empty()) add_lines(rule, 0, dimensions, names, indent, out);
  return out;
}

Rule find_rule(const Losses& losses, const std::vector<std::size_t>& set, const std::vector<Bits>& allowed,
               const Bits& sizes, const Effort& effort) {
  if (set.empty() || !sizes.any()) return {};
  return TreeSearch(losses, set, allowed, sizes, effort.trees).run(sizes);
}

}  // namespace tuner::cover
