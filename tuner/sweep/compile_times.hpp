#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/configuration.hpp"

namespace tuner::sweep {

/// What compiling configurations takes, learnt from those that were compiled: of each kernel the logarithm as
/// a sum of a part for each parameter's value, fitted by ridge regression. Knows no kernel: what lengthens a
/// compilation is what has lengthened others.
class CompileTimes {
 public:
  /// Of the later ones of a kernel so many count.
  static constexpr std::size_t most_results = 512;

  /// `compile_ms` above 0: what comes from a cache says nothing.
  void learn(const std::string& kernel, const model::Configuration& configuration, double compile_ms);
  /// 0 where nothing is known of the kernel.
  double expected_ms(const std::string& kernel, const model::Configuration& configuration);
  /// How many times it has learnt.
  std::size_t known() const { return m_known; }

 private:
  struct Result {
    std::vector<std::size_t> effects;
    double log_ms = 0;
  };
  struct Kernel {
    std::map<std::pair<std::string, model::Value>, std::size_t> effect_of;  ///< by parameter and value
    std::deque<Result> results;
    double mean = 0;
    std::vector<double> effects;
    bool is_fitted = false;
  };
  static void fit(Kernel& kernel);

  std::map<std::string, Kernel> m_kernels;
  std::size_t m_known = 0;
};

}  // namespace tuner::sweep
