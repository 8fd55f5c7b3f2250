#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "tuner/measure/statistics.hpp"

namespace tuner::measure {

enum class Verdict { faster, slower, tied };

/// `faster`, `slower`, `tied`
std::string_view to_string(Verdict verdict);

/// Of samples that were taken apart, at least one each and all positive: the median of `a` by that of `b`,
/// and the 95 % percentile bootstrap interval of it, both sides drawn again independently (Efron and
/// Tibshirani, An Introduction to the Bootstrap, 1993, chapters 8 and 13). Fewer than 6 samples on a side
/// cannot say as much: then the interval is what their extremes allow. It knows nothing of what drifted
/// between the two; samples in pairs do, see paired_ratio().
Ratio unpaired_ratio(std::span<const double> a, std::span<const double> b, std::uint64_t seed);

/// From the ratios of two times to a third: a by b. The interval holds whatever the two errors have in common
/// and is wider than it would have to be.
Ratio quotient(const Ratio& a, const Ratio& b);

/// The same seen from the other side.
Ratio inverse(const Ratio& ratio);

/// What a ratio of times says of the first: tied where its interval comes within a thousandth of 1, since two
/// copies of one kernel differ by as much.
Verdict verdict(const Ratio& ratio);

}  // namespace tuner::measure
