#include <fmt/format.h>

#include <algorithm>

#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"

namespace tuner::space {
namespace {

std::string offered_types(const model::KernelSpec& spec) {
  std::vector<std::string_view> names;
  for (const model::ElementType type : spec.types) names.push_back(model::cuda_name(type));
  return fmt::format("kernel `{}` offers {}", spec.name, fmt::join(names, ", "));
}

}  // namespace

model::Problem make_problem(const model::KernelSpec& spec, const std::vector<std::int64_t>& sizes,
                            std::optional<model::ElementType> type, std::int64_t row_padding) {
  if (sizes.size() != 1 && sizes.size() != spec.sizes.size()) {
    throw model::UsageError(
        fmt::format("{} numbers for the size of kernel `{}`", sizes.size(), spec.name),
        fmt::format("give one, or {}: {}", spec.sizes.size(), fmt::join(spec.sizes, " x ")));
  }
  model::Problem problem;
  problem.family = spec.family;
  for (std::size_t i = 0; i < spec.sizes.size(); ++i) {
    const std::int64_t value = sizes.size() == 1 ? sizes[0] : sizes[i];
    if (value < 1) {
      throw model::UsageError(fmt::format("size {} = {}", spec.sizes[i], value), "sizes start at 1");
    }
    problem.sizes.push_back({spec.sizes[i], value});
  }
  if (type && std::find(spec.types.begin(), spec.types.end(), *type) == spec.types.end()) {
    throw model::UsageError(
        fmt::format("kernel `{}` has no version for {}", spec.name, model::cuda_name(*type)),
        offered_types(spec));
  }
  if (!type && spec.types.empty()) {
    throw model::UsageError(fmt::format("kernel `{}` offers no element type", spec.name));
  }
  problem.type = type ? *type : spec.types.front();
  if (row_padding < 0) throw model::UsageError(fmt::format("row padding {} is negative", row_padding));
  if (row_padding > 0 && spec.row_padding.empty()) {
    throw model::UsageError(
        fmt::format("kernel `{}` has no padded rows, but {} was asked for", spec.name, row_padding),
        "leave --pad out, or give the spec a row_padding name");
  }
  problem.row_padding = row_padding;
  return problem;
}

}  // namespace tuner::space
