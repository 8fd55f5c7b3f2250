#include "tuner/device/cuda/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tuner/device/device.hpp"
#include "tuner/model/error.hpp"

namespace tuner::device::cuda {
namespace {

constexpr int oldest_driver = 12000;

/// By name through the loader, then where containers, WSL and NixOS keep it.
constexpr std::array candidates = {
    "libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
};

[[noreturn]] void fail(const std::string& message, const std::string& hint) {
  throw model::Error(message, hint, model::ExitCode::no_device);
}

void* open_library() {
  std::string tried;
  for (const char* candidate : candidates) {
    if (void* library = dlopen(candidate, RTLD_NOW | RTLD_LOCAL)) return library;
    const char* why = dlerror();
    tried += fmt::format("\n  {}", why == nullptr ? candidate : why);
  }
  const char* path = std::getenv("LD_LIBRARY_PATH");
  fail(fmt::format("no NVIDIA driver found; looked for:{}\n  (LD_LIBRARY_PATH is {})", tried,
                   path == nullptr ? "not set" : path),
       "install NVIDIA's driver, or use this processor: --device cpu");
}

/// Null where the driver has no such version.
void* find_function(PFN_cuGetProcAddress_v12000 get, const char* symbol, int version) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  const CUresult result = get(symbol, &function, version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &found);
  return result == CUDA_SUCCESS && found == CU_GET_PROC_ADDRESS_SUCCESS ? function : nullptr;
}

template <typename Function>
void require_function(PFN_cuGetProcAddress_v12000 get, Function& out, const char* symbol, int version) {
  out = reinterpret_cast<Function>(find_function(get, symbol, version));
  if (out == nullptr) {
    fail(fmt::format("the NVIDIA driver has no {} (version {})", symbol, version),
         "install a driver for CUDA 12.4 or later");
  }
}

}  // namespace

std::shared_ptr<const Driver> load_driver() {
  void* library = open_library();
  const auto get = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  if (get == nullptr) {
    fail("the NVIDIA driver is older than CUDA 12", "install a driver for CUDA 12.4 or later");
  }
  auto driver = std::make_shared<Driver>();
#define TUNER_FIND(member, symbol, version) require_function(get, driver->member, #symbol, version);
  TUNER_DRIVER_FUNCTIONS(TUNER_FIND)
#undef TUNER_FIND
  driver->func_get_param_info =
      reinterpret_cast<PFN_cuFuncGetParamInfo_v12040>(find_function(get, "cuFuncGetParamInfo", 12040));
  driver->max_active_clusters = reinterpret_cast<PFN_cuOccupancyMaxActiveClusters_v11070>(
      find_function(get, "cuOccupancyMaxActiveClusters", 11070));
  driver->reset_persisting_l2 = reinterpret_cast<PFN_cuCtxResetPersistingL2Cache_v11000>(
      find_function(get, "cuCtxResetPersistingL2Cache", 11000));
  driver->tensor_map_encode_tiled = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(
      find_function(get, "cuTensorMapEncodeTiled", 12000));

  if (const CUresult result = driver->init(0); result != CUDA_SUCCESS) {
    fail(fmt::format("the NVIDIA driver was found, but no GPU works with it: {}", describe(*driver, result)),
         result == CUDA_ERROR_NO_DEVICE ? "CUDA_VISIBLE_DEVICES may hide the GPUs; `nvidia-smi -L` lists them"
                                        : "`nvidia-smi` should say more");
  }
  if (driver->driver_get_version(&driver->version) != CUDA_SUCCESS || driver->version < oldest_driver) {
    fail(fmt::format("the NVIDIA driver is for CUDA {}.{}", driver->version / 1000,
                     driver->version % 1000 / 10),
         "install a driver for CUDA 12.4 or later");
  }
  return driver;
}

std::string describe(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.get_error_name(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown CUDA error";
  if (driver.get_error_string(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  return fmt::format("{} ({}): {}", name, static_cast<int>(result), text);
}

/// CUDA_ERROR_CONTAINED, newer than 12.4: the device's memory failed under the process that used it.
constexpr int contained = 226;

bool is_fatal(CUresult result) {
  switch (static_cast<int>(result)) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case contained:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case 721:  // CUDA_ERROR_TENSOR_MEMORY_LEAK, newer than 12.4
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

bool is_of_device(CUresult result) {
  switch (static_cast<int>(result)) {
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case contained:
      return true;
    default:
      return false;
  }
}

void check(const Driver& driver, CUresult result, const char* doing) {
  if (result == CUDA_SUCCESS) return;
  const bool broken = is_of_device(result);
  const bool lost = broken || is_fatal(result);
  throw DeviceFault(lost ? model::TrialStatus::crashed : model::TrialStatus::launch_error, lost,
                    fmt::format("{}, while {}", describe(driver, result), doing), broken);
}

namespace {

/// Room for a few lines of a kernel's printf. What does not fit overwrites the oldest, so a flood costs
/// nothing.
constexpr std::size_t printf_bytes = std::size_t{64} << 10U;

void require(const Driver& driver, CUresult result, const std::string& what, const std::string& hint) {
  if (result == CUDA_SUCCESS) return;
  throw model::Error(fmt::format("{}: {}", what, describe(driver, result)), hint, model::ExitCode::no_device);
}

std::string gibibytes(std::int64_t bytes) {
  constexpr double gibi = 1024.0 * 1024.0 * 1024.0;
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / gibi);
}

}  // namespace

CUdevice device_at(const Driver& driver, int ordinal) {
  int count = 0;
  require(driver, driver.device_get_count(&count), "cannot count the GPUs", "`nvidia-smi` should say more");
  if (ordinal < 0 || ordinal >= count) {
    throw model::Error(
        fmt::format("there is no cuda:{}; the driver shows {} GPU{}", ordinal, count, count == 1 ? "" : "s"),
        "`tuner list devices` shows them", model::ExitCode::no_device);
  }
  CUdevice device = 0;
  require(driver, driver.device_get(&device, ordinal), fmt::format("cannot use cuda:{}", ordinal), "");
  return device;
}

Session::Context::Context(std::shared_ptr<const Driver> from, int ordinal) : driver(std::move(from)) {
  device = device_at(*driver, ordinal);
  CUcontext context = nullptr;
  require(*driver, driver->primary_ctx_retain(&context, device),
          fmt::format("cuda:{} gives no context", ordinal),
          "another process may hold the GPU in exclusive mode or use all of its memory");
  const CUresult result = driver->ctx_set_current(context);
  if (result != CUDA_SUCCESS) static_cast<void>(driver->primary_ctx_release(device));
  require(*driver, result, fmt::format("the context of cuda:{} cannot be used", ordinal), "");
}

Session::Context::~Context() {
  static_cast<void>(driver->primary_ctx_release(device));
}

Session::Session(std::shared_ptr<const Driver> driver, int ordinal)
    : m_driver(std::move(driver)), m_context(m_driver, ordinal), m_stream(make_stream()) {
  check(*m_driver, m_driver->ctx_set_limit(CU_LIMIT_PRINTF_FIFO_SIZE, printf_bytes),
        "limiting the output of kernels");
}

void Session::synchronize(const char* doing) const {
  check(*m_driver, m_driver->stream_synchronize(m_stream.get()), doing);
}

DeviceMemory Session::allocate(std::int64_t bytes) const {
  CUdeviceptr address = 0;
  const CUresult result =
      m_driver->mem_alloc(&address, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    std::size_t free = 0;
    std::size_t total = 0;
    check(*m_driver, m_driver->mem_get_info(&free, &total), "asking how much memory is free");
    throw DeviceFault(
        model::TrialStatus::launch_error, false,
        fmt::format("{}: asked for {} when {} of {} were free", describe(*m_driver, result), gibibytes(bytes),
                    gibibytes(static_cast<std::int64_t>(free)), gibibytes(static_cast<std::int64_t>(total))));
  }
  check(*m_driver, result, "allocating device memory");
  return {m_driver, address};
}

PinnedMemory Session::allocate_pinned(std::int64_t bytes) const {
  void* memory = nullptr;
  check(*m_driver,
        m_driver->mem_alloc_host(&memory, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))),
        "allocating pinned host memory");
  return {m_driver, memory};
}

DeviceMemory Session::allocate_managed(std::int64_t bytes) const {
  CUdeviceptr address = 0;
  check(*m_driver,
        m_driver->mem_alloc_managed(&address, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)),
                                    CU_MEM_ATTACH_GLOBAL),
        "allocating managed memory");
  return {m_driver, address};
}

ModuleHandle Session::load(const void* cubin) const {
  CUmodule module = nullptr;
  check(*m_driver, m_driver->module_load_data(&module, cubin), "loading the binary");
  return {m_driver, module};
}

Stream Session::make_stream() const {
  CUstream stream = nullptr;
  check(*m_driver, m_driver->stream_create(&stream, CU_STREAM_NON_BLOCKING), "making a stream");
  return {m_driver, stream};
}

Event Session::make_event(bool timed) const {
  CUevent event = nullptr;
  const unsigned flags = timed ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  check(*m_driver, m_driver->event_create(&event, flags), "making an event");
  return {m_driver, event};
}

}  // namespace tuner::device::cuda
