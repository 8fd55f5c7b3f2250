#pragma once
#include <cstddef>
#include <vector>

#include "tuner/cover/rule.hpp"
#include "tuner/cover/table.hpp"

namespace tuner::cover {

/// A way to part the sizes of a table by one question.
struct Split {
  Feature feature;
  double threshold = 0;
  Bits yes;
};

/// Every way that a feature parts `sizes`, each once, by the simplest feature that does.
std::vector<Split> splits(const Table& table, const Bits& sizes);

/// Midway between two numbers by their ratio, and as round as still parts them: `low` is at most it, and
/// `high` is more. A whole number where `whole`.
double midway(double low, double high, bool whole);

}  // namespace tuner::cover
