#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/problem.hpp"
#include "tuner/model/trial_status.hpp"
#include "tuner/space/configuration_list.hpp"

namespace tuner::search {

/// How the trial of one candidate ended.
struct Result {
  model::TrialStatus status = model::TrialStatus::ok;
  /// Absent where there is none to go by: every status but ok and dropped. Of a dropped trial it is a bound:
  /// sampling it further would have shown it as no faster than the cut.
  std::optional<double> time_ns;
};

/// What a strategy searches: the configurations of one or several kernels that compete on one problem.
struct SearchSpace {
  struct Kernel {
    const model::KernelSpec* spec = nullptr;  ///< parameters with their values
    const space::ConfigurationList* configurations = nullptr;
  };
  struct Candidate {
    std::size_t kernel = 0;         ///< index into `kernels`
    std::size_t configuration = 0;  ///< index into its configurations
  };
  /// What another problem of the same sweep says of these candidates.
  struct Neighbour {
    model::Problem problem;
    std::vector<std::optional<Result>> results;  ///< parallel to `candidates`
  };

  model::Problem problem;
  std::vector<Kernel> kernels;
  std::vector<Candidate> candidates;
  std::vector<std::optional<Result>> known;            ///< parallel to `candidates`: results of before
  std::function<std::vector<Neighbour>()> neighbours;  ///< as far as they are known when asked; may be null

  std::size_t size() const { return candidates.size(); }
  /// Where a candidate lies among its kernel's values, one coordinate a parameter.
  std::span<const std::uint16_t> coordinates(std::size_t candidate) const {
    const Candidate& one = candidates[candidate];
    return kernels[one.kernel].configurations->coordinates(one.configuration);
  }
};

/// Which candidate of a space comes next. A driver asks for several before it reports any of them, so that
/// compiling can run ahead of measuring, but for no more than lookahead(). A strategy proposes a candidate at
/// most once, and none that is known.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// The next candidate. Nothing: none before one of those under way is reported; with none under way, the
  /// search is over.
  virtual std::optional<std::size_t> next() = 0;
  /// What `candidate` was compiled to: its resources are known some time before its result.
  virtual void compiled(std::size_t /*candidate*/, const model::Compilation& /*compilation*/) {}
  /// Says how `candidate`, which next() gave, ended.
  virtual void report(std::size_t candidate, const Result& result) = 0;
  /// How many proposals may be under way at once: a strategy that learns loses by every one it makes blindly.
  virtual std::size_t lookahead() const { return std::numeric_limits<std::size_t>::max(); }
};

}  // namespace tuner::search
