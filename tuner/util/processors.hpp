#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "tuner/util/group_limits.hpp"

namespace tuner::util {

/// Memory that this process may use: the machine's, or its control groups' limit.
std::int64_t usable_memory_bytes();

/// Calls `work` with every index below `count`, from as many threads as there is enough to do for: of
/// `worth_a_thread` indices each. What it throws is thrown here, once all have ended.
void for_each_index(std::size_t count, std::size_t worth_a_thread,
                    const std::function<void(std::size_t)>& work);

}  // namespace tuner::util
