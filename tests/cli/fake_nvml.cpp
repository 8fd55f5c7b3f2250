#include "tests/cli/fake_nvml.hpp"

#include <algorithm>
#include <cstring>

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
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* processes) {
  const tuner::test::FakeNvml& fake = tuner::test::fake_nvml();
  if (!fake.answers) return no_permission;
  *count = std::min(*count, static_cast<unsigned>(fake.processes.size()));
  for (unsigned i = 0; i < *count; ++i) processes[i] = {fake.processes[i], 1U << 20U, ~0U, ~0U};
  return success;
}
}
