#pragma once
#include "tuner/sweep/request.hpp"

namespace tuner::sweep {

/// Makes the keys of one kernel's trials on one problem; what they share is worked out once.
class IdentityMaker {
 public:
  IdentityMaker(const Request& request, const Work& work, const model::Problem& problem,
                const model::ComparisonClass& comparison);

  model::Digest trial(const model::Configuration& configuration) const;

 private:
  const Request& m_request;
  const Work& m_work;
  const model::Problem& m_problem;
  const model::ComparisonClass& m_comparison;
  model::Digest m_reference_key;
};

}  // namespace tuner::sweep
