// cub::DeviceScan::InclusiveSum.
#include <cub/device/device_scan.cuh>

#include "cub.h"

const char* tuner_baseline(const tuner_call* call) {
  if (call->argument_count != 3) return "expected the arguments in, out, N";
  const auto* in = *static_cast<const ELEMENT_TYPE* const*>(call->arguments[0]);
  auto* out = *static_cast<ELEMENT_TYPE* const*>(call->arguments[1]);
  const int count = *static_cast<const int*>(call->arguments[2]);
  const auto stream = static_cast<cudaStream_t>(call->stream);
  return call_cub(*call, [&](void* memory, size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(memory, bytes, in, out, count, stream);
  });
}

const char* tuner_baseline_version(const char**) {
  return cub_version();
}
