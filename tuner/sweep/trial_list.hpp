#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuner/model/results.hpp"
#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// One trial to do: which configuration of which kernel; the problem is its group's.
struct Candidate {
  std::size_t work = 0;           ///< index into Request::work
  std::size_t configuration = 0;  ///< index into Group::lists[…]
  model::Digest key;
};

/// All kernels' configurations that compete on one problem. Trials of a group share inputs and expected
/// results, so groups are measured one after another.
struct Group {
  model::Problem problem;
  std::vector<std::size_t> work;                ///< kernels that take part
  std::vector<space::ConfigurationList> lists;  ///< parallel to `work`
  std::vector<Candidate> candidates;            ///< without a result yet
  std::int64_t known = 0;
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

/// Expands a request into trials and drops those that `source` has a result of (unless Request::fresh). A
/// problem on which a kernel has no valid configuration, or whose buffers do not fit the device's memory, is
/// excluded for that kernel, with the reason.
TrialList list_trials(const Request& request, model::ResultSource& source);

/// The class that trials of `type` belong to.
model::ComparisonClass comparison_class(const Request& request, model::ElementType type);

}  // namespace tuner::sweep
