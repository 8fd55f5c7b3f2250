#include "tuner/sweep/for_each_index.hpp"

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

namespace tuner::sweep {

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  constexpr std::size_t enough = 256;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(count / enough, 1, cores);
  std::vector<std::future<void>> others;
  const auto do_part = [&](std::size_t part) {
    for (std::size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) work(i);
  };
  for (std::size_t part = 1; part < parts; ++part)
    others.push_back(std::async(std::launch::async, do_part, part));
  do_part(0);
  for (auto& other : others) other.get();
}

}  // namespace tuner::sweep
