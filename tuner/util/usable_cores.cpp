#include "tuner/util/usable_cores.hpp"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <thread>

namespace tuner::util {

int usable_cores() {
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  constexpr int most_cores = 1 << 14;  // the kernel refuses a set smaller than its own
  const std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(most_cores));
  const std::size_t bytes = CPU_ALLOC_SIZE(most_cores);
  if (set && sched_getaffinity(0, bytes, set.get()) == 0) return std::max(CPU_COUNT_S(bytes, set.get()), 1);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace tuner::util
