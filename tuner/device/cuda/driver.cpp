#include "tuner/device/cuda/driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

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

}  // namespace tuner::device::cuda
