#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace tuner::device::cpu::sanitize {

/// Has `work(i)` done for each i below `count`, in forked children, `most` of them at a time, and gives what
/// each returned to `done`, in the order of i. Threads will not do: work under sanitizers forks in its turn.
/// Throws model::Error with its text where `work` throws, and where a child cannot be made or dies.
void run_side_by_side(std::size_t count, int most, const std::function<std::string(std::size_t)>& work,
                      const std::function<void(std::size_t, const std::string&)>& done);

}  // namespace tuner::device::cpu::sanitize
