#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tuner/compile/nvrtc/ptxas_log.hpp"
#include "tuner/model/compile_job.hpp"

namespace tuner::compile::nvrtc {

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
