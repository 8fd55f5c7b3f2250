#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/compile/nvrtc/ptxas_log.hpp"

namespace tuner::compile::nvcc {

/// C++ to stand behind a source: for each entry a variable that holds its address, which instantiates a
/// template and shows the entry's name in the PTX. Diagnostics about an entry name the file entry_file().
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
