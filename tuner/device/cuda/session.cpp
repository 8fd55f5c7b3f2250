#include "tuner/device/cuda/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/device/device.hpp"
#include "tuner/model/error.hpp"

namespace tuner::device::cuda {
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
