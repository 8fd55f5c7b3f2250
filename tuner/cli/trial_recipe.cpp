#include "tuner/cli/trial_recipe.hpp"

#include <vector>

#include "config/kernel_file.hpp"
#include "db/queries.hpp"
#include "tuner/cli/declared_specs.hpp"
#include "tuner/cli/kernel_catalog.hpp"
#include "tuner/cli/trial_facts.hpp"

namespace tuner::cli {

BuildRecipe recipe_of(const db::Connection& connection, const model::TrialRecord& winner,
                      const std::string& named_spec) {
  const std::string architecture = architecture_of(connection, winner);
  const std::string& family = winner.problem.family;
  const KernelCatalog catalog =
      KernelCatalog::load(named_spec.empty() ? std::vector<std::string>{} : std::vector{named_spec});
  std::vector<const model::KernelSpec*> specs;
  for (const model::KernelSpec& kernel : catalog.all())
    if (kernel.name == winner.kernel && kernel.family == family) specs.push_back(&kernel);
  SpecFiles files;
  if (named_spec.empty()) {
    const std::string path = db::declared_path(connection, family, winner.kernel);
    if (const auto* space = files.find({family, winner.kernel, {}, {}, {}, path}))
      specs.push_back(&space->spec());
  }
  BuildRecipe recipe = build_recipe(winner, std::nullopt, architecture);
  for (const model::KernelSpec* spec : specs) {
    recipe = build_recipe(winner, *spec, architecture);
    recipe.includes = config::include_options(spec->path);
    if (recipe.doubt.empty()) break;
  }
  return recipe;
}

}  // namespace tuner::cli
