#include "tuner/sweep/search_record.hpp"

#include <algorithm>

#include "tuner/sweep/trial_maker.hpp"

namespace tuner::sweep {

model::SearchRecord search_record(const Request& request, const TrialList& list, const EndedSearch& ended) {
  const Group& group = list.groups[ended.group];
  model::SearchRecord record;
  record.problem = group.problem;
  record.comparison_class = comparison_class(request, group.problem.type);
  record.run = request.run.id;
  record.strategy = ended.strategy;
  record.ending = ended.ending;
  record.tried = ended.tried;
  record.failed = ended.failed;
  if (!group.is_whole()) {  // what a shard expects of the rest it expects of its own
    if (ended.ending == model::SearchEnding::exhausted) record.ending = model::SearchEnding::gave_up;
  } else if (ended.ending != model::SearchEnding::exhausted) {
    record.outlook = ended.outlook;
  }
  for (std::size_t i = 0; i < group.work.size(); ++i) {
    const space::KernelSpace& kernel = request.work[group.work[i]].kernel;
    if (!model::may_win(kernel.spec().role)) continue;
    record.parts.push_back({kernel.spec().name, kernel.spec_digest(), group.launchable[i]});
  }
  std::sort(record.parts.begin(), record.parts.end(),
            [](const auto& a, const auto& b) { return a.kernel < b.kernel; });
  return record;
}

}  // namespace tuner::sweep
