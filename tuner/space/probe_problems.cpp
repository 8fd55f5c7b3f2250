#include "tuner/space/probe_problems.hpp"

#include <array>
#include <cstdint>

#include "tuner/space/space.hpp"

namespace tuner::space {
namespace {

using Extents = std::array<std::int64_t, 3>;
constexpr Extents below_a_tile = {33, 71, 45};
constexpr Extents beyond_a_tile = {131, 203, 77};
constexpr std::int64_t odd_padding = 3;

model::Problem probe(const model::KernelSpec& spec, model::ElementType type, const Extents& extents,
                     std::int64_t row_padding) {
  std::vector<std::int64_t> sizes;
  if (spec.sizes.size() == 1) {
    sizes.push_back(extents[0] * extents[1]);  // of as many elements as a matrix has
  } else {
    for (std::size_t i = 0; i < spec.sizes.size(); ++i) {
      const std::int64_t small = 3 + 2 * static_cast<std::int64_t>(i);  // the product stays small
      sizes.push_back(i < extents.size() ? extents[i] : small);
    }
  }
  return make_problem(spec, sizes, type, row_padding);
}

}  // namespace

std::vector<model::Problem> probe_problems(const model::KernelSpec& spec, const model::Problem& problem) {
  const std::int64_t padding = spec.row_padding.empty() ? 0 : odd_padding;
  return {probe(spec, problem.type, below_a_tile, 0), probe(spec, problem.type, beyond_a_tile, padding)};
}

}  // namespace tuner::space
