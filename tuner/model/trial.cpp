#include "tuner/model/trial.hpp"

namespace tuner::model {

Digest trial_key(const std::string& kernel, const Configuration& configuration, const Digest& binary_key,
                 const Plan& plan, const Digest& reference_key, const Problem& problem,
                 const ComparisonClass& comparison_class) {
  DigestBuilder digest;
  digest.add("trial 1").add(kernel).add(configuration.canonical_json()).add(binary_key);
  plan.add_to(digest);
  digest.add(reference_key).add(problem.family).add(problem.sizes_json()).add(cuda_name(problem.type));
  return digest.add(problem.row_padding).add(comparison_class.key()).finish();
}

}  // namespace tuner::model
