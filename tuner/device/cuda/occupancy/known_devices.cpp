#include <algorithm>
#include <array>

#include "tuner/device/cuda/occupancy/occupancy.hpp"

namespace tuner::device::cuda {
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
