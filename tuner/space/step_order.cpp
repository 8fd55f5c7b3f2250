#include "tuner/space/step_order.hpp"

#include <algorithm>
#include <set>

namespace tuner::space {
namespace {

using Waits = std::set<int>;

/// The latest step before `index` on the same stream, or -1.
int predecessor(const std::vector<model::StepSpec>& steps, std::size_t index) {
  for (std::size_t i = index; i-- > 0;) {
    if (steps[i].stream == steps[index].stream) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::vector<std::vector<int>> waits_of_kept(const std::vector<model::StepSpec>& steps,
                                            const std::vector<bool>& kept) {
  std::vector<std::vector<int>> result;
  std::vector<Waits> stands_for(steps.size());  // the kept steps that waiting for a step comes down to
  std::vector<int> number(steps.size(), -1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Waits waits;
    for (const int before : steps[i].after) waits.merge(Waits(stands_for[static_cast<std::size_t>(before)]));
    const int previous = predecessor(steps, i);
    const bool gap = previous >= 0 && !kept[static_cast<std::size_t>(previous)];
    // In a stream that lost a step, the order the lost one imposed on its successor has to be said.
    if (gap || (previous >= 0 && !kept[i])) {
      waits.merge(Waits(stands_for[static_cast<std::size_t>(previous)]));
    }
    if (!kept[i]) {
      stands_for[i] = std::move(waits);
      continue;
    }
    std::vector<int> named;
    for (const int before : waits) {
      if (steps[static_cast<std::size_t>(before)].stream != steps[i].stream) {
        named.push_back(number[static_cast<std::size_t>(before)]);
      }
    }
    number[i] = static_cast<int>(result.size());
    stands_for[i] = {static_cast<int>(i)};
    result.push_back(std::move(named));
  }
  return result;
}

}  // namespace tuner::space
