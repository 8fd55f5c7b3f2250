// What the callers of CUB beside it share. CUB solves each problem in two calls: one that says how much memory it
// wants, and one that does the work.
#pragma once
#include <cub/version.cuh>
#include <cuda_runtime.h>
#include <stdio.h>

#include "tuner_baseline.h"

/// Calls `work(memory, bytes)` as CUB's functions take them: with null it sets the bytes, else it queues the work.
template <typename Work>
const char* call_cub(const tuner_call& call, const Work& work) {
  static char message[160];
  size_t bytes = 0;
  cudaError_t status = work(nullptr, bytes);
  if (status == cudaSuccess && bytes > call.workspace_bytes) {
    snprintf(message, sizeof message, "CUB wants %zu bytes of memory, the spec gives %zu", bytes, call.workspace_bytes);
    return message;
  }
  if (status == cudaSuccess) status = work(call.workspace, bytes);
  if (status == cudaSuccess) return nullptr;
  snprintf(message, sizeof message, "CUB: %s", cudaGetErrorString(status));
  return message;
}

inline const char* cub_version() {
  static char text[32];
  snprintf(text, sizeof text, "CUB %d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
  return text;
}
