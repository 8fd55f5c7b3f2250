#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/device/cpu/shared_object.hpp"
#include "tuner/device/cpu/worker_pool.hpp"
#include "tuner/device/device.hpp"
#include "tuner/device/host_library.hpp"

namespace tuner::device::cpu {

/// Steps bound to their operands. They run in the order written: that keeps what any of them waits for.
class CpuSequence final : public Sequence {
 public:
  /// Throws DeviceFault (launch_error) for arguments that do not fit a kernel and launches beyond the
  /// device's limits.
  CpuSequence(WorkerPool& pool, const Module& module, const std::vector<model::KernelResources>& kernels,
              const std::vector<model::Step>& steps, const std::vector<model::BufferPlan>& buffers,
              const Bindings& bindings, const model::DeviceLimits& limits);

  Timing run(int repetitions) override;
  int blocks_per_multiprocessor() const override { return -1; }

 private:
  struct Bound {
    Launch launch;
    std::vector<OperandValue> values;  ///< of the arguments
    std::vector<void*> pointers;
    std::byte* upload_to = nullptr;  ///< an upload or a memset, not a launch
    std::size_t bytes = 0;
    std::vector<std::byte> upload;    ///< empty: a memset to …
    int byte = 0;                     ///< … this
    std::optional<LibraryCall> call;  ///< a call, not a launch
  };

  Bound bind_launch(const model::Step& step, const std::vector<model::KernelResources>& kernels,
                    const Bindings& bindings, const model::DeviceLimits& limits) const;
  static Bound bind_upload(const model::Step& step, const std::vector<model::BufferPlan>& buffers,
                           const Bindings& bindings);

  WorkerPool& m_pool;
  const Module& m_module;
  std::vector<Bound> m_steps;
  std::vector<std::size_t> m_order;  ///< of one run, loops written out
};

}  // namespace tuner::device::cpu
