#include "tuner/sweep/compile_times.hpp"

#include <cmath>

namespace tuner::sweep {

void CompileTimes::learn(const std::string& kernel, const model::Configuration& configuration,
                         double compile_ms) {
  if (!(compile_ms > 0)) return;
  Kernel& known = m_kernels[kernel];
  Result result;
  result.log_ms = std::log(compile_ms);
  for (const model::Assignment& one : configuration.assignments())
    result.effects.push_back(
        known.effect_of.try_emplace({one.name, one.value}, known.effect_of.size()).first->second);
  known.results.push_back(std::move(result));
  if (known.results.size() > most_results) known.results.pop_front();
  known.is_fitted = false;
  ++m_known;
}

/// By coordinate descent, an effect after the other, each against what the others leave.
void CompileTimes::fit(Kernel& kernel) {
  constexpr int rounds = 8;
  constexpr double ridge = 0.3;  // results' worth of doubt in each effect
  kernel.mean = 0;
  for (const Result& result : kernel.results) kernel.mean += result.log_ms;
  kernel.mean /= static_cast<double>(kernel.results.size());
  kernel.effects.assign(kernel.effect_of.size(), 0);
  std::vector<std::vector<std::size_t>> having(kernel.effects.size());
  std::vector<double> rest;  // of each result, what nothing explains yet
  for (std::size_t i = 0; i < kernel.results.size(); ++i) {
    rest.push_back(kernel.results[i].log_ms - kernel.mean);
    for (const std::size_t effect : kernel.results[i].effects) having[effect].push_back(i);
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t effect = 0; effect < having.size(); ++effect) {
      double sum = 0;
      for (const std::size_t i : having[effect]) sum += rest[i] + kernel.effects[effect];
      const double fitted = sum / (static_cast<double>(having[effect].size()) + ridge);
      for (const std::size_t i : having[effect]) rest[i] -= fitted - kernel.effects[effect];
      kernel.effects[effect] = fitted;
    }
  }
  kernel.is_fitted = true;
}

double CompileTimes::expected_ms(const std::string& kernel, const model::Configuration& configuration) {
  const auto known = m_kernels.find(kernel);
  if (known == m_kernels.end()) return 0;
  if (!known->second.is_fitted) fit(known->second);
  double log_ms = known->second.mean;
  for (const model::Assignment& one : configuration.assignments()) {
    const auto effect = known->second.effect_of.find({one.name, one.value});
    if (effect != known->second.effect_of.end()) log_ms += known->second.effects[effect->second];
  }
  return std::exp(log_ms);
}

}  // namespace tuner::sweep
