#pragma once
#include <optional>
#include <string>

#include "tuner/cli/kernel_catalog.hpp"

namespace tuner::cli {

/// The spec of a kernel that a database names: the one of the catalogue where that is of `path` or no path is
/// known, else what is at `path` on this machine. Nothing where neither is, or the file has mistakes.
std::optional<model::KernelSpec> spec_at_hand(const KernelCatalog& catalog, const std::string& family,
                                              const std::string& kernel, const std::string& path);

}  // namespace tuner::cli
