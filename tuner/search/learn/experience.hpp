#pragma once

namespace tuner::search::learn {

/// How often searches on test spaces that ended like one ended more than 5 % behind the best of their space.
struct Experience {
  double behind = 0;           ///< share of all of them
  double behind_at_worst = 0;  ///< share on the kind of space where it was largest
};

/// Of searches whose last stretch of results gained less than 1 %. `knows_near`: another size of the same
/// device was known; `fails`: the share of the results that were failures. docs/search.md has the table and
/// its command.
inline Experience experience(bool knows_near, double fails) {
  if (knows_near) return {0.19, 0.80};
  return fails < 0.2 ? Experience{0.08, 0.70} : Experience{0.05, 0.08};
}

}  // namespace tuner::search::learn
