#include "db/ids.hpp"

namespace db {

using tuner::model::Digest;
using tuner::model::DigestBuilder;

Digest problem_id(const tuner::model::Problem& problem) {
  DigestBuilder digest;
  digest.add("problem 1").add(problem.family).add(problem.sizes_json()).add(cuda_name(problem.type));
  return digest.add(problem.row_padding).finish();
}

Digest contest_id(const tuner::model::Problem& problem,
                  const tuner::model::ComparisonClass& comparison_class) {
  return DigestBuilder().add("contest 1").add(problem_id(problem)).add(comparison_class.key()).finish();
}

Digest configuration_id(const tuner::model::Configuration& configuration) {
  return configuration_id(configuration.canonical_json());
}

Digest configuration_id(std::string_view canonical_json) {
  return DigestBuilder().add("configuration 1").add(canonical_json).finish();
}

Digest kernel_id(const std::string& family, const std::string& name, const std::string& parameters) {
  return DigestBuilder().add("kernel 1").add(family).add(name).add(parameters).finish();
}

Digest device_id(const tuner::model::DeviceInfo& device, const std::string& limits_json) {
  DigestBuilder digest;
  digest.add("device 1").add(device.kind).add(device.name).add(device.uuid).add(device.architecture);
  digest.add(device.compute_major).add(device.compute_minor).add(device.driver).add(device.memory_bytes);
  return digest.add(limits_json).finish();
}

}  // namespace db
