#pragma once
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <vector>

#include "tuner/util/group_limits.hpp"

namespace tuner::util {

/// Memory that this process may use: the machine's, or its control groups' limit.
inline std::int64_t usable_memory_bytes() {
  const std::int64_t all = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  const double limit = group_limits().memory_bytes;
  return limit > 0 && limit < static_cast<double>(all) ? static_cast<std::int64_t>(limit) : all;
}

/// Calls `work` with every index below `count`, from as many threads as there is enough to do for: of
/// `worth_a_thread` indices each. What it throws is thrown here, once all have ended.
inline void for_each_index(std::size_t count, std::size_t worth_a_thread,
                           const std::function<void(std::size_t)>& work) {
  static const auto cores = static_cast<std::size_t>(usable_processors());
  const std::size_t parts =
      std::clamp<std::size_t>(count / std::max<std::size_t>(1, worth_a_thread), 1, cores);
  std::vector<std::future<void>> others;
  const auto do_part = [&](std::size_t part) {
    for (std::size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) work(i);
  };
  for (std::size_t part = 1; part < parts; ++part)
    others.push_back(std::async(std::launch::async, do_part, part));
  do_part(0);
  for (auto& other : others) other.get();
}

}  // namespace tuner::util
