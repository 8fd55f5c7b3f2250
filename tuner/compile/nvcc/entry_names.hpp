#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/nvrtc/ptxas_log.hpp"

namespace tuner::compile::nvcc {

/// C++17 to stand behind a source: instantiates each entry, and declares a variable for it whose name in the
/// PTX has the kernel's in it, as the argument of a template. Taking a kernel's address instead would cost it
/// registers. Diagnostics about an entry name the file entry_file().
std::string lines_for(const std::vector<std::string>& entries);

/// `entry 2`
std::string entry_file(std::size_t entry);

/// The kernel's or the variable's name in the binary, from the PTX of a source with lines_for() its entries.
/// Nothing where the entry is neither.
std::optional<std::string> symbol_of(std::size_t entry, const std::string& expression, std::string_view ptx,
                                     const nvrtc::PtxasReport& report);

/// The PTX without those variables, which would be part of the binary.
std::string without_names(std::string_view ptx);

}  // namespace tuner::compile::nvcc
