// A libcupti that records what the stand-in driver ran.
#include <dlfcn.h>

#include <cstring>
#include <vector>

#include "tests/capture/stand_in.hpp"

namespace {

using namespace tests;
using Requested = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Completed = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

/// As CUpti_ActivityKernel9 has it.
constexpr std::size_t record_bytes = 208;

Requested requested;
Completed completed;
std::size_t done = 0;

template <typename Value>
void put(std::uint8_t* record, std::size_t at, Value value) {
  std::memcpy(record + at, &value, sizeof value);
}

void write(std::uint8_t* record, const StandInRun& run) {
  std::memset(record, 0, record_bytes);
  put(record, 0, 10);
  put(record, 6, std::uint16_t{32});
  put(record, 16, std::uint64_t{5000});
  put(record, 24, 5000 + run.ns);
  put(record, 40, run.gpu);
  std::memcpy(record + 52, run.grid, 12);
  std::memcpy(record + 64, run.block, 12);
  put(record, 80, run.shared_bytes);
  put(record, 104, run.name.c_str());
  put(record, 144, std::uint64_t{run.graph});
  put(record, 156, run.graph);
}

}  // namespace

#define CUPTI extern "C" [[gnu::visibility("default")]] int
#pragma GCC diagnostic ignored "-Wmissing-declarations"

CUPTI cuptiGetVersion(std::uint32_t* version) {
  *version = 130000;
  return 0;
}
CUPTI cuptiActivityRegisterCallbacks(Requested request, Completed complete) {
  requested = request;
  completed = complete;
  return 0;
}
CUPTI cuptiActivityEnable(int) {
  return 0;
}
CUPTI cuptiActivityFlushAll(std::uint32_t) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  using Runs = const std::vector<StandInRun>* (*)();
  const auto& runs = *reinterpret_cast<Runs>(dlsym(driver, "stand_in_runs"))();
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0;
  std::size_t most = 0;
  requested(&buffer, &bytes, &most);
  std::size_t used = 0;
  for (; done < runs.size() && used + record_bytes <= bytes; ++done, used += record_bytes)
    write(buffer + used, runs[done]);
  completed(nullptr, 0, buffer, bytes, used);
  return 0;
}
CUPTI cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t bytes, void** record) {
  const auto at = *record == nullptr ? 0 : static_cast<std::uint8_t*>(*record) - buffer + record_bytes;
  if (at >= bytes) return 12;
  *record = buffer + at;
  return 0;
}
