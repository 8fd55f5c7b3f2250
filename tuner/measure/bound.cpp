#include "tuner/measure/bound.hpp"

namespace tuner::measure {

std::optional<double> bound_factor(double rounding_terms, model::ElementType type) {
  const double spread = rounding_terms * model::unit_roundoff(type);
  if (!(rounding_terms >= 0) || !(spread < 0.5)) return std::nullopt;
  return spread / (1 - spread);
}

}  // namespace tuner::measure
