#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace tuner::measure {

/// The samples of one problem on two occasions: processes, days, machines of one kind.
struct TwoOccasions {
  std::span<const double> a;  ///< at least one each, all positive
  std::span<const double> b;
};

/// Whether A is slower than it may be.
enum class Allowed { yes, no, undecided };
std::string_view to_string(Allowed allowed);

/// How much slower A is at one of several problems that are judged together.
struct Slowdown {
  double ratio = 1;  ///< of the fastest sample of A by that of B
  double low = 1;    ///< all true ratios lie above these at once with 99 %, and below those likewise
  double high = 1;
  Allowed allowed = Allowed::undecided;  ///< no: `low` is above the limit; yes: `high` is not
};

/// Compares fastest samples, since what differs between two occasions (a clock lowered for power or heat,
/// other work on the GPU) only adds time: medians of one binary were seen to differ by 6 % between processes
/// where the fastest samples differed by 0.1 %. The spacing of the two fastest estimates how far the fastest
/// is from what the device can do (Robson and Whitlock, Estimation of a truncation point, Biometrika 51,
/// 1964). What else differs between occasions is estimated by how the ratios of all problems scatter around
/// their median, in median absolute deviations. Margins are of a normal distribution at 1 % for all problems
/// together (Bonferroni), so that in a hundred comparisons of unchanged kernels at most one has a problem not
/// allowed. `limit`: 0.01 allows one per cent.
std::vector<Slowdown> slowdowns(const std::vector<TwoOccasions>& problems, double limit);

}  // namespace tuner::measure
