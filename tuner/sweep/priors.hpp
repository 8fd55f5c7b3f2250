#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/search/strategy.hpp"
#include "tuner/sweep/request.hpp"
#include "tuner/sweep/trial_list.hpp"

namespace tuner::sweep {

/// What the configurations of a problem did elsewhere: on the other sizes of this sweep, as far as it has
/// come, and on the sizes, devices, drivers and toolkits that the database remembers. Costs nothing until
/// somebody asks; the database is asked once a problem.
class Priors {
 public:
  /// By group.
  using Results = std::vector<search::Results>;

  /// The references must outlive the object.
  Priors(const Request& request, const TrialList& list, Services& services)
      : m_request(request), m_list(list), m_services(services) {}

  std::vector<search::SearchSpace::Prior> of(std::size_t group, const Results& results);

 private:
  class Places;

  std::vector<search::SearchSpace::Prior> of_this_sweep(std::size_t group, const Results& results,
                                                        const Places& places) const;
  std::vector<search::SearchSpace::Prior> remembered(std::size_t group, const Places& places);
  model::CaseName name_of(const Group& group) const;
  void say_unfit(const std::string& kernel);

  const Request& m_request;
  const TrialList& m_list;
  Services& m_services;
  std::map<std::size_t, std::vector<search::SearchSpace::Prior>> m_remembered;  ///< by group
  std::set<std::string> m_said;  ///< kernels whose past parameters are others, and that were told
};

}  // namespace tuner::sweep
