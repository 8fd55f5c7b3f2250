#include "tuner/device/cpu/sanitize/awkward_sizes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

namespace tuner::device::cpu::sanitize {
namespace {

using Sizes = std::vector<std::int64_t>;
constexpr std::int64_t usual_tile = 32;  // where the grid does not depend on an extent
constexpr std::int64_t row_padding = 3;

class TileFinder {
 public:
  TileFinder(const space::KernelSpace& kernel, const model::Configuration& configuration,
             model::ElementType type, const model::DeviceLimits& limits)
      : m_kernel(kernel), m_configuration(configuration), m_type(type), m_limits(limits) {}

  /// The largest size of extent `d` (the others 1) that needs no more blocks than size 1. Blocks never get
  /// fewer as an extent grows, so halving finds it.
  std::int64_t tile(std::size_t d, std::int64_t most) const {
    const auto least = blocks(d, 1);
    const auto at_most = blocks(d, most);
    if (!least || !at_most || *at_most <= *least) return 0;
    std::int64_t low = 1;
    std::int64_t high = most;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      const auto count = blocks(d, middle);
      if (!count) return 0;
      (*count > *least ? high : low) = middle;
    }
    return low;
  }

 private:
  std::optional<std::int64_t> blocks(std::size_t d, std::int64_t size) const {
    Sizes sizes(m_kernel.spec().sizes.size(), 1);
    sizes[d] = size;
    const auto plan =
        m_kernel.make_plan(space::make_problem(m_kernel.spec(), sizes, m_type, 0), m_configuration, m_limits);
    if (!std::holds_alternative<model::Plan>(plan)) return std::nullopt;
    std::int64_t total = 0;
    for (const model::Step& step : std::get<model::Plan>(plan).steps) total += step.grid.count();
    return total;
  }

  const space::KernelSpace& m_kernel;
  const model::Configuration& m_configuration;
  model::ElementType m_type;
  const model::DeviceLimits& m_limits;
};

Sizes tiles_of(const space::KernelSpace& kernel, const model::Configuration& configuration,
               model::ElementType type, const model::DeviceLimits& limits) {
  const std::size_t count = kernel.spec().sizes.size();
  // An instrumented element costs a microsecond; a volume of tiles must stay affordable.
  const std::int64_t most = count == 1 ? std::int64_t{1} << 17U : 512;
  const TileFinder finder(kernel, configuration, type, limits);
  Sizes tiles(count, 0);
  for (std::size_t d = 0; d < count; ++d) tiles[d] = finder.tile(d, most);
  const std::int64_t known = *std::max_element(tiles.begin(), tiles.end());
  for (std::int64_t& tile : tiles) {
    if (tile == 0) tile = known > 1 ? std::min(known, 2 * usual_tile) : usual_tile;
  }
  return tiles;
}

}  // namespace

std::vector<model::Problem> awkward_problems(const space::KernelSpace& kernel,
                                             const model::Configuration& configuration,
                                             model::ElementType type, const model::DeviceLimits& limits) {
  const Sizes tiles = tiles_of(kernel, configuration, type, limits);
  const std::size_t count = tiles.size();
  const Sizes prime(count, count == 1 ? 1009 : 37);
  std::vector<model::Problem> problems;
  const auto add = [&](const Sizes& sizes, std::int64_t padding) {
    const model::Problem problem = space::make_problem(kernel.spec(), sizes, type, padding);
    const bool known = std::find(problems.begin(), problems.end(), problem) != problems.end();
    const bool possible =
        kernel.allows(problem, configuration, limits) &&
        std::holds_alternative<model::Plan>(kernel.make_plan(problem, configuration, limits));
    if (!known && possible) problems.push_back(problem);
  };
  Sizes below = tiles;
  Sizes above = tiles;
  for (std::size_t d = 0; d < count; ++d) {
    below[d] = std::max<std::int64_t>(tiles[d] - 1, 1);
    above[d] = tiles[d] + 1;
  }
  add(Sizes(count, 1), 0);
  add(prime, 0);
  add(below, 0);
  add(above, 0);
  for (std::size_t longest = 0; count > 1 && longest < count; ++longest) {
    Sizes rectangle(count, 5);
    rectangle[longest] = tiles[longest] + 3;
    add(rectangle, 0);
  }
  if (!kernel.spec().row_padding.empty()) {
    add(prime, row_padding);
    add(above, row_padding);
  }
  return problems;
}

}  // namespace tuner::device::cpu::sanitize
