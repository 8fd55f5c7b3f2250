#include "db/ids.hpp"

#include <algorithm>

namespace db {

using tuner::model::Digest;
using tuner::model::DigestBuilder;

Digest problem_id(const tuner::model::Problem& problem) {
  DigestBuilder digest;
  digest.add("problem 1").add(problem.family).add(problem.sizes_json()).add(cuda_name(problem.type));
  return digest.add(problem.row_padding).finish();
}

Digest case_id(const tuner::model::Problem& problem, const tuner::model::Environment& environment) {
  return DigestBuilder().add("contest 1").add(problem_id(problem)).add(environment.key()).finish();
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

namespace {

constexpr std::size_t usual_digits = 7;

/// Digits that both begin with.
std::size_t shared_digits(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

ShortIds::ShortIds(const Connection& db)
    : m_before(db, "SELECT id FROM trials WHERE id < ? ORDER BY id DESC LIMIT 1"),
      m_after(db, "SELECT id FROM trials WHERE id > ? ORDER BY id LIMIT 1") {}

std::string ShortIds::of(const Digest& trial) {
  const std::string hex = trial.hex();
  std::size_t digits = usual_digits;
  for (Statement* neighbour : {&m_before, &m_after}) {
    auto row = neighbour->use(trial);
    if (row.step()) digits = std::max(digits, shared_digits(hex, row.digest().hex()) + 1);
  }
  return hex.substr(0, digits);
}

}  // namespace db
