#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/problem.hpp"
#include "tuner/model/search_record.hpp"
#include "tuner/search/candidates.hpp"
#include "tuner/space/configuration_list.hpp"

namespace tuner::search {

/// What is known of a candidate once it is compiled, before anything is launched.
struct Compiled {
  model::TrialStatus status = model::TrialStatus::ok;  ///< else it will not run, and why
  double compile_ms = 0;                               ///< 0: it was in the cache
  int registers = 0;
  std::int64_t spilled_bytes = 0;  ///< local memory of a thread
  std::int64_t shared_bytes = 0;   ///< of a block, static and dynamic
  std::int64_t threads = 0;        ///< of a block
  std::int64_t blocks = 0;         ///< of the grid
  double occupancy = 0;            ///< of a multiprocessor, 0 to 1; 0: unknown
  double waves = 0;                ///< blocks / the blocks that the device holds at once; 0: unknown
};

/// What a strategy searches: the configurations of one or several kernels that compete on one problem.
struct SearchSpace {
  struct Kernel {
    const model::KernelSpec* spec = nullptr;  ///< parameters with their values
    const space::ConfigurationList* configurations = nullptr;
  };
  using Candidate = search::Candidate;
  /// What these candidates did elsewhere: on another size, another device, with another driver or toolkit.
  struct Prior {
    std::string origin;      ///< for people: `1024x1024x1024`, `NVIDIA A100-PCIE-40GB`
    model::Problem problem;  ///< that they were measured on
    bool same_class = true;  ///< on this device, with this driver and toolkit
    Results results;         ///< parallel to `candidates`
  };

  model::Problem problem;
  std::vector<Kernel> kernels;
  Candidates candidates;
  Results known;  ///< parallel to `candidates`: results of before
  /// Whether a candidate may be tried here at all: of a space too large to look at each beforehand, some
  /// cannot be launched, and some are another shard's. Null: all may. May be asked from several threads.
  std::function<bool(std::size_t candidate)> offers;
  /// As far as they are known when asked, which is to be in the strategy's constructor alone; may be null.
  std::function<std::vector<Prior>()> priors;

  std::size_t size() const { return candidates.size(); }
  /// Where a candidate lies among its kernel's values, one coordinate a parameter.
  space::Coordinates coordinates(std::size_t candidate) const {
    const Candidate one = candidates[candidate];
    return kernels[one.kernel].configurations->coordinates(one.configuration);
  }
};

/// A candidate to be tried, and where the idea came from.
struct Proposal {
  std::size_t candidate = 0;
  std::string idea;  ///< for people, a word or a prior's origin: `random`, `model`, `1024x1024x1024`
};

using model::Outlook;

/// Which candidate of a space comes next. A driver asks for several before it reports any of them, so that
/// compiling can run ahead of measuring, but for no more than lookahead(). A strategy proposes a candidate at
/// most once, and none that is known. One caller at a time; where several problems are searched at once, the
/// strategies of different ones may be asked at the same time.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// What to try next. Nothing: nothing before one of those under way is reported; with none under way, the
  /// search is over.
  virtual std::optional<Proposal> next() = 0;
  /// What `candidate` was compiled to. Returns whether it is still worth running; report() follows in any
  /// case, with `skipped` where it was not run.
  virtual bool compiled(std::size_t /*candidate*/, const Compiled& /*compiled*/) { return true; }
  /// Says how `candidate`, which next() gave, ended.
  virtual void report(std::size_t candidate, const Result& result) = 0;
  /// How many proposals may be under way at once: a strategy that learns loses by every one it makes blindly.
  virtual std::size_t lookahead() const { return std::numeric_limits<std::size_t>::max(); }
  /// What it expects of what is left; nothing as long as it cannot say.
  virtual std::optional<Outlook> outlook() const { return std::nullopt; }
};

}  // namespace tuner::search
