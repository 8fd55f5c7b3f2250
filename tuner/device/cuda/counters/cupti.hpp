#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// CUPTI's profiler, the part that is used: its ABI is fixed, and the headers come with a package of their
/// own. Names of functions and of what they take are as in cupti_profiler_host.h, cupti_profiler_target.h,
/// cupti_target.h and cupti_range_profiler.h, which say what each means.
namespace tuner::device::cuda::counters {

constexpr int cupti_success = 0;
constexpr int cupti_invalid_metric_name = 17;
constexpr int cupti_insufficient_privileges = 35;
constexpr int cupti_virtual_insufficient_privileges = 40;
constexpr int profiler_type_range = 0;
constexpr int user_range = 2;
constexpr int user_replay = 3;

struct Head {
  std::size_t bytes = 0;  ///< of the struct up to the end of its last field, see call()
  void* priv = nullptr;
};

struct Plain {
  Head head;
};
struct SupportedChips {
  Head head;
  std::size_t chips = 0;
  const char* const* names = nullptr;
};
struct HostInitialize {
  Head head;
  int type = profiler_type_range;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  void* host = nullptr;
};
struct HostDeinitialize {
  Head head;
  void* host = nullptr;
};
struct MetricProperties {
  Head head;
  void* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;
  const char* hardware_unit = nullptr;
  const char* unit = nullptr;
  int type = 0;
};
struct AddMetrics {
  Head head;
  void* host = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
};
struct ConfigImageSize {
  Head head;
  void* host = nullptr;
  std::size_t bytes = 0;
};
struct ConfigImage {
  Head head;
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct NumOfPasses {
  Head head;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;
};
struct Evaluate {
  Head head;
  void* host = nullptr;
  const std::uint8_t* image = nullptr;
  std::size_t bytes = 0;
  std::size_t range = 0;
  const char** metrics = nullptr;
  std::size_t count = 0;
  double* values = nullptr;
};
struct ChipName {
  Head head;
  std::size_t device = 0;
  const char* name = nullptr;
};
struct CounterAvailability {
  Head head;
  void* context = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct Enable {
  Head head;
  void* context = nullptr;
  void* profiler = nullptr;
};
/// Of Disable, Start, PopRange.
struct OfProfiler {
  Head head;
  void* profiler = nullptr;
};
struct CounterDataSize {
  Head head;
  void* profiler = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
  std::size_t ranges = 0;
  std::uint32_t nodes = 0;
  std::size_t bytes = 0;
};
struct CounterDataInitialize {
  Head head;
  void* profiler = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
};
struct SetConfig {
  Head head;
  void* profiler = nullptr;
  std::size_t config_bytes = 0;
  const std::uint8_t* config = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  int range = user_range;
  int replay = user_replay;
  std::size_t ranges_per_pass = 1;
  std::uint16_t nesting_levels = 1;
  std::uint16_t least_nesting_level = 1;
  std::size_t pass = 0;
  std::uint16_t target_nesting_level = 1;
};
struct PushRange {
  Head head;
  void* profiler = nullptr;
  const char* name = nullptr;
};
struct Stop {
  Head head;
  void* profiler = nullptr;
  std::size_t pass = 0;
  std::size_t target_nesting_level = 0;
  std::uint8_t all_passes_submitted = 0;
};
struct DecodeData {
  Head head;
  void* profiler = nullptr;
  std::size_t ranges_dropped = 0;
};

/// The functions used: member, symbol, what it takes.
#define TUNER_CUPTI_FUNCTIONS(FUNCTION)                                                                  \
  FUNCTION(supported_chips, cuptiProfilerHostGetSupportedChips, SupportedChips)                          \
  FUNCTION(host_initialize, cuptiProfilerHostInitialize, HostInitialize)                                 \
  FUNCTION(host_deinitialize, cuptiProfilerHostDeinitialize, HostDeinitialize)                           \
  FUNCTION(metric_properties, cuptiProfilerHostGetMetricProperties, MetricProperties)                    \
  FUNCTION(add_metrics, cuptiProfilerHostConfigAddMetrics, AddMetrics)                                   \
  FUNCTION(config_image_size, cuptiProfilerHostGetConfigImageSize, ConfigImageSize)                      \
  FUNCTION(config_image, cuptiProfilerHostGetConfigImage, ConfigImage)                                   \
  FUNCTION(num_of_passes, cuptiProfilerHostGetNumOfPasses, NumOfPasses)                                  \
  FUNCTION(evaluate, cuptiProfilerHostEvaluateToGpuValues, Evaluate)                                     \
  FUNCTION(initialize, cuptiProfilerInitialize, Plain)                                                   \
  FUNCTION(chip_name, cuptiDeviceGetChipName, ChipName)                                                  \
  FUNCTION(counter_availability, cuptiProfilerGetCounterAvailability, CounterAvailability)               \
  FUNCTION(enable, cuptiRangeProfilerEnable, Enable)                                                     \
  FUNCTION(disable, cuptiRangeProfilerDisable, OfProfiler)                                               \
  FUNCTION(counter_data_size, cuptiRangeProfilerGetCounterDataSize, CounterDataSize)                     \
  FUNCTION(counter_data_initialize, cuptiRangeProfilerCounterDataImageInitialize, CounterDataInitialize) \
  FUNCTION(set_config, cuptiRangeProfilerSetConfig, SetConfig)                                           \
  FUNCTION(start, cuptiRangeProfilerStart, OfProfiler)                                                   \
  FUNCTION(push_range, cuptiRangeProfilerPushRange, PushRange)                                           \
  FUNCTION(pop_range, cuptiRangeProfilerPopRange, OfProfiler)                                            \
  FUNCTION(stop, cuptiRangeProfilerStop, Stop)                                                           \
  FUNCTION(decode_data, cuptiRangeProfilerDecodeData, DecodeData)

/// The loaded library, which stays loaded.
struct Cupti {
  std::string path;  ///< as it was opened
  int (*result_string)(int, const char**) = nullptr;
#define TUNER_DECLARE(member, symbol, Parameters) int (*member)(Parameters*) = nullptr;
  TUNER_CUPTI_FUNCTIONS(TUNER_DECLARE)
#undef TUNER_DECLARE

  /// CUPTI_ERROR_INVALID_PARAMETER (1).
  std::string describe(int result) const;
  /// Throws model::Error where `result` is none of success.
  void require(int result, const char* doing) const;
};

/// The bytes of a struct up to the end of `last`, its last field: what CUPTI wants to be told.
template <class Parameters, class Field>
std::size_t bytes_to(const Parameters& parameters, const Field& last) {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&last) -
                                  reinterpret_cast<const char*>(&parameters)) +
         sizeof(Field);
}

/// Calls a function of CUPTI's; returns its result.
template <class Parameters, class Field>
int call(int (*function)(Parameters*), Parameters& parameters, const Field& last) {
  parameters.head.bytes = bytes_to(parameters, last);
  return function(&parameters);
}

/// The first of `places` (as dlopen takes them) that has the range profiler, which is CUPTI of CUDA 12.6 and
/// later. Throws model::Error that says what was looked for.
std::shared_ptr<const Cupti> load_cupti(const std::vector<std::string>& places);

}  // namespace tuner::device::cuda::counters
