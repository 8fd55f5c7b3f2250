#pragma once
#include <cstddef>
#include <functional>

namespace tuner::sweep {

/// Calls `work` with every index below `count`, from as many threads as there is enough to do for.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace tuner::sweep
