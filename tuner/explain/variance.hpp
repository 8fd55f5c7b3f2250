#pragma once
#include <cstddef>
#include <vector>

namespace tuner::explain {

/// One configuration: the place of its value in each parameter's list, and the logarithm of its time.
struct Observation {
  std::vector<int> values;
  double log_time = 0;
  bool is_bound = false;  ///< it takes at least this: it was dropped early
};

/// How much of the variance of log time goes with parameters, alone or in pairs.
struct VarianceShares {
  struct Share {
    std::size_t first = 0;
    std::size_t second = 0;  ///< of a pair what neither says alone; the same as `first`: no pair
    double share = 0;
    bool is_pair() const { return first != second; }
  };
  std::vector<Share> shares;  ///< largest first; those below 1 % are left out
  /// Of the variance of configurations that a tree has not seen, what the trees foretell; at most 1. Where it
  /// is small, so is what the shares say.
  double foretold = 0;
};

/// Functional analysis of variance over a forest of regression trees (Hutter, Hoos and Leyton-Brown, An
/// efficient approach for assessing hyperparameter importance, ICML 2014), each parameter's values weighed by
/// how often they were tried. A bound that the trees take for too small is lifted to what they foretell
/// (Schmee and Hahn, A simple method for regression analysis with censored data, Technometrics 1979). Equal
/// observations give equal shares. `levels`: how many values each parameter has.
VarianceShares variance_shares(const std::vector<int>& levels, std::vector<Observation> observations);

}  // namespace tuner::explain
