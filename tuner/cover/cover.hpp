#pragma once
#include <cstddef>
#include <vector>

#include "tuner/cover/choose.hpp"
#include "tuner/cover/rule.hpp"
#include "tuner/cover/table.hpp"

namespace tuner::cover {

/// Of a set of n each size is given one that loses at most this more than the best of the set: so little is
/// not worth a question of the rule.
constexpr double not_worth_a_question = 0.01;

/// Configurations to ship, and which of them is used where.
struct Cover {
  Choice set;
  Rule rule;
  /// What the rule's configuration loses at each size that it was made for, in the order of the table;
  /// infinite where nothing of the set is known.
  std::vector<double> losses;
};

/// The cover of `sizes`; see choose() and find_rule(). `candidates`: of undominated(). There is at least one
/// size, and at each something is known.
Cover cover(const Losses& losses, const std::vector<std::size_t>& candidates, const Bits& sizes,
            const Goal& goal, const Effort& effort);

/// Of all sizes.
Cover cover(const Losses& losses, const Goal& goal, const Effort& effort = {});

/// The weighted mean and the worst of what is lost at sizes where that is known.
struct Summary {
  double mean = 0;
  double worst = 0;
  std::size_t worst_size = 0;
  std::size_t known = 0;
};
/// `losses`: by size, infinite where unknown.
Summary summary(const Table& table, const std::vector<double>& losses);

}  // namespace tuner::cover
