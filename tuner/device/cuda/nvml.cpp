#include <dlfcn.h>

#include <array>
#include <type_traits>

#include "tuner/device/cuda/cuda.hpp"

namespace tuner::device::cuda {
namespace {

// The part of nvml.h that is used: its ABI is fixed, and the header comes with a package of its own that is
// often absent.
using NvmlDevice = struct NvmlDeviceOpaque*;
constexpr int nvml_success = 0;
constexpr unsigned nvml_clock_sm = 1;
constexpr unsigned nvml_temperature_gpu = 0;

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

/// nvmlProcessInfo_v2_t
struct NvmlProcess {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

}  // namespace

/// The loaded library between nvmlInit and nvmlShutdown. Functions it does not have stay null.
class Nvml::Library {
 public:
  static std::unique_ptr<Library> load() {
    void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    auto library = std::unique_ptr<Library>(new Library(handle));
    return library->m_started ? std::move(library) : nullptr;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (m_started && shutdown != nullptr) shutdown();
    dlclose(m_handle);
  }

  /// Null where there is no such device. A slice of a GPU goes by another prefix.
  NvmlDevice device(const std::string& uuid) const {
    NvmlDevice device = nullptr;
    if (call(device_by_uuid, uuid.c_str(), &device)) return device;
    if (uuid.rfind("GPU-", 0) != 0) return nullptr;
    const std::string slice = "MIG-" + uuid.substr(4);
    return call(device_by_uuid, slice.c_str(), &device) ? device : nullptr;
  }

  /// Whether the library has `function` and that says success.
  template <typename... Parameters, typename... Arguments>
  static bool call(int (*function)(Parameters...), Arguments... arguments) {
    return function != nullptr && function(arguments...) == nvml_success;
  }

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*device_by_uuid)(const char*, NvmlDevice*) = nullptr;
  int (*clock)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*temperature)(NvmlDevice, unsigned, unsigned*) = nullptr;
  int (*power)(NvmlDevice, unsigned*) = nullptr;
  int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*processes)(NvmlDevice, unsigned*, NvmlProcess*) = nullptr;

 private:
  explicit Library(void* handle) : m_handle(handle) {
    find(init, "nvmlInit_v2");
    find(shutdown, "nvmlShutdown");
    find(driver_version, "nvmlSystemGetDriverVersion");
    find(device_by_uuid, "nvmlDeviceGetHandleByUUID");
    find(clock, "nvmlDeviceGetClockInfo");
    find(temperature, "nvmlDeviceGetTemperature");
    find(power, "nvmlDeviceGetPowerUsage");
    find(memory, "nvmlDeviceGetMemoryInfo");
    find(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    m_started = call(init);
  }

  template <typename Function>
  void find(Function& out, const char* symbol) {
    out = reinterpret_cast<Function>(dlsym(m_handle, symbol));
  }

  void* m_handle;
  bool m_started = false;
};

Nvml::Nvml() : m_library(Library::load()) {}
Nvml::~Nvml() = default;

std::optional<std::string> Nvml::driver_version() const {
  std::array<char, 96> text{};
  const bool is_known = m_library != nullptr && Library::call(m_library->driver_version, text.data(),
                                                              static_cast<unsigned>(text.size()));
  return is_known ? std::optional(std::string(text.data())) : std::nullopt;
}

GpuReading Nvml::read(const std::string& uuid) const {
  GpuReading out;
  const NvmlDevice device = m_library == nullptr ? nullptr : m_library->device(uuid);
  if (device == nullptr) return out;
  unsigned value = 0;
  if (Library::call(m_library->clock, device, nvml_clock_sm, &value)) out.sm_clock_mhz = value;
  if (Library::call(m_library->temperature, device, nvml_temperature_gpu, &value))
    out.temperature_celsius = value;
  if (Library::call(m_library->power, device, &value))
    out.power_watts = value / 1000.0;  // NVML says milliwatts
  return out;
}

std::optional<std::int64_t> Nvml::free_memory_bytes(const std::string& uuid) const {
  const NvmlDevice device = m_library == nullptr ? nullptr : m_library->device(uuid);
  NvmlMemory memory{};
  if (device == nullptr || !Library::call(m_library->memory, device, &memory)) return std::nullopt;
  return static_cast<std::int64_t>(memory.free);
}

std::vector<std::uint32_t> Nvml::compute_processes(const std::string& uuid) const {
  const NvmlDevice device = m_library == nullptr ? nullptr : m_library->device(uuid);
  std::array<NvmlProcess, 64> found{};
  auto count = static_cast<unsigned>(found.size());
  if (device == nullptr || !Library::call(m_library->processes, device, &count, found.data())) return {};
  std::vector<std::uint32_t> out;
  for (unsigned i = 0; i < count && i < found.size(); ++i) out.push_back(found[i].pid);
  return out;
}

}  // namespace tuner::device::cuda
