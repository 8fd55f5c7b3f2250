#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

/// What compiling and running one configuration takes in the pipeline of a sweep.
struct Pipeline {
  double compile_ms = 150;
  double workers = 16;
  double launches = 10;
  /// Of one evaluation whose compilers are kept busy: its share of a compile, and its runs.
  double cost_ms(double time_ms, bool failed) const {
    return compile_ms / workers + (failed ? 0 : launches * time_ms);
  }
};

/// All times of a space, as scores need them. A failed configuration counts as the slowest that worked.
struct Times {
  /// `time_ms`: of each configuration; not finite: it failed. At least one worked.
  Times(std::vector<double> time_ms, const Pipeline& pipeline);

  std::vector<double> time_ms;
  std::vector<double> cost_ms;
  double best = 0;
  double median = 0;
  double worst = 0;
  double mean_cost = 0;
  /// Draws without replacement that random search is expected to need for 95 % of the way from the median to
  /// the best; at least 30.
  std::size_t budget = 0;
  std::vector<double> random;          ///< its expected best after 1, 2, … draws; exact
  std::vector<double> random_by_time;  ///< and when as many mean costs are spent; 1000 runs
};

/// One run of a strategy: configurations in the order in which they completed. It may end once the best was
/// found.
using Trace = std::vector<std::size_t>;

struct Score {
  double score = 0;    ///< mean over the budget of the share of random search's gap that is closed
  double by_time = 0;  ///< the same over the time that the budget takes
  double first20 = 0;  ///< the same over the first 20 evaluations
  double to_1_percent =
      0;  ///< median evaluations until within 1 % of the best; infinite if not within the run
  double to_5_percent = 0;
};

Score score(const Times& times, std::span<const Trace> traces);

/// Mean best so far after 1, 2, …, `evaluations`.
std::vector<double> best_so_far(const Times& times, std::span<const Trace> traces, std::size_t evaluations);

}  // namespace bench
