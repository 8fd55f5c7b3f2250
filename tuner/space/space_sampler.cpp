#include "tuner/space/space_sampler.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "tuner/space/descent.hpp"

namespace tuner::space {

/// A descent that takes the values of each parameter in random order, and begins again where it has looked
/// for long without meeting anything.
class SpaceSampler {
 public:
  SpaceSampler(const CompiledSpec& compiled, const model::Problem& problem, const model::DeviceLimits& limits)
      : m_descent(compiled, problem, limits) {}

  ConfigurationList draw(const std::vector<model::ParameterSpec>& parameters, const GoOn& go_on) {
    constexpr std::size_t most = std::size_t{1} << 16U;
    constexpr std::uint64_t least_steps = std::uint64_t{1} << 16U;  // milliseconds, whoever is in a hurry
    constexpr std::uint64_t most_steps = std::uint64_t{1} << 25U;
    std::set<std::vector<std::uint16_t>> found;
    std::uint64_t looked = 0;
    const bool any = m_descent.passes(m_descent.m_always);
    while (any && found.size() < most && m_steps < most_steps &&
           (m_steps < least_steps || !go_on || go_on())) {
      m_end = m_steps + patience;
      if (descend(0)) found.insert(m_descent.m_coordinates);
      // Hundreds of draws without a new one: it is all that can be met this way.
      if (++looked > 64 * (found.size() + 4096)) break;
    }
    ConfigurationList list(parameters);
    for (const auto& coordinates : found) list.add(coordinates);
    list.mark_as_sample();
    return list;
  }

 private:
  static constexpr std::uint64_t patience = 1U << 16U;

  bool descend(std::size_t index) {
    if (index == m_descent.m_levels.size()) return true;
    const CompiledParameter& parameter = *m_descent.m_levels[index].parameter;
    const Descent::Choices choice = m_descent.choices(m_descent.m_levels[index]);
    std::vector<std::uint16_t> order;
    if (choice.inactive) order.push_back(ConfigurationList::inactive);
    for (std::size_t i = 0; choice.values && i < parameter.codes.size(); ++i)
      order.push_back(static_cast<std::uint16_t>(i));
    for (std::size_t left = order.size(); left > 0 && m_steps < m_end; --left) {
      std::swap(order[left - 1], order[m_random() % left]);
      const std::uint16_t at = order[left - 1];
      const bool off = at == ConfigurationList::inactive;
      ++m_steps;
      if (m_descent.set(index, at, off ? parameter.otherwise : parameter.codes[at]) && descend(index + 1))
        return true;
    }
    return false;
  }

  Descent m_descent;
  std::mt19937_64 m_random{1};
  std::uint64_t m_steps = 0;
  std::uint64_t m_end = 0;
};

ConfigurationList sample_space(const CompiledSpec& compiled, const model::Problem& problem,
                               const model::DeviceLimits& limits, const GoOn& go_on) {
  return SpaceSampler(compiled, problem, limits).draw(compiled.spec.parameters, go_on);
}

}  // namespace tuner::space
