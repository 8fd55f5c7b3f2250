#pragma once
#include <memory>
#include <vector>

#include "tuner/device/cuda/support_kernels.hpp"
#include "tuner/device/device.hpp"

namespace tuner::device::cuda {

/// A GPU in the primary context of this process. What is allocated, loaded or bound keeps the context.
class CudaDevice final : public Device {
 public:
  CudaDevice(std::shared_ptr<const Session> session, model::DeviceInfo info,
             std::span<const std::byte> support_binary);

  const model::DeviceInfo& info() const override { return m_info; }
  std::unique_ptr<Buffer> allocate(std::int64_t bytes) override;
  std::unique_ptr<Buffer> allocate_in(model::Memory memory, std::int64_t bytes) override;
  /// Queued; a fault shows in the next call that waits.
  void fill(Address address, model::ElementType type, std::int64_t elements, const model::Init& init,
            std::uint64_t seed) override;
  model::Verification compare(const CompareRequest& request) override;
  void write(Address to, std::span<const std::byte> from) override;
  void read(Address from, std::span<std::byte> to) override;
  std::uint64_t checksum(Address address, std::int64_t bytes) override;
  std::unique_ptr<Module> load(std::span<const std::byte> binary) override;
  std::unique_ptr<Sequence> bind(Module& module, const std::vector<model::KernelResources>& kernels,
                                 const std::vector<model::Step>& steps,
                                 const std::vector<model::BufferPlan>& buffers,
                                 const Bindings& bindings) override;
  /// Writes twice the cache's size. Queued, so that a run queued behind it starts without waiting for the
  /// host.
  void flush_l2() override;

 private:
  std::shared_ptr<const Session> m_session;
  model::DeviceInfo m_info;
  std::shared_ptr<const SupportKernels> m_support;
  DeviceMemory m_flushed;  ///< allocated by the first flush
};

}  // namespace tuner::device::cuda
