#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/best.hpp"

namespace tuner::cli::answers {

/// Several environments may have an answer to one question: two GPUs, another driver, a quick look at what
/// was tuned all night. Times of two environments are never compared; which environment answers is decided by
/// how its answer was found:
///
///   1. An environment with less than a tenth of the settled configurations of another, on a device of no
///   better kind, is a
///      try and no answer. (Settled: tried, or passed over by a search that ended by itself.)
///   2. Of the rest one answers that nobody surpasses: another surpasses it that is at least as good a kind
///   of device
///      (GPU, recording, CPU), as well searched and as carefully measured (method: quick, standard, complete,
///      thorough, exhaustive), and better in one of these. Of different devices, whose spaces differ, one is
///      better searched where it has twice as many settled.
///   3. Where several are left that are of one device, type, L2 policy and inputs and equal in all this, the
///   newest.
///
/// Else nothing does.
struct EnvironmentChoice {
  std::vector<std::size_t> answers;   ///< what there is to choose from, as places in the list given
  std::optional<std::size_t> chosen;  ///< one of these; nothing: no rule chooses
  std::string why;                    ///< why it, or why none; empty where there is one environment
};

/// The choice of each family, at each size where the answers are of several.
std::vector<EnvironmentChoice> choose_environments(const std::vector<db::BestAnswer>& answers);

/// By how many samples a trial gets: the more, the larger. A method that is not known is like the first.
int carefulness(std::string_view method);

/// The flags that pick one of several environments, for a hint: `--gpu NAME (H100, H200), --measure …`.
std::string choosing_flags(const std::vector<const db::BestAnswer*>& answers);

}  // namespace tuner::cli::answers
