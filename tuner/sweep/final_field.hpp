#pragma once
#include "tuner/sweep/device_spread.hpp"
#include "tuner/sweep/finalist.hpp"

namespace tuner::sweep {

/// Chooses who takes part in the final of a problem, from what is recorded.
class FinalField {
 public:
  /// The references must outlive the object.
  FinalField(const Request& request, Services& services, const DeviceSpread& spread)
      : m_request(request), m_services(services), m_spread(spread) {}

  /// Everyone who may be near enough to the best as seen from any device, as today's specs have it.
  model::PossibleFinal of(const model::Problem& problem) const;
  /// Of them those who are, once devices are told apart.
  void correct(model::PossibleFinal& field) const;
  /// Trials near the best by another objective take part too: the final tells which is the fastest, and
  /// what each of them takes.
  void add_by_objective(model::PossibleFinal& field, const model::Problem& problem) const;
  /// Whether race and final contradict each other. Where GPUs are apart the two may be of two GPUs, which
  /// then explains the difference.
  bool is_unsettled(const model::PossibleFinal& field) const { return field.unsettled && !are_apart(field); }

 private:
  model::PossibleFinal of_same_bits(const model::Problem& problem) const;
  bool are_apart(const model::PossibleFinal& field) const;

  const Request& m_request;
  Services& m_services;
  const DeviceSpread& m_spread;
};

}  // namespace tuner::sweep
