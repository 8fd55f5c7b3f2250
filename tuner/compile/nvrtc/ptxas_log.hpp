#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile::nvrtc {

/// What `ptxas -v` prints of one function; bytes of stack and spills are per thread.
struct PtxasFunction {
  std::string symbol;
  int registers = 0;
  int stack_bytes = 0;  ///< of the whole call tree where ptxas knows it
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int shared_bytes = 0;  ///< static
};

struct PtxasReport {
  std::vector<PtxasFunction> entries;
  /// Spills of functions that were called, not inlined. ptxas does not say by which kernel.
  int called_spill_store_bytes = 0;
  int called_spill_load_bytes = 0;
  /// What is left of the log without the statistics above: warnings, errors, advice.
  std::string rest;

  const PtxasFunction* find(std::string_view symbol) const;
};

PtxasReport parse_ptxas_log(std::string_view log);

/// A kernel whose static shared memory is more than ptxas accepts (48 KB, whatever the device has).
struct SharedExcess {
  std::string symbol;
  long long bytes = 0;
  long long limit = 0;
};

/// A line that says so.
std::string text_of(const SharedExcess& excess);

/// The first such kernel of a failed compilation.
std::optional<SharedExcess> find_shared_excess(const PtxasReport& report);

}  // namespace tuner::compile::nvrtc
