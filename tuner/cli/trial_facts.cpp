#include "tuner/cli/trial_facts.hpp"

#include <optional>
#include <utility>

#include "db/final_queries.hpp"
#include "db/queries.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/nvrtc/cubin.hpp"
#include "tuner/device/cuda/occupancy/occupancy.hpp"

namespace tuner::cli {
namespace {

std::vector<answers::OccupancyStep> occupancy_steps(const db::Connection& connection,
                                                    const model::TrialRecord& trial) {
  if (!trial.resources || !trial.occupancy) return {};
  for (const model::DeviceInfo& device : db::devices(connection)) {
    if (device.name != trial.comparison_class.device || device.compute_major == 0) continue;
    std::vector<answers::OccupancyStep> steps;
    for (const device::cuda::ResourceShare& share :
         device::cuda::resource_shares(device.limits, device.compute_major, device.compute_minor,
                                       *trial.resources, trial.block, trial.dynamic_shared_bytes)) {
      steps.push_back({share.resource, share.per_block, share.available, share.blocks});
    }
    return steps;
  }
  return {};
}

std::optional<std::int64_t> code_bytes(const model::TrialRecord& trial, const std::filesystem::path& cache) {
  if (!trial.resources || trial.binary_key.empty()) return std::nullopt;
  const auto compilation = compile::BinaryCache(cache).load(trial.binary_key);
  if (!compilation) return std::nullopt;
  const std::int64_t bytes = compile::nvrtc::code_bytes(compilation->binary, trial.resources->symbol);
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace

answers::TrialFacts load_facts(const db::Connection& connection, model::TrialRecord trial,
                               const std::filesystem::path& cache) {
  answers::TrialFacts facts;
  facts.superseded = db::is_superseded(connection, trial.key);
  facts.final = db::final_with(connection, trial.key);
  facts.ceilings = db::ceilings(connection, trial.comparison_class.device);
  facts.measurements = db::measurements(connection, trial.key);
  facts.occupancy_steps = occupancy_steps(connection, trial);
  facts.code_bytes = code_bytes(trial, cache);
  facts.trial = std::move(trial);
  return facts;
}

}  // namespace tuner::cli
