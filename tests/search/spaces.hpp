#pragma once
#include "tuner/search/strategy.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::test {

/// The space of one kernel with one parameter X of `size` values, nothing known.
struct LineSpace {
  explicit LineSpace(std::size_t size)
      : kernel(line_kernel(size)),
        problem(space::make_problem(kernel.spec(), {1024}, std::nullopt, 0)),
        configurations(kernel.list(problem, model::DeviceLimits{})) {
    space.problem = problem;
    space.kernels = {{&kernel.spec(), &configurations}};
    for (std::size_t i = 0; i < size; ++i) space.candidates.push_back({0, i});
    space.known.resize(size);
  }
  LineSpace(const LineSpace&) = delete;
  LineSpace& operator=(const LineSpace&) = delete;

  space::KernelSpace kernel;
  model::Problem problem;
  space::ConfigurationList configurations;
  search::SearchSpace space;

 private:
  static model::KernelSpec line_kernel(std::size_t size) {
    model::KernelSpec spec;
    spec.name = "line";
    spec.family = "lines";
    spec.sizes = {"N"};
    spec.types = {model::ElementType::float32};
    model::ParameterSpec x;
    x.name = "X";
    for (std::size_t i = 0; i < size; ++i) x.values.emplace_back(static_cast<std::int64_t>(i));
    // A parameter has a value: an empty space is one that no value satisfies.
    if (size == 0) x.values.emplace_back(std::int64_t{0});
    if (size == 0) spec.constraints = {{"X > 0", {}}};
    spec.parameters = {x};
    model::StepSpec launch;
    launch.entry = "line";
    launch.grid = {{"1", {}}};
    launch.block = {{"32", {}}};
    spec.steps = {launch};
    return spec;
  }
};

}  // namespace tuner::test
