#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace tuner::search::learn {

/// What is believed of all candidates before anything is measured here. A model subtracts it, as far as it
/// turns out to be right, and learns the rest.
struct Trend {
  std::string origin;        ///< for people; empty: nobody's idea
  std::vector<float> value;  ///< of each candidate: log time elsewhere, or a number of spreads
  bool in_spreads = false;   ///< in units of the spread of results, since it knows no times
  double log_weight = 0;     ///< how far it is believed, before any result
};

}  // namespace tuner::search::learn
