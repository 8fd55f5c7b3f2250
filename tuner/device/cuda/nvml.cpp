#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <map>
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
constexpr const char* no_nvml = "there is no NVML (libnvidia-ml.so.1)";

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
    const auto [known, is_new] = m_devices.try_emplace(uuid, nullptr);
    if (is_new) known->second = find_device(uuid);  // takes longer than to read a counter
    return known->second;
  }

  /// Whether the library has `function` and that says success.
  template <typename... Parameters, typename... Arguments>
  static bool call(int (*function)(Parameters...), Arguments... arguments) {
    return function != nullptr && function(arguments...) == nvml_success;
  }

  /// What `function` says against it, of the device; empty: it did it.
  template <typename... Parameters, typename... Arguments>
  std::string why_not(int (*function)(NvmlDevice, Parameters...), const std::string& uuid,
                      Arguments... arguments) const {
    const NvmlDevice of = device(uuid);
    if (of == nullptr) return "NVML does not show this GPU";
    if (function == nullptr) return "the driver's NVML has no such call";
    const int result = function(of, arguments...);
    if (result == nvml_success) return "";
    const char* const text = error_text == nullptr ? nullptr : error_text(result);
    return text == nullptr ? "NVML's error " + std::to_string(result) : text;
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
  int (*energy)(NvmlDevice, unsigned long long*) = nullptr;
  int (*memory_clocks)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  int (*sm_clocks)(NvmlDevice, unsigned, unsigned*, unsigned*) = nullptr;
  int (*lock_clocks)(NvmlDevice, unsigned, unsigned) = nullptr;
  int (*free_clocks)(NvmlDevice) = nullptr;
  const char* (*error_text)(int) = nullptr;

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
    find(energy, "nvmlDeviceGetTotalEnergyConsumption");
    find(memory_clocks, "nvmlDeviceGetSupportedMemoryClocks");
    find(sm_clocks, "nvmlDeviceGetSupportedGraphicsClocks");
    find(lock_clocks, "nvmlDeviceSetGpuLockedClocks");
    find(free_clocks, "nvmlDeviceResetGpuLockedClocks");
    find(error_text, "nvmlErrorString");
    m_started = call(init);
  }

  template <typename Function>
  void find(Function& out, const char* symbol) {
    out = reinterpret_cast<Function>(dlsym(m_handle, symbol));
  }

  NvmlDevice find_device(const std::string& uuid) const {
    NvmlDevice device = nullptr;
    if (call(device_by_uuid, uuid.c_str(), &device)) return device;
    if (uuid.rfind("GPU-", 0) != 0) return nullptr;
    const std::string slice = "MIG-" + uuid.substr(4);
    return call(device_by_uuid, slice.c_str(), &device) ? device : nullptr;
  }

  void* m_handle;
  mutable std::map<std::string, NvmlDevice> m_devices;  ///< by uuid
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

std::optional<double> Nvml::energy_j(const std::string& uuid) const {
  const NvmlDevice device = m_library == nullptr ? nullptr : m_library->device(uuid);
  unsigned long long mj = 0;
  if (device == nullptr || !Library::call(m_library->energy, device, &mj)) return std::nullopt;
  return static_cast<double>(mj) * 1e-3;
}

std::vector<int> Nvml::sm_clocks_mhz(const std::string& uuid) const {
  const NvmlDevice device = m_library == nullptr ? nullptr : m_library->device(uuid);
  std::array<unsigned, 64> memory{};
  std::array<unsigned, 512> found{};
  auto memories = static_cast<unsigned>(memory.size());
  auto count = static_cast<unsigned>(found.size());
  if (device == nullptr || !Library::call(m_library->memory_clocks, device, &memories, memory.data()) ||
      memories == 0 || !Library::call(m_library->sm_clocks, device, memory[0], &count, found.data()))
    return {};
  std::vector<int> clocks(found.begin(), found.begin() + std::min<std::size_t>(count, found.size()));
  std::ranges::sort(clocks);
  return clocks;
}

std::string Nvml::lock_sm_clock(const std::string& uuid, int mhz) const {
  const auto clock = static_cast<unsigned>(mhz);
  return m_library == nullptr ? no_nvml : m_library->why_not(m_library->lock_clocks, uuid, clock, clock);
}

std::string Nvml::free_sm_clock(const std::string& uuid) const {
  return m_library == nullptr ? no_nvml : m_library->why_not(m_library->free_clocks, uuid);
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
