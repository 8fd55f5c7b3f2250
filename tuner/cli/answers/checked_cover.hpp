#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/answers/cover.hpp"
#include "tuner/cli/answers/words.hpp"

namespace tuner::cli::answers {

/// A size that was measured to see whether a cover holds there.
struct CheckedSize {
  model::Problem problem;
  std::optional<std::size_t> picked;       ///< by the rule, in the cover's table; nothing: none may run
  std::size_t chosen = 0;                  ///< configurations that are to race
  std::size_t tried = 0;                   ///< … and have raced, whichever way they ended
  std::optional<model::TrialRecord> best;  ///< of those; nothing: none has a time
  /// Against the best; infinite where it has no time.
  double loss = std::numeric_limits<double>::infinity();
  /// The lower end of its 95 % interval, where pick and best were sampled in turn; else the same. What cannot
  /// be told from a loss within a bound is no reason to refute it.
  double loss_low = std::numeric_limits<double>::infinity();
  bool is_approximate = false;  ///< the pick was dropped early: it loses about so much
  double default_loss = std::numeric_limits<double>::infinity();  ///< of the best of the defaults
};

struct CoverCheck {
  std::uint64_t seed = 0;
  std::size_t asked = 0;
  std::size_t drawn = 0;             ///< fewer where there are no more
  cover::Sizes multiple;             ///< by dimension
  bool is_of_all = true;             ///< it divides all measured sizes, so that a bound speaks of these
  std::vector<CheckedSize> sizes{};  ///< that were reached
};

/// Whether a stated bound is refuted by these sizes.
bool is_refuted(const CoverAnswer& answer, const CoverCheck& check);

/// For a terminal: each size, each bound of the cover, and what these sizes say by themselves.
std::string check_text(const CoverAnswer& answer, const CoverCheck& check, const Style& style);
/// The same, for the key `check` of cover_json().
reports::Json check_json(const CoverAnswer& answer, const CoverCheck& check);

}  // namespace tuner::cli::answers
