#include "tuner/cli/declared_specs.hpp"

#include <filesystem>

#include "config/kernel_file.hpp"
#include "kernels/shipped.hpp"
#include "tuner/model/error.hpp"
#include "tuner/sweep/trial_maker.hpp"

namespace tuner::cli {
namespace {

std::vector<model::KernelSpec> specs_of_file(const std::string& path) {
  config::LoadedKernels loaded;
  if (path.starts_with(shipped_prefix)) {
    // The one spec, with whatever it may name: reading all of them takes ten times as long.
    std::vector<model::EmbeddedFile> files;
    for (const model::EmbeddedFile& file : kernels::shipped()) {
      const std::string name(file.path);
      if (!name.ends_with(".toml") || shipped_prefix + name == path) files.push_back(file);
    }
    loaded = config::load_embedded(files);
  } else {
    loaded = config::load_kernel_file(path);
  }
  return loaded.mistakes.empty() ? std::move(loaded.kernels) : std::vector<model::KernelSpec>();
}

}  // namespace

bool SpecFiles::has_place(const model::KernelDeclaration& declared) {
  if (declared.path.starts_with(shipped_prefix)) return true;
  std::error_code error;
  return !declared.path.empty() && std::filesystem::is_regular_file(declared.path, error);
}

const space::KernelSpace* SpecFiles::find(const model::KernelDeclaration& declared) {
  if (!has_place(declared)) return nullptr;
  const auto [space, is_new] = m_spaces.try_emplace({declared.path, declared.kernel});
  if (!is_new) return space->second.get();
  auto read_before = m_files.find(declared.path);
  if (read_before == m_files.end())
    read_before = m_files.emplace(declared.path, specs_of_file(declared.path)).first;
  for (const model::KernelSpec& kernel : read_before->second) {
    if (kernel.name != declared.kernel || kernel.family != declared.family) continue;
    try {
      space->second = std::make_unique<space::KernelSpace>(kernel);
    } catch (const model::Error&) {
      // It has mistakes that its next sweep tells.
    }
  }
  return space->second.get();
}

db::Judge judge_by_files() {
  auto files = std::make_shared<SpecFiles>();
  return [files](const model::KernelDeclaration& kernel, const std::vector<model::PastTrial>& past) {
    std::vector<model::Judgement> judgements;
    const space::KernelSpace* space = files->find(kernel);
    if (space == nullptr || space->spec_digest() != kernel.spec) return judgements;
    for (const model::PastTrial& trial : past)
      judgements.push_back({trial.key, sweep::describes(*space, trial)});
    return judgements;
  };
}

}  // namespace tuner::cli
