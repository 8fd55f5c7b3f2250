#include "tuner/cli/rivals.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

bool is_shipped(const std::string& path) {
  return path.starts_with("shipped:");
}

const model::KernelSpec* named(const std::vector<model::KernelSpec>& kernels, const std::string& family,
                               const std::string& name) {
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const model::KernelSpec& kernel) {
    return kernel.name == name && kernel.family == family;
  });
  return found == kernels.end() ? nullptr : &*found;
}

void add(const model::KernelSpec* kernel, std::vector<sweep::Work>& rivals) {
  if (kernel == nullptr) return;
  try {
    rivals.push_back({space::KernelSpace(*kernel), {}});
  } catch (const model::UsageError&) {
    // Its mistakes are told when it is tuned itself.
  }
}

void add_declared(const model::KernelDeclaration& declared, const KernelCatalog& catalog,
                  std::vector<sweep::Work>& rivals) {
  const model::KernelSpec* at_hand = named(catalog.all(), declared.family, declared.kernel);
  if (at_hand != nullptr && (at_hand->path == declared.path || declared.path.empty()))
    return add(at_hand, rivals);
  std::error_code error;
  if (is_shipped(declared.path) || !std::filesystem::is_regular_file(declared.path, error)) return;
  try {
    const config::LoadedKernels loaded = config::load_kernel_file(declared.path);
    if (loaded.mistakes.empty()) add(named(loaded.kernels, declared.family, declared.kernel), rivals);
  } catch (const model::Error&) {
    // Not at hand after all.
  }
}

}  // namespace

std::vector<sweep::Work> find_rivals(const KernelCatalog& catalog, model::ResultSource& source) {
  std::set<std::string> families;
  for (const model::KernelSpec& kernel : catalog.selected()) families.insert(kernel.family);
  std::vector<sweep::Work> rivals;
  for (const std::string& family : families) {
    std::set<std::string> known;
    for (const model::KernelSpec& kernel : catalog.selected()) known.insert(kernel.name);
    for (const model::KernelDeclaration& declared : source.declared(family)) {
      if (known.insert(declared.kernel).second) add_declared(declared, catalog, rivals);
    }
    for (const model::KernelSpec& kernel : catalog.all()) {
      if (kernel.family == family && known.insert(kernel.name).second) add(&kernel, rivals);
    }
  }
  return rivals;
}

}  // namespace tuner::cli
