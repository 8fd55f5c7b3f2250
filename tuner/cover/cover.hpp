#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/cover/rule.hpp"
#include "tuner/cover/table.hpp"

namespace tuner::cover {

/// What a set of configurations is to achieve.
struct Goal {
  double within = 0.02;     ///< the smallest set that loses at most this at every size …
  std::size_t at_most = 0;  ///< … or, unless 0, the set of at most so many that loses least
};

struct Choice {
  std::vector<std::size_t> configurations;  ///< ascending
  bool exact = false;                       ///< proved to be the smallest, or to lose the least
};

/// What a configuration may be used for at a size, by the goal: its loss, or infinite where it may not.
double usable_loss(const Losses& losses, const Goal& goal, std::size_t size, std::size_t configuration);

/// Configurations that no other makes superfluous, whatever the goal and whichever of the sizes count.
std::vector<std::size_t> undominated(const Losses& losses);

/// The set for `sizes` out of `candidates`. Sets of n are ordered by sizes without a usable configuration,
/// then weighted mean loss, then worst loss; so are the smallest sets within a bound.
Choice choose(const Losses& losses, const std::vector<std::size_t>& candidates, const Bits& sizes,
              const Goal& goal, const Effort& effort);

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

/// At a share of all cases the loss is at most `loss`: so it is with this confidence, where the cases at hand
/// were drawn like those to come. By order statistics, which know no distribution.
struct Bound {
  double share = 0;
  double confidence = 0;
  double loss = 0;        ///< infinite: at too many of the cases the loss is unknown
  std::size_t cases = 0;  ///< that were at hand
};

/// P(X <= k) of a binomial variable.
double binomial_at_most(std::size_t k, std::size_t n, double p);

/// Of `losses`, infinite where unknown: for 9 of 10, 4 of 5 and 1 of 2 cases, as far as so many cases can
/// speak of them, for which it takes 29, 14 and 5. Empty: they are too few to say anything.
std::vector<Bound> bounds(std::vector<double> losses, double confidence = 0.95);
/// The first that is finite, so of the largest share; null where none is.
const Bound* largest_known(const std::vector<Bound>& bounds);

/// What is lost at sizes that a cover was not made for.
struct Estimate {
  std::vector<double> singly;             ///< at each size, with this size left out; infinite: unknown
  std::size_t left_out = 0;               ///< sizes that were left out singly
  std::size_t without_any = 0;            ///< … at which no configuration of the set may then run
  std::vector<double> in_neighbourhoods;  ///< at each size where all that are near it were left out as well
  std::vector<std::vector<std::size_t>> neighbourhoods;  ///< sizes that lie together
  std::vector<Bound> between;  ///< at sizes that lie like those measured, from `singly`
  std::vector<Bound> beyond;   ///< at the worst size of a neighbourhood without any measured size
};

/// Makes the cover again without each size and without each neighbourhood, and reads from the table what it
/// loses there. Of more than 64 sizes it leaves out every second, third, … singly.
Estimate estimate(const Losses& losses, const Goal& goal, const Effort& effort);

/// Cells of half an octave in each dimension, or of as many octaves as it takes until two sizes share a cell
/// in the mean.
std::vector<std::vector<std::size_t>> neighbourhoods(const std::vector<Sizes>& sizes);

/// For each dimension the largest number that divides all of `sizes`, which are not empty.
Sizes shared_multiple(const std::vector<Sizes>& sizes);

/// Sizes that lie like `measured`: each between one of them and one of the nearest to it, by ratio, at
/// multiples of `multiple`. So dimensions that are equal, or that keep a ratio, do so here as well. At most
/// `count`, all different and none of `measured`; fewer where there are no more, or where they are hard to
/// find. The seed decides which, and a larger count begins with the same.
std::vector<Sizes> draw_between(const std::vector<Sizes>& measured, const Sizes& multiple, std::size_t count,
                                std::uint64_t seed);

/// What sizes that were measured afterwards say of a bound.
struct Held {
  std::size_t within = 0;  ///< sizes that lose no more than it says
  std::size_t of = 0;
  double chance = 0;          ///< of so few within, or fewer, where the bound holds just so
  bool is_refuted = false;    ///< that chance is under 5 %
  bool is_confirmed = false;  ///< so many within would have a chance under 5 % where it does not hold
};
/// Of a bound that is finite. `losses`: infinite where the pick has no time.
Held hold(const Bound& bound, const std::vector<double>& losses);

}  // namespace tuner::cover
