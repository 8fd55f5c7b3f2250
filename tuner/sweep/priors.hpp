#pragma once
#include <cstddef>
#include <map>
#include <mutex>
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
class Priors : SweepPart {
 public:
  /// By group.
  using Results = std::vector<search::Results>;

  using SweepPart::SweepPart;

  /// From any thread: strategies may ask at the same time.
  std::vector<search::SearchSpace::Prior> of(std::size_t group, const Results& results);

 private:
  class Places;

  std::vector<search::SearchSpace::Prior> of_this_sweep(std::size_t group, const Results& results,
                                                        const Places& places) const;
  std::vector<search::SearchSpace::Prior> remembered(std::size_t group, const Places& places);
  model::CaseName name_of(const Group& group) const;
  void say_unfit(const std::string& kernel);

  std::mutex m_mutex;  ///< over what follows, and the database
  std::map<std::size_t, std::vector<search::SearchSpace::Prior>> m_remembered;  ///< by group
  std::set<std::string> m_said;  ///< kernels whose past parameters are others, and that were told
};

}  // namespace tuner::sweep
