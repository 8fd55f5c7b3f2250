#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/compile_job.hpp"
#include "tuner/model/device.hpp"
#include "tuner/model/plan.hpp"
#include "tuner/model/trial.hpp"

namespace tuner::device::cuda {

/// Theoretical occupancy of one launch, as NVIDIA's cuda_occupancy.h computes it; equal to what
/// cuOccupancyMaxActiveBlocksPerMultiprocessor says for a kernel allowed all the opt-in shared memory and
/// without a cache preference. Every resource that allows no more blocks than the tightest one is in
/// `limited_by`. Nothing when this build had no CUDA headers, or they do not know the compute capability.
std::optional<model::Occupancy> occupancy(const model::DeviceLimits& limits, int compute_major,
                                          int compute_minor, const model::KernelResources& resources,
                                          const model::Dim3& block, std::int64_t dynamic_shared_bytes);

/// How many blocks one resource of a multiprocessor leaves room for.
struct ResourceShare {
  std::string resource;        ///< as in Occupancy::limited_by
  std::int64_t per_block = 0;  ///< as it is given out to a block: warps, registers, bytes, blocks
  std::int64_t available = 0;  ///< on a multiprocessor
  int blocks = 0;
  bool operator==(const ResourceShare&) const = default;
};

/// The steps that occupancy() takes to its answer: the least `blocks` are the blocks a multiprocessor holds.
/// A resource that the launch does not use is left out. Empty where occupancy() has no answer, or its
/// block fits no multiprocessor at all.
std::vector<ResourceShare> resource_shares(const model::DeviceLimits& limits, int compute_major,
                                           int compute_minor, const model::KernelResources& resources,
                                           const model::Dim3& block, std::int64_t dynamic_shared_bytes);

/// Why not one block of this launch fits the device, as a sentence with both numbers; nothing when one fits.
/// Needs no CUDA headers. `grid` is checked against the device's limits too.
std::optional<std::string> why_unlaunchable(const model::DeviceLimits& limits,
                                            const model::KernelResources& resources, const model::Dim3& grid,
                                            const model::Dim3& block, std::int64_t dynamic_shared_bytes);
/// The same without a grid.
std::optional<std::string> why_unlaunchable(const model::DeviceLimits& limits,
                                            const model::KernelResources& resources, const model::Dim3& block,
                                            std::int64_t dynamic_shared_bytes);

/// The same of a whole step, and what it asks for besides: clusters need compute capability 9.0, and all
/// blocks of a cooperative grid must fit at once, as far as their occupancy is known.
std::optional<std::string> why_unlaunchable(const model::DeviceInfo& device,
                                            const model::KernelResources& resources, const model::Step& step);

/// The flagship part of an architecture (`sm_90`, `sm_90a`: the H200), for work without a GPU. Its id is the
/// architecture and its driver is empty. Nothing for an architecture not in known_architectures().
std::optional<model::DeviceInfo> known_device(std::string_view architecture);
/// `sm_70`, `sm_75`, …, ascending.
std::vector<std::string> known_architectures();

}  // namespace tuner::device::cuda
