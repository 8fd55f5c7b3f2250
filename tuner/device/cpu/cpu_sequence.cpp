#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <limits>

#include "tuner/device/cpu/block_runner.hpp"
#include "tuner/device/cpu/cpu_device.hpp"
#include "tuner/device/cpu/shared_object.hpp"
#include "tuner/device/host_library.hpp"

namespace tuner::device::cpu {
namespace {

unsigned extent(std::int64_t value, std::int64_t limit, const char* what, const std::string& entry) {
  if (value < 1 || value > limit || value > std::numeric_limits<unsigned>::max()) {
    refuse(fmt::format("{}: {} is {}, allowed are 1 to {}", entry, what, value, limit));
  }
  return static_cast<unsigned>(value);
}

void check_shared(const model::Step& step, const SharedObject& module, const model::DeviceLimits& limits) {
  const std::int64_t bytes = step.dynamic_shared_bytes + module.static_shared_bytes();
  if (step.dynamic_shared_bytes < 0 || bytes > limits.shared_bytes_per_block_optin) {
    refuse(fmt::format("{}: {} bytes of shared memory, allowed are {}", step.entry, bytes,
                       limits.shared_bytes_per_block_optin));
  }
}

/// Blocks that may wait for each other run at the same time, each with a copy of the static shared arrays.
void set_groups(const model::Step& step, Launch& launch) {
  const auto divides = [](std::int64_t part, std::int64_t whole) { return part >= 1 && whole % part == 0; };
  if (!divides(step.cluster.x, step.grid.x) || !divides(step.cluster.y, step.grid.y) ||
      !divides(step.cluster.z, step.grid.z))
    refuse(fmt::format("{}: the cluster does not divide the grid", step.entry));
  launch.cooperative = step.cooperative;
  launch.cluster = {static_cast<unsigned>(step.cluster.x), static_cast<unsigned>(step.cluster.y),
                    static_cast<unsigned>(step.cluster.z)};
  const std::int64_t together = launch.blocks_together();
  if (together == 1) return;
  const tuner_cpu::Module& module = launch.module->properties();
  if (module.static_shared_is_global || module.reports_accesses) {
    throw DeviceFault(
        model::TrialStatus::unlaunchable, false,
        fmt::format("{}: blocks that wait for each other do not run under a sanitizer", step.entry));
  }
  if (together > WorkerPool::most_threads_together / step.block.count()) {
    throw DeviceFault(
        model::TrialStatus::unlaunchable, false,
        fmt::format("{}: {} blocks of {} threads must run at once; this device runs {} threads", step.entry,
                    together, step.block.count(), WorkerPool::most_threads_together));
  }
}

/// Steps bound to their operands. They run in the order written: that keeps what any of them waits for.
class CpuSequence final : public Sequence {
 public:
  /// Throws DeviceFault (launch_error) for arguments that do not fit a kernel and launches beyond the
  /// device's limits.
  CpuSequence(WorkerPool& pool, const Module& module, const std::vector<model::KernelResources>& kernels,
              const std::vector<model::Step>& steps, const std::vector<model::BufferPlan>& buffers,
              const Bindings& bindings, const model::DeviceLimits& limits)
      : m_pool(pool), m_module(module), m_order(model::launch_order(steps)) {
    for (const model::Step& step : steps) {
      switch (step.kind) {
        case model::Step::Kind::launch:
          m_steps.push_back(bind_launch(step, kernels, bindings, limits));
          break;
        case model::Step::Kind::upload:
        case model::Step::Kind::memset:
          m_steps.push_back(bind_upload(step, buffers, bindings));
          break;
        case model::Step::Kind::call:
          m_steps.emplace_back().call.emplace(module, step, buffers, bindings);
          break;
      }
    }
    for (Bound& step : m_steps) {  // addresses are final only now
      for (OperandValue& value : step.values) step.pointers.push_back(&value);
      step.launch.arguments = step.pointers.data();
    }
  }

  /// Each launch is a call of the host, however it is to follow the one before.
  Timing run(int repetitions, model::Execution) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repetitions; ++i) {
      for (const std::size_t index : m_order) {
        const Bound& step = m_steps[index];
        if (step.call) {
          step.call->enqueue(nullptr);
        } else if (step.upload_to != nullptr) {
          if (step.upload.empty())
            std::memset(step.upload_to, step.byte, step.bytes);
          else
            std::memcpy(step.upload_to, step.upload.data(), step.bytes);
        } else if (auto fault = m_pool.run(step.launch)) {
          throw DeviceFault(model::TrialStatus::crashed, false, *fault);
        }
      }
    }
    return {std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count()};
  }

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
                    const Bindings& bindings, const model::DeviceLimits& limits) const {
    const std::string& symbol = symbol_of(kernels, step.entry);
    const auto* module = dynamic_cast<const SharedObject*>(&m_module);
    if (module == nullptr) refuse(fmt::format("the binary has no kernel {}", step.entry));
    Bound bound;
    Launch& launch = bound.launch;
    launch.kernel = &module->kernel(symbol);
    launch.module = module;
    launch.grid = {extent(step.grid.x, limits.max_grid_x, "gridDim.x", step.entry),
                   extent(step.grid.y, limits.max_grid_y, "gridDim.y", step.entry),
                   extent(step.grid.z, limits.max_grid_z, "gridDim.z", step.entry)};
    launch.block = {extent(step.block.x, limits.max_block_x, "blockDim.x", step.entry),
                    extent(step.block.y, limits.max_block_y, "blockDim.y", step.entry),
                    extent(step.block.z, limits.max_block_z, "blockDim.z", step.entry)};
    extent(step.block.count(), limits.max_threads_per_block, "the number of threads in a block", step.entry);
    check_shared(step, *module, limits);
    set_groups(step, launch);
    launch.dynamic_shared_bytes = step.dynamic_shared_bytes;

    if (launch.kernel->parameters != static_cast<int>(step.operands.size())) {
      refuse(fmt::format("{} takes {} arguments, the spec passes {}", step.entry, launch.kernel->parameters,
                         step.operands.size()));
    }
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      const std::size_t bytes = operand_bytes(step.operands[i]);
      if (launch.kernel->parameter_bytes[i] != bytes) {
        refuse(fmt::format("{}: parameter {} has {} bytes, the spec's argument {}", step.entry, i + 1,
                           launch.kernel->parameter_bytes[i], bytes));
      }
      bound.values.push_back(operand_value(step.operands[i], bindings));
    }
    return bound;
  }

  /// The host's copy is made here, while the buffer still has its initial contents.
  static Bound bind_upload(const model::Step& step, const std::vector<model::BufferPlan>& buffers,
                           const Bindings& bindings) {
    const MemoryPart part = part_of(step, buffers, bindings);
    Bound bound;
    bound.upload_to = reinterpret_cast<std::byte*>(part.address);
    bound.bytes = part.bytes;
    bound.byte = static_cast<int>(step.byte);
    if (step.kind == model::Step::Kind::upload)
      bound.upload.assign(bound.upload_to, bound.upload_to + bound.bytes);
    return bound;
  }

  WorkerPool& m_pool;
  const Module& m_module;
  std::vector<Bound> m_steps;
  std::vector<std::size_t> m_order;  ///< of one run, loops written out
};

}  // namespace

std::unique_ptr<Sequence> CpuDevice::bind(Module& module, const std::vector<model::KernelResources>& kernels,
                                          const std::vector<model::Step>& steps,
                                          const std::vector<model::BufferPlan>& buffers,
                                          const Bindings& bindings) {
  return std::make_unique<CpuSequence>(*m_pool, module, kernels, steps, buffers, bindings, m_info.limits);
}

}  // namespace tuner::device::cpu
