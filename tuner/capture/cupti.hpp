#pragma once
#include <cstdint>
#include <string>

namespace tuner::capture {

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

}  // namespace tuner::capture
