#pragma once
#include <cstdint>

#include "tuner/cli/answers/checked_cover.hpp"
#include "tuner/cli/chosen_race.hpp"
#include "tuner/cli/cover_answer.hpp"

namespace tuner::cli {

/// How a cover is checked at sizes that were never measured.
struct CoverCheckOptions {
  int sizes = 0;                 ///< so many; 0: not at all
  std::int64_t multiple_of = 0;  ///< instead of what divides all measured sizes; 0: that
  int search = 32;               ///< configurations that race at each
};

/// Draws sizes and races there what the rule picks, the defaults, the rest of the cover, and what did best at
/// the nearest sizes. Throws model::Error where the kernels are not at hand as they were measured, or there
/// is no size to draw.
answers::CoverCheck check_cover(const answers::CoverAnswer& answer, const KernelsAtHand& at_hand,
                                const CoverCheckOptions& options, std::uint64_t seed, ChosenRace& race);

}  // namespace tuner::cli
