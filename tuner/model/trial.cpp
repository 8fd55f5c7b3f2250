#include "tuner/model/trial.hpp"

namespace tuner::model {

Digest trial_key(const std::string& kernel, const Configuration& configuration, const Digest& binary_key,
                 const Plan& plan, const Digest& reference_key, const Problem& problem,
                 const Environment& environment) {
  DigestBuilder digest;
  digest.add("trial 1").add(kernel).add(configuration.canonical_json()).add(binary_key);
  plan.add_to(digest);
  digest.add(reference_key).add(problem.family).add(problem.sizes_json()).add(cuda_name(problem.type));
  return digest.add(problem.row_padding).add(environment.key()).finish();
}

BitsRelation compare_bits(const std::optional<OutputBits>& a, const std::optional<OutputBits>& b) {
  if (!a || !b || a->inputs != b->inputs) return BitsRelation::unknown;
  return a->outputs == b->outputs ? BitsRelation::same : BitsRelation::other;
}

Digest probe_key(const Digest& binary_key, const std::vector<Plan>& probes, const Digest& reference_key,
                 const Environment& environment) {
  DigestBuilder digest;
  digest.add("probe 1").add(binary_key).add(static_cast<std::int64_t>(probes.size()));
  for (const Plan& plan : probes) plan.add_to(digest);
  digest.add(reference_key).add(environment.device).add(environment.driver);
  return digest.finish();
}

}  // namespace tuner::model
