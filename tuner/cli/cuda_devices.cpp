#include "tuner/cli/cuda_devices.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "tuner/model/error.hpp"
#include "tuner/util/command.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

std::vector<std::string> visible_cuda_devices() {
  constexpr std::chrono::seconds limit{60};
  const util::CommandResult told = util::run_command({"/proc/self/exe", "worker", "devices"}, "/", limit);
  std::vector<std::string> ids;
  std::size_t begin = 0;
  while (begin < told.output.size()) {
    const std::size_t end = std::min(told.output.find('\n', begin), told.output.size());
    const std::string line = told.output.substr(begin, end - begin);
    if (line.starts_with("cuda:")) ids.push_back(line);
    begin = end + 1;
  }
  return ids;
}

std::string why_unlike(const model::DeviceInfo& first, const model::DeviceInfo& other) {
  const auto differs = [&](const char* what, const auto& a, const auto& b) {
    return fmt::format("its {} is {}, that of {} is {}", what, b, first.id, a);
  };
  if (first.name != other.name) return differs("name", first.name, other.name);
  if (first.architecture != other.architecture)
    return differs("architecture", first.architecture, other.architecture);
  // What the driver keeps to itself may differ a little.
  constexpr double alike = 0.01;
  const auto bytes = static_cast<double>(first.memory_bytes);
  if (std::abs(bytes - static_cast<double>(other.memory_bytes)) > alike * bytes)
    return differs("memory in bytes", first.memory_bytes, other.memory_bytes);
  if (first.limits.multiprocessors != other.limits.multiprocessors)
    return differs("number of multiprocessors", first.limits.multiprocessors, other.limits.multiprocessors);
  if (first.limits != other.limits) return fmt::format("its limits are not those of {}", first.id);
  return "";
}

}  // namespace tuner::cli
