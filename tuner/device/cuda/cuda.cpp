#include "tuner/device/cuda/cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "tuner/model/embedded_file.hpp"
#include "tuner/model/error.hpp"
#ifdef TUNER_HAVE_CUDA
#include "tuner/device/cuda/cuda_device.hpp"
#include "tuner/device/cuda/driver.hpp"
#endif

namespace tuner::device::cuda {

std::span<const model::EmbeddedFile> embedded_files();  // generated: support.cu, then the headers it includes

model::CompileJob support_job(const std::string& architecture, const std::string& compiler) {
  model::CompileJob job;
  for (const model::EmbeddedFile& file : embedded_files()) {
    job.source.push_back({std::string(file.path), std::string(file.text)});
  }
  job.entries = {"tuner_fill", "tuner_compare", "tuner_checksum", "tuner_delay", "tuner_read_clock"};
  job.architecture = architecture;
  job.compiler = compiler;
  return job;
}

#ifdef TUNER_HAVE_CUDA
namespace {

/// Asks one device; every answer that does not come ends the command.
class Query {
 public:
  Query(const Driver& driver, int ordinal)
      : m_driver(driver), m_ordinal(ordinal), m_device(device_at(driver, ordinal)) {}

  int attribute(CUdevice_attribute which) const {
    int value = 0;
    require(m_driver.device_get_attribute(&value, which, m_device), "attributes");
    return value;
  }

  std::string name() const {
    std::array<char, 256> text{};
    require(m_driver.device_get_name(text.data(), static_cast<int>(text.size()), m_device), "name");
    return text.data();
  }

  /// `GPU-` and the number in groups, as nvidia-smi writes it.
  std::string uuid() const {
    CUuuid raw{};
    require(m_driver.device_get_uuid(&raw, m_device), "UUID");
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
      text += fmt::format("{:02x}", static_cast<unsigned char>(raw.bytes[i]));
    }
    return text;
  }

  std::int64_t memory_bytes() const {
    std::size_t bytes = 0;
    require(m_driver.device_total_mem(&bytes, m_device), "memory");
    return static_cast<std::int64_t>(bytes);
  }

 private:
  void require(CUresult result, const char* what) const {
    if (result == CUDA_SUCCESS) return;
    throw model::Error(
        fmt::format("cuda:{} does not report its {}: {}", m_ordinal, what, describe(m_driver, result)), "",
        model::ExitCode::no_device);
  }

  const Driver& m_driver;
  int m_ordinal;
  CUdevice m_device;
};

model::DeviceLimits limits_of(const Query& query) {
  model::DeviceLimits limits;
  limits.multiprocessors = query.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  limits.warp_size = query.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  limits.max_threads_per_block = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  limits.max_threads_per_multiprocessor = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  limits.max_blocks_per_multiprocessor = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  limits.registers_per_block = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  limits.registers_per_multiprocessor = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  limits.shared_bytes_per_block = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  limits.shared_bytes_per_block_optin =
      query.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  limits.shared_bytes_per_multiprocessor =
      query.attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  limits.reserved_shared_bytes_per_block =
      query.attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  limits.max_grid_x = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  limits.max_grid_y = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  limits.max_grid_z = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  limits.max_block_x = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  limits.max_block_y = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  limits.max_block_z = query.attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  limits.l2_bytes = query.attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  return limits;
}

/// What the driver says of a device, without a context; `nvml` gives the driver's version and the free
/// memory if it can.
model::DeviceInfo query_device(const Driver& driver, int ordinal, const Nvml& nvml) {
  const Query query(driver, ordinal);
  model::DeviceInfo info;
  info.id = fmt::format("cuda:{}", ordinal);
  info.kind = "cuda";
  info.name = query.name();
  info.uuid = query.uuid();
  info.compute_major = query.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.compute_minor = query.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.architecture = fmt::format("sm_{}{}", info.compute_major, info.compute_minor);
  info.driver = nvml.driver_version().value_or(
      fmt::format("CUDA {}.{}", driver.version / 1000, driver.version % 1000 / 10));
  info.memory_bytes = query.memory_bytes();
  info.free_memory_bytes = nvml.free_memory_bytes(info.uuid).value_or(0);
  info.limits = limits_of(query);
  return info;
}

}  // namespace

std::vector<model::DeviceInfo> devices() {
  // While the driver starts, which takes longer.
  auto nvml = std::async(std::launch::async, [] { return std::make_unique<Nvml>(); });
  const std::shared_ptr<const Driver> driver = load_driver();
  int count = 0;
  if (const CUresult result = driver->device_get_count(&count); result != CUDA_SUCCESS) {
    throw model::Error(fmt::format("cannot count the GPUs: {}", describe(*driver, result)), "",
                       model::ExitCode::no_device);
  }
  const std::unique_ptr<Nvml> loaded = nvml.get();
  std::vector<model::DeviceInfo> out;
  for (int ordinal = 0; ordinal < count; ++ordinal) out.push_back(query_device(*driver, ordinal, *loaded));
  return out;
}

double max_sm_clock_mhz(int ordinal) {
  const std::shared_ptr<const Driver> driver = load_driver();
  int kilohertz = 0;
  const CUresult result =
      driver->device_get_attribute(&kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device_at(*driver, ordinal));
  return result == CUDA_SUCCESS ? kilohertz / 1000.0 : 0;
}

std::unique_ptr<Device> open(int ordinal, std::future<std::vector<std::byte>> support_binary) {
  const std::shared_ptr<const Driver> driver = load_driver();
  model::DeviceInfo info = query_device(*driver, ordinal, Nvml());
  try {
    auto session = std::make_shared<Session>(driver, ordinal);
    return std::make_unique<CudaDevice>(std::move(session), info, support_binary.get());
  } catch (const DeviceFault& fault) {
    throw model::Error(fmt::format("cuda:{} cannot be used: {}", ordinal, fault.what()),
                       "`nvidia-smi` shows its state and who else uses it", model::ExitCode::no_device);
  }
}

#else  // nothing stands behind the driver's interface

namespace {

[[noreturn]] void fail() {
  throw model::Error("this tuner was built without CUDA headers, so it has no CUDA device",
                     "install the CUDA Toolkit 12.4 or later, and configure and build again; or use this "
                     "processor: --device cpu",
                     model::ExitCode::no_device);
}

}  // namespace

std::vector<model::DeviceInfo> devices() {
  fail();
}

double max_sm_clock_mhz(int) {
  fail();
}

std::unique_ptr<Device> open(int, std::future<std::vector<std::byte>>) {
  fail();
}

#endif
}  // namespace tuner::device::cuda
