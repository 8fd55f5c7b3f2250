#include "tuner/cli/rivals.hpp"

#include <set>
#include <string>

#include "tuner/cli/spec_at_hand.hpp"
#include "tuner/model/error.hpp"

namespace tuner::cli {
namespace {

void add(const std::optional<model::KernelSpec>& kernel, std::vector<sweep::Work>& rivals) {
  if (!kernel) return;
  try {
    rivals.push_back({space::KernelSpace(*kernel), {}});
  } catch (const model::UsageError&) {
    // Its mistakes are told when it is tuned itself.
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
      if (known.insert(declared.kernel).second)
        add(spec_at_hand(catalog, family, declared.kernel, declared.path), rivals);
    }
    for (const model::KernelSpec& kernel : catalog.all()) {
      if (kernel.family == family && known.insert(kernel.name).second) add(kernel, rivals);
    }
  }
  return rivals;
}

}  // namespace tuner::cli
