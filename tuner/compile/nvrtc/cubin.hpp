#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/compile_job.hpp"

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

/// A kernel whose static shared memory is more than ptxas accepts (48 KB on every device).
struct SharedExcess {
  std::string symbol;
  long long bytes = 0;
  long long limit = 0;
};

/// A line that says so.
std::string text_of(const SharedExcess& excess);

/// The first such kernel of a failed compilation.
std::optional<SharedExcess> find_shared_excess(const PtxasReport& report);

/// Bytes of constant memory that kernel `symbol` of a cubin can reach, its arguments (bank 0) apart: the
/// module's
/// __constant__ variables and the compiler's constants. Summed over the ELF sections `.nv.constantN` and
/// `.nv.constantN.symbol`. 0 for something that is not a 64-bit ELF file.
int constant_bytes(std::span<const std::byte> cubin, std::string_view symbol);

/// Bytes of machine code of kernel `symbol`, what it calls apart: the ELF section `.text.symbol`. 0 where
/// there is none, or it is no 64-bit ELF file.
std::int64_t code_bytes(std::span<const std::byte> cubin, std::string_view symbol);

/// Most threads in a block that __launch_bounds__ (or __block_size__) of `symbol` allows: the product of
/// `.maxntid` (or `.reqntid`) in the PTX (PTX ISA, performance-tuning directives); 0: not limited.
int max_threads_per_block(std::string_view ptx, std::string_view symbol);

/// What is known of the kernel `symbol`, which `report` has.
model::KernelResources resources_of(const std::string& entry, const std::string& symbol,
                                    const PtxasReport& report, std::span<const std::byte> cubin,
                                    std::string_view ptx);

}  // namespace tuner::compile::nvrtc
