#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "tuner/device/device.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::measure {

/// What Final needs to know; it knows no device.
struct FinalTask {
  struct Finalist {
    int launches_per_sample = 1;
    int kernels = 1;      ///< launches of one sequence
    bool may_win = true;  ///< a baseline may not: it stays to the end, and no finalist leaves because of it
  };
  model::FinalPolicy policy;
  std::vector<Finalist> finalists;  ///< at least one that may win
  std::uint64_t seed = 0;
  double max_sm_clock_mhz = 0;                        ///< to tell throttled samples by; 0: unknown
  std::function<device::Timing(std::size_t)> sample;  ///< takes one of this finalist
  std::function<void()> begin_round;                  ///< called before each
  std::function<void()> rest;  ///< called before a round is taken again for its clock; may be null
};

/// Samples the best of a problem in turn, and says which is the fastest; see model::FinalJob.
///
/// **Choosing.** From the 10th round on, after every 5th, a finalist leaves whose time by the current
/// fastest one's exceeds 1.001 by six standard errors: so far that looking again and again, at several, does
/// not turn out one that is as fast (with ten alike in 40 rounds, somebody once in fifty finals). The fastest
/// at the end is the winner.
///
/// **Confirming.** Fresh rounds of the winner and all that are left: where others are left at least 6 however
/// long they take, since fewer give no interval. Only these tell the winner's time, and who is tied with it.
/// It was chosen without them, so that they owe it nothing: picking the lowest of these medians would flatter
/// it again. But where they show another one to be faster beyond doubt, that one is the fastest.
///
/// Intervals hold for all finalists left at once with 95 % (Bonferroni). A finalist is tied when its
/// interval reaches down to 1.001: two copies of one kernel differ by as much, since they lie elsewhere in
/// memory.
///
/// A round in which a sample was throttled is thrown away, at most as many as policy.confirming_rounds; from
/// then on such rounds are kept. Both are counted as throttled samples of the finalist. So is a confirming
/// round in which a finalist's clock is under 0.97 of what it had while choosing: times that are shown
/// beside each other are to be of one clock, and a winner that runs alone may heat the device as no trial did
/// before.
class Final {
 public:
  explicit Final(FinalTask task);

  /// What `sample` throws passes through.
  model::FinalOutcome run();

 private:
  using Series = std::vector<device::Timing>;  ///< of one finalist, a sample each round it took part in

  void choose();
  void confirm();
  bool take_round(std::vector<Series>& into);
  bool is_slowed(const device::Timing& sample, std::size_t finalist, const std::vector<Series>& into) const;
  void shuffle();
  void eliminate();
  std::size_t fastest_left() const;
  std::vector<double> times(const Series& series, std::size_t finalist) const;
  std::vector<model::Standing> standings(std::size_t fastest) const;
  model::Standing standing(std::size_t finalist, std::size_t fastest) const;
  bool is_left(std::size_t finalist) const;
  bool may_win(std::size_t finalist) const { return m_task.finalists[finalist].may_win; }
  std::size_t rivals_left() const;

  FinalTask m_task;
  std::mt19937_64 m_random;
  std::vector<std::size_t> m_left;  ///< in the order of the last round
  std::vector<Series> m_choosing;
  std::vector<Series> m_confirming;
  std::vector<int> m_throttled;  ///< samples of each finalist
  double m_spent_ns = 0;         ///< timed work of the current part
  std::size_t m_winner = 0;      ///< of the choosing part
  int m_rounds = 0;
  int m_throttled_rounds = 0;
};

}  // namespace tuner::measure
