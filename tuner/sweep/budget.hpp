#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/model/configuration.hpp"

namespace tuner::sweep {

/// When to stop before everything is measured; absent: never.
struct Budget {
  std::optional<double> seconds;
  std::optional<double> device_seconds;  ///< inside the runners, summed over them
  std::optional<std::int64_t> trials;
  bool is_shared = true;  ///< among the problems; else one after another is done whole, as far as it goes
};

/// What each problem of a sweep may take of its budget, so that none is left out: when its turn begins, an
/// equal part of what is left for those whose turn is to come, itself included. Who ends early leaves more to
/// these. What problems at work have not taken of their shares is promised to them, so it does not matter how
/// far each is.
class BudgetShares {
 public:
  /// A share of one turn: where any of these is reached it is spent. Without any it has no end of its own.
  struct Share {
    std::optional<double> until;         ///< by the clock
    std::optional<double> device_until;  ///< device seconds of its own problem
    std::optional<std::int64_t> trials;  ///< of this turn
  };
  /// What is left of shares.
  struct Promised {
    std::size_t problems = 0;
    std::int64_t trials = 0;
    double seconds = 0;
    double device_seconds = 0;
  };
  /// What the devices have worked so far, at the trials of one problem, or all together.
  using DeviceSeconds = std::function<double(std::optional<std::size_t> problem)>;

  /// By the clock `devices` problems have their turn at once.
  BudgetShares(const Budget& budget, std::function<double()> clock, DeviceSeconds device_seconds,
               std::size_t devices);

  /// Of `problem`, one of `problems` that are to share what is left, the promised among them; of the last
  /// there is no end but the budget's.
  Share share(std::size_t problem, std::size_t problems, const Promised& promised) const;
  Share share(std::size_t problem, std::size_t problems) const {
    return share(problem, problems, Promised());
  }
  /// Adds what is left of one in whose turn so many trials were begun; one without an end has none.
  void promise(std::size_t problem, const Share& share, std::int64_t begun, Promised& promised) const;
  /// Whether `problem` has had its share of time.
  bool is_over(std::size_t problem, const Share& share) const;
  /// Whether nothing is left to share.
  bool is_spent() const;
  /// Whether its time is over.
  bool is_late() const;
  /// A trial is begun, or was not run after all: `trials` is 1 or -1.
  void count(std::int64_t trials) { m_trials += trials; }

 private:
  Budget m_budget;
  std::function<double()> m_clock;
  DeviceSeconds m_device_seconds;
  std::size_t m_devices;
  double m_began;
  std::int64_t m_trials = 0;
};

/// One part of several into which a sweep is split, each for a machine or a job of its own.
struct Shard {
  int number = 1;  ///< 1 … of
  int of = 1;

  /// Whether a configuration is of this shard: decided by the kernel's name and the configuration alone. So
  /// all sizes of a binary are in one shard, every configuration is in exactly one of `of`, and neither what
  /// is known nor another value in the spec's lists moves any.
  bool has(std::string_view kernel, const model::Configuration& configuration) const;
  std::string text() const;  ///< `3/16`
};

/// `3/16`. Throws model::UsageError for anything else, and for a number that is none of 1 … of.
Shard parse_shard(std::string_view text);

}  // namespace tuner::sweep
