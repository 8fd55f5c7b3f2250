#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/model/results.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// All kernels' configurations that compete on one problem. Trials of a group share inputs and expected
/// results, so groups are measured one after another.
struct Group {
  model::Problem problem;
  std::vector<std::size_t> work;                ///< kernels that take part: indices into Request::work
  std::vector<space::ConfigurationList> lists;  ///< parallel to `work`
  /// One for each configuration, in the order of `work` and lists, what is known included.
  std::vector<search::SearchSpace::Candidate> candidates;
  std::vector<model::Digest> keys;                   ///< parallel to `candidates`
  std::vector<std::optional<search::Result>> known;  ///< parallel to `candidates`
  std::int64_t count_known() const;
};

/// A problem left out of the sweep, and why.
struct Exclusion {
  model::Problem problem;
  std::string kernel;
  std::string reason;
};

struct TrialList {
  std::vector<Group> groups;
  std::vector<Exclusion> excluded;
  std::int64_t total() const;
  std::int64_t known() const;
};

/// Expands a request into trials and notes those that `source` has a result of (unless Request::fresh). What
/// died is tried again, and so is a baseline whose library was not there; with Request::retry_failed also all
/// that failed when it was run. A problem on which
/// a kernel has no valid configuration, or whose buffers do not fit the device's memory, is excluded for that
/// kernel, with the reason.
TrialList list_trials(const Request& request, model::ResultSource& source);

}  // namespace tuner::sweep
