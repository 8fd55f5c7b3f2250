#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tuner/capture/cupti.hpp"
#include "tuner/capture/driver.hpp"
#include "tuner/capture/events.hpp"
#include "tuner/capture/kernels.hpp"
#include "tuner/capture/ledger.hpp"
#include "tuner/capture/request.hpp"

namespace tuner::capture {

/// A launch as the program asked for it.
struct Launch {
  CuFunction handle = nullptr;
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint32_t dynamic_shared_bytes = 0;
  CuStream stream = nullptr;
  bool per_thread = false;  ///< the null stream is the thread's own
  void** arguments = nullptr;
  void** extra = nullptr;
};

/// What the driver is told to launch with.
class LaunchQueue {
 public:
  LaunchQueue() = default;
  LaunchQueue(const LaunchQueue&) = delete;
  LaunchQueue& operator=(const LaunchQueue&) = delete;
  virtual CuResult queue() const = 0;

 protected:
  ~LaunchQueue() = default;
};

/// What this process does with CUDA. There is one from the process's first call of cuInit() on, where the
/// process is captured.
class Observer final : KernelRuns {
 public:
  /// Null: the process is not captured, or has not begun yet.
  static Observer* running();
  /// The process begins to use CUDA. Null where it is not captured.
  static Observer* begin();

  CuResult launch(const Launch& launch, const LaunchQueue& queue);
  void graph_launched();
  void capture_begun() { ++m_captures; }
  void capture_ended() { --m_captures; }
  void function_found(CuFunction function, CuModule module, const char* name);
  void kernel_found(CuKernel kernel, CuLibrary library, const char* name);
  void function_of_kernel(CuFunction function, CuKernel kernel);
  void unloaded(const void* owner);

  /// The process ends in order.
  void finish(End end);
  bool is_of_this_process() const;

 private:
  explicit Observer(const std::string& folder);
  bool open(std::string& why);
  void start_timing();
  /// Of the current context.
  void see_context();
  bool is_put_into_graph(const Launch& launch) const;
  void take(const KernelRun& run) override;
  void lost(std::uint64_t records) override;

  const std::string m_folder;  ///< of the capture
  std::string m_own_folder;    ///< of this process
  std::recursive_mutex m_changing;
  LedgerWriter m_ledger;
  Kernels m_kernels{m_ledger};
  std::unique_ptr<EventTimes> m_events;
  std::set<CuContext> m_contexts;
  std::atomic<int> m_captures{0};
  bool m_is_finished = false;
};

}  // namespace tuner::capture
