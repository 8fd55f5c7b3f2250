#include "tuner/cli/problems.hpp"

#include <fmt/format.h>

#include <optional>

#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"

namespace tuner::cli {
namespace {

std::vector<model::Problem> problems_of(const model::KernelSpec& kernel, const config::Settings& settings) {
  std::vector<model::Problem> problems;
  for (const std::int64_t padding : settings.paddings()) {
    for (const auto& sizes : settings.sizes()) {
      problems.push_back(space::make_problem(kernel, sizes, settings.type(), padding));
    }
  }
  return problems;
}

}  // namespace

std::vector<sweep::Work> make_work(const std::vector<model::KernelSpec>& kernels,
                                   const config::Settings& settings, std::vector<std::string>& notices) {
  std::vector<sweep::Work> work;
  std::optional<model::UsageError> first;
  for (const model::KernelSpec& kernel : kernels) {
    try {
      work.push_back({space::KernelSpace(kernel), problems_of(kernel, settings)});
    } catch (const model::UsageError& error) {
      if (!first) first = error;
      notices.push_back(fmt::format("left out: {}", error.what()));
    }
  }
  if (work.empty() && first) throw *first;
  return work;
}

}  // namespace tuner::cli
