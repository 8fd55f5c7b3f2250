#pragma once
// threadIdx and its family: macros, because their values belong to the CUDA thread that is running.
#include "abi.hpp"
#include "vector_types.hpp"

namespace tuner_cpu {

inline uint3 to_uint3(const Index3& index) {
  return {index.x, index.y, index.z};
}
inline dim3 to_dim3(const Index3& index) {
  return {index.x, index.y, index.z};
}
inline unsigned lane() {
  return tuner_cpu_current->rank % 32;
}

}  // namespace tuner_cpu

#define threadIdx (tuner_cpu::to_uint3(tuner_cpu_current->index))
#define blockIdx (tuner_cpu::to_uint3(tuner_cpu_current->block->index))
#define blockDim (tuner_cpu::to_dim3(tuner_cpu_current->block->size))
#define gridDim (tuner_cpu::to_dim3(tuner_cpu_current->block->grid))

inline constexpr int warpSize = 32;
