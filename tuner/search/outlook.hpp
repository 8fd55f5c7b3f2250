#pragma once
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// What a search brought of late: how much faster its best became over a stretch of results that is long for
/// the space. A failure is no such result: it tells where not to look, not that nothing is left.
class RecentGain {
 public:
  /// Tells of a result; `log_time`: absent where it is only a bound. Not of a failure.
  void add(std::optional<double> log_time);

  struct Gain {
    double share = 0;      ///< of the best time before the stretch
    std::size_t over = 0;  ///< results that it is of: the stretch, or all where they are fewer
    /// Whether there were as many results as the stretch is long.
    bool is_complete = false;
  };
  /// The stretch grows with the square root of `candidates`. Half of it, but no fewer than 40 results, is as
  /// telling where another size on the same device is known. Nothing before there was a time.
  /// `at_most`: as long as it need be, but for 20 results.
  std::optional<Gain> gain(double candidates, bool half,
                           std::size_t at_most = std::numeric_limits<std::size_t>::max()) const;
  /// Results since the last that was faster than all before.
  std::size_t since_improved() const;

 private:
  std::vector<double> m_best;  ///< log time after each result, infinite before there was one
};

/// What is left to gain after some candidates were drawn at random, from how close the fastest of them lie:
/// the logarithm of the time is taken to have an exponential lower tail, whose mean the fastest tell (Hill,
/// A simple general approach to inference about the tail of a distribution, 1975). Of `left` candidates that
/// were not drawn, J are faster with probability (1 - q) q^J, q = left / all, and the gain is the largest of
/// J exponential variables. Tails of real spaces end, so this errs on the side of hope.
///
/// `log_times`: of what was drawn, failures left out; `drawn`: with them. Nothing below 10 times.
std::optional<Outlook> order_statistics(std::vector<double> log_times, std::size_t drawn, std::size_t left);

/// At most this share of what is left of `candidates` is faster than the best of `drawn` of them, with 95 %
/// confidence: were more of them faster, so many draws would have met one. Holds on any space.
double most_faster(std::size_t candidates, std::size_t drawn);

/// What any strategy knows once no candidate is left.
Outlook exhausted();

}  // namespace tuner::search
