#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/device/cuda/occupancy/occupancy.hpp"

namespace tuner::device::cuda {
namespace {

// How registers are given out since compute capability 7.0: to whole warps in units of 256, and the check
// before a launch assumes that a block's warps are spread evenly over the four sub-partitions
// (cuda_occupancy.h).
constexpr std::int64_t register_unit = 256;
constexpr std::int64_t sub_partitions = 4;
/// Most registers a thread may have, as the calculator checks it.
constexpr int most_registers_per_thread = 256;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::optional<std::string> outside(const char* what, const char* axis, std::int64_t value,
                                   std::int64_t limit) {
  if (value < 1) return fmt::format("the {} has {} in {}, at least 1 is needed", what, value, axis);
  if (value > limit)
    return fmt::format("the {} has {} in {}, the device allows {}", what, value, axis, limit);
  return std::nullopt;
}

std::optional<std::string> why_block_too_large(const model::DeviceLimits& limits,
                                               const model::KernelResources& resources,
                                               const model::Dim3& block) {
  if (auto why = outside("block", "x", block.x, limits.max_block_x)) return why;
  if (auto why = outside("block", "y", block.y, limits.max_block_y)) return why;
  if (auto why = outside("block", "z", block.z, limits.max_block_z)) return why;
  if (block.count() > limits.max_threads_per_block) {
    return fmt::format("the block has {} threads ({} x {} x {}), the device allows {}", block.count(),
                       block.x, block.y, block.z, limits.max_threads_per_block);
  }
  if (resources.max_threads_per_block > 0 && block.count() > resources.max_threads_per_block) {
    return fmt::format("the block has {} threads ({} x {} x {}), the launch bounds of '{}' allow {}",
                       block.count(), block.x, block.y, block.z, resources.entry,
                       resources.max_threads_per_block);
  }
  return std::nullopt;
}

std::optional<std::string> why_too_many_registers(const model::DeviceLimits& limits,
                                                  const model::KernelResources& resources,
                                                  std::int64_t threads) {
  if (resources.registers > most_registers_per_thread) {
    return fmt::format("the kernel has {} registers per thread, the device allows {}", resources.registers,
                       most_registers_per_thread);
  }
  const std::int64_t product = threads * resources.registers;
  const std::int64_t warps = rounded_up((threads + limits.warp_size - 1) / limits.warp_size, sub_partitions);
  const std::int64_t allocated =
      rounded_up(std::int64_t{resources.registers} * limits.warp_size, register_unit) * warps;
  if (allocated <= limits.registers_per_block) return std::nullopt;
  const std::string rounding =
      allocated == product ? "" : fmt::format(", {} as they are allocated", allocated);
  return fmt::format("{} threads x {} registers = {}{}; the device allows {} registers per block", threads,
                     resources.registers, product, rounding, limits.registers_per_block);
}

std::optional<std::string> why_too_much_shared(const model::DeviceLimits& limits,
                                               const model::KernelResources& resources,
                                               std::int64_t dynamic_shared_bytes) {
  if (dynamic_shared_bytes < 0) {
    return fmt::format("{} bytes of dynamic shared memory, at least 0 is needed", dynamic_shared_bytes);
  }
  const std::int64_t allowed = std::max(limits.shared_bytes_per_block, limits.shared_bytes_per_block_optin);
  // Compared this way round, an absurd request does not overflow.
  if (dynamic_shared_bytes <= allowed - resources.static_shared_bytes) return std::nullopt;
  if (resources.static_shared_bytes == 0) {
    return fmt::format("needs {} bytes of shared memory per block, the device allows {}",
                       dynamic_shared_bytes, allowed);
  }
  return fmt::format("needs {} static + {} dynamic bytes of shared memory per block, the device allows {}",
                     resources.static_shared_bytes, dynamic_shared_bytes, allowed);
}

}  // namespace

std::optional<std::string> why_unlaunchable(const model::DeviceLimits& limits,
                                            const model::KernelResources& resources, const model::Dim3& block,
                                            std::int64_t dynamic_shared_bytes) {
  if (auto why = why_block_too_large(limits, resources, block)) return why;
  if (auto why = why_too_much_shared(limits, resources, dynamic_shared_bytes)) return why;
  return why_too_many_registers(limits, resources, block.count());
}

std::optional<std::string> why_unlaunchable(const model::DeviceLimits& limits,
                                            const model::KernelResources& resources, const model::Dim3& grid,
                                            const model::Dim3& block, std::int64_t dynamic_shared_bytes) {
  if (auto why = outside("grid", "x", grid.x, limits.max_grid_x)) return why;
  if (auto why = outside("grid", "y", grid.y, limits.max_grid_y)) return why;
  if (auto why = outside("grid", "z", grid.z, limits.max_grid_z)) return why;
  return why_unlaunchable(limits, resources, block, dynamic_shared_bytes);
}

std::optional<std::string> why_unlaunchable(const model::DeviceInfo& device,
                                            const model::KernelResources& resources,
                                            const model::Step& step) {
  if (auto why = why_unlaunchable(device.limits, resources, step.grid, step.block, step.dynamic_shared_bytes))
    return why;
  constexpr int first_with_clusters = 9;
  if (step.cluster.count() > 1 && device.compute_major < first_with_clusters) {
    return fmt::format("clusters need compute capability 9.0, the device has {}.{}", device.compute_major,
                       device.compute_minor);
  }
  if (!step.cooperative) return std::nullopt;
  const auto fits = occupancy(device.limits, device.compute_major, device.compute_minor, resources,
                              step.block, step.dynamic_shared_bytes);
  if (!fits) return std::nullopt;
  const std::int64_t most = std::int64_t{fits->blocks_per_multiprocessor} * device.limits.multiprocessors;
  if (step.grid.count() <= most) return std::nullopt;
  return fmt::format(
      "a cooperative grid of {} blocks; the device runs {} at once: {} on each of {} "
      "multiprocessors",
      step.grid.count(), most, fits->blocks_per_multiprocessor, device.limits.multiprocessors);
}

namespace {

/// What differs between architectures; the rest is as in DeviceLimits. Per-SM figures are from the table
/// "Technical specifications per compute capability" of the CUDA C++ programming guide, shared memory in KB
/// of 1024 bytes. Since 8.0 the driver keeps 1 KB of it per block.
struct Part {
  std::string_view architecture;
  std::string_view name;
  int compute_major;
  int compute_minor;
  int multiprocessors;
  int threads_per_multiprocessor;
  int blocks_per_multiprocessor;
  int shared_kb_per_multiprocessor;
  int shared_kb_per_block;  ///< with opt-in
  int l2_mb;
  int memory_gb;  ///< nominal
};

constexpr std::array parts = {
    Part{"sm_70", "Tesla V100", 7, 0, 80, 2048, 32, 96, 96, 6, 32},
    Part{"sm_75", "Quadro RTX 8000", 7, 5, 72, 1024, 16, 64, 64, 6, 48},
    Part{"sm_80", "NVIDIA A100", 8, 0, 108, 2048, 32, 164, 163, 40, 80},
    Part{"sm_86", "NVIDIA RTX A6000", 8, 6, 84, 1536, 16, 100, 99, 6, 48},
    Part{"sm_87", "Jetson AGX Orin", 8, 7, 16, 1536, 16, 164, 163, 4, 64},
    Part{"sm_89", "NVIDIA L40S", 8, 9, 142, 1536, 24, 100, 99, 96, 48},
    Part{"sm_90", "NVIDIA H200", 9, 0, 132, 2048, 32, 228, 227, 60, 141},
    Part{"sm_100", "NVIDIA B200", 10, 0, 148, 2048, 32, 228, 227, 126, 180},
    Part{"sm_103", "NVIDIA B300", 10, 3, 148, 2048, 32, 228, 227, 126, 288},
    Part{"sm_110", "Jetson AGX Thor", 11, 0, 20, 1536, 24, 228, 227, 32, 128},
    Part{"sm_120", "NVIDIA RTX PRO 6000 Blackwell", 12, 0, 188, 1536, 24, 100, 99, 128, 96},
    Part{"sm_121", "NVIDIA GB10", 12, 1, 48, 1536, 24, 100, 99, 24, 128},
};

constexpr std::int64_t kb = 1024;

}  // namespace

std::optional<model::DeviceInfo> known_device(std::string_view architecture) {
  // sm_90a and sm_100f are the same parts, with features that do not carry over to later ones.
  std::string_view plain = architecture;
  if (!plain.empty() && (plain.back() == 'a' || plain.back() == 'f')) plain.remove_suffix(1);
  const auto* const part =
      std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.architecture == plain; });
  if (part == parts.end()) return std::nullopt;
  model::DeviceInfo device;
  device.id = architecture;
  device.kind = "cuda";
  device.name = part->name;
  device.architecture = architecture;
  device.compute_major = part->compute_major;
  device.compute_minor = part->compute_minor;
  device.memory_bytes = part->memory_gb * kb * kb * kb;
  model::DeviceLimits& limits = device.limits;
  limits.multiprocessors = part->multiprocessors;
  limits.max_threads_per_multiprocessor = part->threads_per_multiprocessor;
  limits.max_blocks_per_multiprocessor = part->blocks_per_multiprocessor;
  limits.shared_bytes_per_multiprocessor = part->shared_kb_per_multiprocessor * kb;
  limits.shared_bytes_per_block_optin = part->shared_kb_per_block * kb;
  limits.reserved_shared_bytes_per_block = part->compute_major >= 8 ? kb : 0;
  limits.l2_bytes = part->l2_mb * kb * kb;
  return device;
}

std::vector<std::string> known_architectures() {
  std::vector<std::string> names;
  for (const Part& part : parts) names.emplace_back(part.architecture);
  return names;
}

}  // namespace tuner::device::cuda
