#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/compare.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::cli {

/// What came of timing kernels in turn on one problem.
struct TimedSize {
  model::Problem problem;
  struct Kernel {
    std::string name;                         ///< as people know it
    std::optional<model::TrialRecord> trial;  ///< with samples; none: it was not tried
    std::string failure;                      ///< why it has no time; empty: it has one
    std::optional<Compared> to_first;         ///< it as A, the first as B
  };
  std::vector<Kernel> kernels;  ///< in the order in which they were named
};

struct TimedKernels {
  std::string device;
  std::vector<std::string> assumed;
  std::string not_compared;  ///< why results were not held against each other; empty: they were
  std::vector<TimedSize> sizes;
  std::optional<double> allowed_share;  ///< what --fail-if-slower says
  int interrupted = 0;                  ///< the exit code of the signal that ended it early; 0: none
};

/// That of a signal; else done, slower where a kernel surely is by more than it may, failed where one has no
/// time.
int exit_code_of(const TimedKernels& timed);

/// A table, then a sentence for each size and kernel behind the first.
std::string timed_text(const TimedKernels& timed, std::size_t columns);
/// `{"schema_version": 1, "device", "assumed", "results_compared", "partial", "exit_code", "sizes": [{…,
/// "kernels": […]}]}`; times in nanoseconds, ratios of a kernel's time by that of the first.
std::string timed_json(const TimedKernels& timed);

}  // namespace tuner::cli
