#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::test {

struct Parameter {
  std::string name;
  std::vector<std::int64_t> values;
};

/// Kernels with all combinations of their parameters' values, nothing known.
struct Grids {
  Grids() { space.problem = {"grids", {{"N", 1024}}, model::ElementType::float32, 0}; }
  Grids(const Grids&) = delete;
  Grids& operator=(const Grids&) = delete;

  void add(const std::vector<Parameter>& parameters, const std::string& threads = "32") {
    model::KernelSpec& spec = m_specs.emplace_back();
    spec.name = "grid" + std::to_string(m_specs.size());
    spec.family = "grids";
    spec.sizes = {"N"};
    spec.types = {model::ElementType::float32};
    std::size_t count = 1;
    for (const Parameter& parameter : parameters) {
      model::ParameterSpec& one = spec.parameters.emplace_back();
      one.name = parameter.name;
      for (const std::int64_t value : parameter.values) one.values.emplace_back(value);
      count *= parameter.values.size();
    }
    model::StepSpec launch;
    launch.entry = spec.name;
    launch.grid = {{"1", {}}};
    launch.block = {{threads, {}}};
    spec.steps = {launch};
    space::ConfigurationList& list = m_lists.emplace_back(spec.parameters);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::uint16_t> at(parameters.size());
      std::size_t rest = i;
      for (std::size_t p = parameters.size(); p-- > 0; rest /= parameters[p].values.size())
        at[p] = static_cast<std::uint16_t>(rest % parameters[p].values.size());
      space.candidates.push_back({m_specs.size() - 1, i});
      list.add(at);
    }
    space.kernels.push_back({&spec, &list});
    space.known.resize(space.size());
  }

  search::SearchSpace space;

 private:
  std::deque<model::KernelSpec> m_specs;
  std::deque<space::ConfigurationList> m_lists;
};

}  // namespace tuner::test
