// cub::DeviceHistogram::HistogramEven, a bin for each of 256 values.
#include <cub/device/device_histogram.cuh>

#include "cub.h"

const char* tuner_baseline(const tuner_call* call) {
  if (call->argument_count != 3) return "expected the arguments in, bins, N";
  const auto* in = *static_cast<const ELEMENT_TYPE* const*>(call->arguments[0]);
  auto* bins = *static_cast<int* const*>(call->arguments[1]);
  const int count = *static_cast<const int*>(call->arguments[2]);
  const auto stream = static_cast<cudaStream_t>(call->stream);
  constexpr int values = 256;
  return call_cub(*call, [&](void* memory, size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, in, bins, values + 1, 0, values, count, stream);
  });
}

const char* tuner_baseline_version(const char**) {
  return cub_version();
}
