#pragma once
#include <optional>

#include "tuner/model/element_type.hpp"

namespace tuner::measure {

/// The factor of the error bound, gamma(n) = n*u / (1 - n*u) for n = `rounding_terms` and the type's unit
/// roundoff u (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1); 0, which asks
/// for equality, for integers and for n = 0. Nothing where n*u >= 1/2 or n is no number: from there on the
/// factor is at least 1, and as |expected| is at most the magnitude, an output of zeros would pass. Such a
/// problem cannot be judged in that type.
inline std::optional<double> bound_factor(double rounding_terms, model::ElementType type) {
  const double spread = rounding_terms * model::unit_roundoff(type);
  if (!(rounding_terms >= 0) || !(spread < 0.5)) return std::nullopt;
  return spread / (1 - spread);
}

/// Of operations that are rounded in the type `accumulator`, whose result is then rounded once to `type`:
/// with the unit roundoff v of `type`, gamma(n) + v * (1 + gamma(n)). Where `type` holds all that
/// `accumulator` does, gamma(n) alone. 0 and nothing as above.
inline std::optional<double> bound_factor(double rounding_terms, model::ElementType accumulator,
                                          model::ElementType type) {
  const std::optional<double> gamma = bound_factor(rounding_terms, accumulator);
  const double last = model::unit_roundoff(type);
  if (!model::is_floating(type)) return gamma ? std::optional(0.0) : std::nullopt;
  if (!gamma || rounding_terms == 0 || last <= model::unit_roundoff(accumulator)) return gamma;
  return *gamma + last * (1 + *gamma);
}

}  // namespace tuner::measure
