#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/capture/driver.hpp"
#include "tuner/capture/ledger.hpp"

namespace tuner::capture {

/// Times of some launches, by events before and behind them. Where there is no CUPTI. One thread at a time
/// calls it.
class EventTimes {
 public:
  explicit EventTimes(LedgerWriter& ledger);

  /// Around one launch.
  struct Pair {
    CuContext context = nullptr;
    CuEvent first = nullptr;
    CuEvent last = nullptr;
    std::uint32_t shape = 0;
  };
  /// Before a launch, which is not put into a graph: records the first event, unless times of this shape are
  /// not worth their cost now.
  std::optional<Pair> begin(std::uint32_t shape, CuStream stream, bool per_thread);
  /// Behind that launch.
  void end(const Pair& pair, CuStream stream, bool per_thread);
  /// Counts the times that are there by now.
  void collect();

 private:
  bool worth_it(std::uint32_t shape) const;
  std::optional<Pair> take_pair();
  CuResult record(CuEvent event, CuStream stream, bool per_thread) const;

  LedgerWriter& m_ledger;
  std::unordered_map<CuContext, std::vector<Pair>> m_free;
  std::deque<Pair> m_under_way;
  std::uint64_t m_began_ns;
  std::uint64_t m_spent_ns = 0;
};

/// Of a clock that never goes back.
std::uint64_t steady_ns();

/// What CUPTI's activity record says of one run of a kernel.
struct KernelRun {
  const char* name = "";  ///< as the binary has it
  std::uint32_t gpu = 0;
  std::uint32_t graph = 0;
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t registers = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t local_bytes = 0;
  std::uint64_t ns = 0;
};

/// Who gets the records; called from threads of CUPTI's and from within flush_cupti().
class KernelRuns {
 public:
  KernelRuns() = default;
  KernelRuns(const KernelRuns&) = delete;
  KernelRuns& operator=(const KernelRuns&) = delete;
  virtual void take(const KernelRun& run) = 0;
  virtual void lost(std::uint64_t records) = 0;

 protected:
  ~KernelRuns() = default;
};

/// Looks for CUPTI and has it record kernels from now on. Says why it cannot. `runs` lives as long as the
/// process.
bool start_cupti(KernelRuns& runs, std::string& why);
/// Hands out what has been recorded. With `all`, also what CUPTI still writes to.
void flush_cupti(bool all);

/// The beginning that CUpti_ActivityKernel6 to CUpti_ActivityKernel10 share. tests/capture holds it against
/// cupti.h where that is at hand.
struct [[gnu::packed]] CuptiRecord {
  std::uint32_t kind;
  std::uint8_t caches[2];
  std::uint16_t registers;
  std::uint32_t partitioned_caches[2];
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  std::uint64_t completed_ns;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::int32_t grid[3];
  std::int32_t block[3];
  std::int32_t static_shared_bytes;
  std::int32_t dynamic_shared_bytes;
  std::uint32_t local_bytes_of_thread;
  std::uint32_t local_bytes;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  std::uint64_t reserved;
  std::uint64_t queued_ns;
  std::uint64_t submitted_ns;
  std::uint32_t launch;
  std::uint32_t shared_bytes_executed;
  std::uint64_t graph_node;
  std::uint32_t shared_limit;
  std::uint32_t graph;
};
static_assert(offsetof(CuptiRecord, name) == 104 && offsetof(CuptiRecord, graph) == 156);

}  // namespace tuner::capture
