#include "tests/cli/fake_nvml.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace tuner::test {

FakeNvml& fake_nvml() {
  static FakeNvml fake;
  return fake;
}

}  // namespace tuner::test

namespace {

constexpr int success = 0;
constexpr int not_found = 6;
constexpr int no_permission = 4;

/// nvmlProcessInfo_v2_t
struct Process {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

/// What processes that load this do to clocks, in their order.
void note(const std::string& done) {
  if (const char* const file = std::getenv("FAKE_NVML_LOG"))
    std::ofstream(file, std::ios::app) << done << '\n';
}

}  // namespace

extern "C" {

int nvmlInit_v2();
int nvmlShutdown();
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device);
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* processes);

int nvmlInit_v2() {
  return success;
}
int nvmlShutdown() {
  return success;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = &tuner::test::fake_nvml();
  return std::strcmp(uuid, "GPU-fake") == 0 ? success : not_found;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* mj);
int nvmlDeviceSetGpuLockedClocks(void*, unsigned least, unsigned most);
int nvmlDeviceResetGpuLockedClocks(void*);
int nvmlDeviceGetSupportedMemoryClocks(void*, unsigned* count, unsigned* mhz);
int nvmlDeviceGetSupportedGraphicsClocks(void*, unsigned memory, unsigned* count, unsigned* mhz);
const char* nvmlErrorString(int error);

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* mj) {
  *mj = 12'345;
  return tuner::test::fake_nvml().answers ? success : no_permission;
}
int nvmlDeviceSetGpuLockedClocks(void*, unsigned least, unsigned most) {
  if (std::getenv("FAKE_NVML_REFUSES") != nullptr) return no_permission;
  note("lock " + std::to_string(least) + " " + std::to_string(most));
  return success;
}
int nvmlDeviceResetGpuLockedClocks(void*) {
  note("free");
  return success;
}
int nvmlDeviceGetSupportedMemoryClocks(void*, unsigned* count, unsigned* mhz) {
  *count = 1;
  *mhz = 2619;
  return success;
}
int nvmlDeviceGetSupportedGraphicsClocks(void*, unsigned, unsigned* count, unsigned* mhz) {
  constexpr unsigned known[] = {1980, 1965, 1200};
  *count = 3;
  std::copy(std::begin(known), std::end(known), mhz);
  return success;
}
const char* nvmlErrorString(int error) {
  return error == no_permission ? "Insufficient Permissions" : "another error";
}

int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  const tuner::test::FakeNvml& fake = tuner::test::fake_nvml();
  if (!fake.answers) return no_permission;
  *count = std::min(*count, static_cast<unsigned>(fake.processes.size()));
  for (unsigned i = 0; i < *count; ++i) processes[i] = {fake.processes[i], 1U << 20U, ~0U, ~0U};
  return success;
}
}
