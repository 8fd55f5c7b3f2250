#include "tuner/device/cuda/cuda_device.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tuner::device::cuda {
namespace {

Address address_of(CUdeviceptr memory) {
  return memory;
}
/// Page-locked memory of the host has one address on host and device.
Address address_of(void* memory) {
  return reinterpret_cast<Address>(memory);
}

template <typename Memory>
class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(std::shared_ptr<const Session> session, Memory memory, std::int64_t bytes)
      : m_session(std::move(session)), m_memory(std::move(memory)), m_bytes(bytes) {}
  Address address() const override { return address_of(m_memory.get()); }
  std::int64_t bytes() const override { return m_bytes; }

 private:
  std::shared_ptr<const Session> m_session;
  Memory m_memory;
  std::int64_t m_bytes;
};

template <typename Memory>
std::unique_ptr<Buffer> buffer_of(const std::shared_ptr<const Session>& session, Memory memory,
                                  std::int64_t bytes) {
  return std::make_unique<CudaBuffer<Memory>>(session, std::move(memory), bytes);
}

class CudaModule final : public Module {
 public:
  CudaModule(std::shared_ptr<const Session> session, std::span<const std::byte> binary)
      : m_session(std::move(session)), m_handle(m_session->load(binary.data())) {}
  CUmodule get() const { return m_handle.get(); }
  Variable variable(const std::string& symbol) const override {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const Driver& driver = m_session->driver();
    const CUresult result = driver.module_get_global(&address, &bytes, m_handle.get(), symbol.c_str());
    if (result != CUDA_SUCCESS)
      check(driver, result, fmt::format("finding the variable {} in the binary", symbol).c_str());
    return {address, static_cast<std::int64_t>(bytes)};
  }

 private:
  std::shared_ptr<const Session> m_session;
  ModuleHandle m_handle;
};

static_assert(!std::is_copy_constructible_v<CudaBuffer<DeviceMemory>> &&
              std::is_nothrow_destructible_v<CudaBuffer<DeviceMemory>>);
static_assert(!std::is_copy_constructible_v<CudaModule> && std::is_nothrow_destructible_v<CudaModule>);
static_assert(!std::is_copy_constructible_v<CudaSequence> && std::is_nothrow_destructible_v<CudaSequence>);

}  // namespace

CudaDevice::CudaDevice(std::shared_ptr<const Session> session, model::DeviceInfo info,
                       std::span<const std::byte> support_binary)
    : m_session(std::move(session)),
      m_info(std::move(info)),
      m_support(std::make_shared<SupportKernels>(m_session, support_binary)) {
  std::size_t free = 0;
  std::size_t total = 0;
  check(m_session->driver(), m_session->driver().mem_get_info(&free, &total),
        "asking how much memory is free");
  m_info.free_memory_bytes = static_cast<std::int64_t>(free);
}

std::unique_ptr<Buffer> CudaDevice::allocate(std::int64_t bytes) {
  return buffer_of(m_session, m_session->allocate(bytes), bytes);
}

std::unique_ptr<Buffer> CudaDevice::allocate_in(model::Memory memory, std::int64_t bytes) {
  switch (memory) {
    case model::Memory::pinned:
      return buffer_of(m_session, m_session->allocate_pinned(bytes), bytes);
    case model::Memory::managed:
      return buffer_of(m_session, m_session->allocate_managed(bytes), bytes);
    case model::Memory::device:
      break;
  }
  return allocate(bytes);
}

void CudaDevice::fill(Address address, model::ElementType type, std::int64_t elements,
                      const model::Init& init, std::uint64_t seed) {
  m_support->fill(address, elements * model::components(type), fill_request(type, init, seed));
}

/// Sorting is the host's work: without order it takes a copy of all that is compared.
model::Verification CudaDevice::compare(const CompareRequest& request) {
  if (request.unordered_within != 0) {
    const std::int64_t numbers = request.elements * model::components(request.type);
    std::vector<std::byte> got(static_cast<std::size_t>(request.elements * model::size_bytes(request.type)));
    std::vector<double> expected(static_cast<std::size_t>(numbers));
    std::vector<double> magnitude(expected.size());
    read(request.got, got);
    read(request.expected, std::as_writable_bytes(std::span(expected)));
    read(request.magnitude, std::as_writable_bytes(std::span(magnitude)));
    CompareRequest on_host = request;
    on_host.got = reinterpret_cast<Address>(got.data());
    on_host.expected = reinterpret_cast<Address>(expected.data());
    on_host.magnitude = reinterpret_cast<Address>(magnitude.data());
    return compare_on_host(on_host);
  }
  return to_verification(m_support->compare(request), request);
}

void CudaDevice::write(Address to, std::span<const std::byte> from) {
  const char* doing = "copying to the device";
  const Driver& driver = m_session->driver();
  if (from.empty()) return;
  check(driver, driver.memcpy_htod_async(to, from.data(), from.size(), m_session->stream()), doing);
  m_session->synchronize(doing);
}

void CudaDevice::read(Address from, std::span<std::byte> to) {
  const char* doing = "copying from the device";
  const Driver& driver = m_session->driver();
  if (to.empty()) return;
  check(driver, driver.memcpy_dtoh_async(to.data(), from, to.size(), m_session->stream()), doing);
  m_session->synchronize(doing);
}

std::uint64_t CudaDevice::checksum(Address address, std::int64_t bytes) {
  return m_support->checksum(address, bytes);
}

std::unique_ptr<Module> CudaDevice::load(std::span<const std::byte> binary) {
  require_cubin(binary);
  return std::make_unique<CudaModule>(m_session, binary);
}

std::unique_ptr<Sequence> CudaDevice::bind(Module& module, const std::vector<model::KernelResources>& kernels,
                                           const std::vector<model::Step>& steps,
                                           const std::vector<model::BufferPlan>& buffers,
                                           const Bindings& bindings) {
  const auto* cubin = dynamic_cast<const CudaModule*>(&module);
  const CUmodule handle = cubin != nullptr ? cubin->get() : nullptr;
  return std::make_unique<CudaSequence>(CudaSequence::Parts{m_session, m_support, handle, module}, kernels,
                                        steps, buffers, bindings);
}

void CudaDevice::flush_l2() {
  constexpr std::int64_t word = 4;
  const std::int64_t bytes = std::max<std::int64_t>(2 * m_info.limits.l2_bytes, std::int64_t{64} << 20U);
  if (!m_flushed) m_flushed = m_session->allocate(bytes);
  const Driver& driver = m_session->driver();
  // Lines that a kernel's access policy made persisting are no memset's to evict. A GPU without them refuses.
  if (driver.reset_persisting_l2 != nullptr) static_cast<void>(driver.reset_persisting_l2());
  check(driver,
        driver.memset_d32_async(m_flushed.get(), 0, static_cast<std::size_t>(bytes / word),
                                m_session->stream()),
        "flushing the L2 cache");
}

}  // namespace tuner::device::cuda
