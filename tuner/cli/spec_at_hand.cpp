#include "tuner/cli/spec_at_hand.hpp"

#include <algorithm>
#include <filesystem>

#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

std::optional<model::KernelSpec> named(const std::vector<model::KernelSpec>& kernels,
                                       const std::string& family, const std::string& name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const model::KernelSpec& kernel) {
    return kernel.name == name && kernel.family == family;
  });
  return found == kernels.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::optional<model::KernelSpec> spec_at_hand(const KernelCatalog& catalog, const std::string& family,
                                              const std::string& kernel, const std::string& path) {
  auto known = named(catalog.all(), family, kernel);
  if (known && (path.empty() || known->path == path)) return known;
  std::error_code error;
  if (path.starts_with("shipped:") || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  try {
    const config::LoadedKernels loaded = config::load_kernel_file(path);
    return loaded.mistakes.empty() ? named(loaded.kernels, family, kernel) : std::nullopt;
  } catch (const model::Error&) {
    return std::nullopt;  // not at hand after all
  }
}

}  // namespace tuner::cli
