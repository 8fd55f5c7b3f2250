#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/device/cuda/launch.hpp"
#include "tuner/device/cuda/support_kernels.hpp"
#include "tuner/device/host_library.hpp"

namespace tuner::device::cuda {

/// Steps bound to kernels and memory, on as many streams as they name.
///
/// The time is that between two events on the session's stream, unless it is of Execution::eager. What is
/// queued between them waits behind a delay kernel, so that the host is done queueing when the first event
/// passes and its latency is not in the number; in a stream the delay is as long as queueing all repetitions
/// takes. Else several repetitions are one graph launch, because the host queues kernels more slowly than the
/// GPU ends short ones. The SM clock is read before the delay and after the second event, so that even a
/// short run has one and none of it is in the time.
class CudaSequence final : public Sequence {
 public:
  struct Parts {
    std::shared_ptr<const Session> session;
    std::shared_ptr<const SupportKernels> support;
    CUmodule cubin = nullptr;  ///< of `module`; null where that is a HostLibrary
    const Module& module;
  };
  CudaSequence(Parts parts, const std::vector<model::KernelResources>& kernels,
               const std::vector<model::Step>& steps, const std::vector<model::BufferPlan>& buffers,
               const Bindings& bindings);

  Timing run(int repetitions, model::Execution execution) override;
  void run_alone() override;
  void fill_arrays() override { m_arrays.fill(); }
  void collect_arrays() override { m_arrays.collect(); }
  int blocks_per_multiprocessor() const override;

 private:
  /// A copy from a pinned image of what the buffer held when the sequence was bound.
  struct Upload {
    PinnedMemory image;
    CUdeviceptr to = 0;
    std::size_t bytes = 0;
  };
  /// A memset.
  struct Set {
    CUdeviceptr to = 0;
    std::size_t bytes = 0;
    unsigned char byte = 0;
  };
  struct BoundStep {
    std::optional<Launch> launch;
    std::optional<Upload> upload;
    std::optional<Set> set;
    std::optional<LibraryCall> call;
    std::size_t stream = 0;  ///< 0: the session's; else m_streams[stream - 1]
    std::vector<std::size_t> after;
    Event done;  ///< made when a later step waits for it
  };
  struct SideStream {
    int number = 0;  ///< as steps call it
    Stream stream;
    Event joined;
  };

  CUfunction find_kernel(const std::vector<model::KernelResources>& kernels, const std::string& entry) const;
  Upload make_upload(const MemoryPart& part) const;
  std::size_t stream_index(int number, int main_number);
  CUstream stream_at(std::size_t index) const;
  void enqueue(int repetitions) const;
  void enqueue_step(const BoundStep& step) const;
  void prepare_graph(int repetitions);
  Timing run_eagerly(int repetitions);
  std::uint64_t delay_of_stream(int repetitions) const;
  void wait(CUstream stream, const Event& event) const;
  void record(const Event& event, CUstream stream) const;

  Parts m_parts;
  Arrays m_arrays;
  std::vector<SideStream> m_streams;
  std::vector<BoundStep> m_steps;
  std::vector<std::size_t> m_order;  ///< of one run, loops written out
  Event m_start;
  Event m_stop;
  Event m_fork;
  GraphExec m_graph;
  int m_graph_repetitions = 0;
};

}  // namespace tuner::device::cuda
