#include "tuner/cli/kernel_catalog.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "config/mistakes.hpp"
#include "db/queries.hpp"
#include "tuner/cli/output.hpp"
#include "tuner/cli/terminal/terminal.hpp"
#include "tuner/model/error.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/trial_maker.hpp"
#include "tuner/util/text.hpp"

namespace tuner::cli {

namespace {

bool is_shipped(std::string_view name) {
  return std::ranges::any_of(kernels::shipped_kernels(), [&](const kernels::ShippedKernel& kernel) {
    return kernel.name == name || kernel.family == name;
  });
}

bool holds_specs(const config::LoadedKernels& folder) {
  return !folder.kernels.empty() || !folder.mistakes.empty();
}

}  // namespace

bool is_spec_path(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return true;
  std::error_code error;
  if (!std::filesystem::is_directory(name, error)) return false;
  return !is_shipped(name) || holds_specs(config::load_kernel_folder(name));
}

namespace {

void refuse_mistakes(const config::LoadedKernels& loaded, const std::string& what) {
  if (loaded.mistakes.empty()) return;
  print_mistakes(loaded);
  const auto count = static_cast<std::int64_t>(loaded.mistakes.size());
  throw model::UsageError(fmt::format("{} in {}", util::counted(count, "mistake"), what),
                          "nothing was run; docs/kernel-specs.md describes the format");
}

config::LoadedKernels read(const std::string& path) {
  if (std::filesystem::is_directory(path)) {
    config::LoadedKernels loaded = config::load_kernel_folder(path);
    if (!holds_specs(loaded)) throw model::UsageError(fmt::format("{} holds no kernel spec (*.toml)", path));
    return loaded;
  }
  return config::load_kernel_file(path);
}

bool has_name(const std::vector<model::KernelSpec>& kernels, std::string_view name) {
  return std::ranges::find(kernels, name, &model::KernelSpec::name) != kernels.end();
}

/// Each spec is read once a process.
const model::KernelSpec& shipped_spec(std::string_view file) {
  static std::mutex mutex;
  static std::map<std::string, model::KernelSpec, std::less<>> read;
  const std::scoped_lock lock(mutex);
  if (const auto known = read.find(file); known != read.end()) return known->second;
  config::LoadedKernels loaded = config::load_embedded(kernels::shipped(), file);
  refuse_mistakes(loaded, "the shipped kernels");
  return read.emplace(file, std::move(loaded.kernels.front())).first->second;
}

/// What may be said in place of `name`.
std::string other_names(const std::vector<model::KernelSpec>& named,
                        const std::vector<kernels::ShippedKernel>& shipped, const std::string& name) {
  if (std::filesystem::is_regular_file(name))
    return fmt::format("a kernel is named by its spec; `tuner init {}` drafts one", util::shell_quote(name));
  if (name.find(',') != std::string::npos) {
    std::string names = name;
    std::ranges::replace(names, ',', ' ');
    return "several are separated by blanks: " + names;
  }
  std::vector<std::string> names;
  const auto add = [&](const auto& kernel) {
    names.emplace_back(kernel.name);
    names.emplace_back(kernel.family);
  };
  std::ranges::for_each(named, add);
  std::ranges::for_each(shipped, add);
  const std::string meant = util::did_you_mean(name, names);
  return fmt::format("{}{}`tuner list kernels` shows what is shipped; or give the path of a spec (.toml)",
                     meant, meant.empty() ? "" : " ");
}

/// A kernel that names no family is one by itself. It does not join the shipped kernels by its name alone.
void refuse_shared_name(const std::vector<model::KernelSpec>& named) {
  for (const model::KernelSpec& kernel : named) {
    const std::string family = own_family(kernel.name);
    if (kernel.family != kernel.name || family == kernel.name) continue;
    const auto shipped = kernels::shipped_kernels();
    throw model::UsageError(
        fmt::format("{}: kernel {} is named like the family of the shipped kernel {}", kernel.path,
                    kernel.name,
                    std::ranges::find(shipped, kernel.name, &kernels::ShippedKernel::family)->name),
        fmt::format("if it solves the same problem, give it another name and family = \"{}\"; "
                    "else a family of its own, as family = \"{}\"",
                    kernel.name, family));
  }
}

/// One family's problems are told apart by the values of its sizes, in their order.
void refuse_other_sizes(const std::vector<model::KernelSpec>& kernels) {
  std::map<std::string, const model::KernelSpec*> first;  // by family
  for (const model::KernelSpec& kernel : kernels) {
    const model::KernelSpec& known = *first.try_emplace(kernel.family, &kernel).first->second;
    if (known.sizes == kernel.sizes) continue;
    throw model::UsageError(
        fmt::format("{} and {} are of family \"{}\", but their sizes are {} and {}", known.path, kernel.path,
                    kernel.family, fmt::join(known.sizes, ", "), fmt::join(kernel.sizes, ", ")),
        "give both the same sizes in the same order, or one another family");
  }
}

}  // namespace

std::string own_family(const std::string& name) {
  const auto shipped = kernels::shipped_kernels();
  const bool is_taken = std::ranges::count(shipped, name, &kernels::ShippedKernel::name) == 0 &&
                        std::ranges::count(shipped, name, &kernels::ShippedKernel::family) > 0;
  return is_taken ? "my_" + name : name;
}

void print_mistakes(const config::LoadedKernels& loaded) {
  write_problem(config::diagnostics_text(loaded.mistakes, loaded.texts, terminal::columns_of(STDERR_FILENO)));
}

std::vector<model::KernelSpec> with_baselines(const std::vector<model::KernelSpec>& kernels) {
  std::vector<model::KernelSpec> all;
  for (const model::KernelSpec& kernel : kernels) {
    all.push_back(kernel);
    for (model::KernelSpec& baseline : space::baselines(kernel)) all.push_back(std::move(baseline));
  }
  return all;
}

KernelCatalog KernelCatalog::load(const std::vector<std::string>& selection) {
  config::LoadedKernels named;
  std::map<std::string, std::vector<std::string>> kernels_at;  // by path
  for (const std::string& path : selection) {
    if (!is_spec_path(path)) continue;
    if (is_shipped(path))
      write_err(fmt::format("{} is a folder of specs here: they are taken, not what is shipped by this name",
                            path));
    config::LoadedKernels read_here = read(path);
    for (const model::KernelSpec& kernel : read_here.kernels) kernels_at[path].push_back(kernel.name);
    named.add(std::move(read_here));
    refuse_mistakes(named, path);
  }

  refuse_shared_name(named.kernels);

  KernelCatalog catalog;
  catalog.m_named = std::move(named.kernels);
  for (const kernels::ShippedKernel& kernel : kernels::shipped_kernels())
    if (!has_name(catalog.m_named, kernel.name)) catalog.m_shipped.push_back(kernel);
  const auto select = [&](const model::KernelSpec& kernel) {
    if (!has_name(catalog.m_selected, kernel.name)) catalog.m_selected.push_back(kernel);
    return true;
  };
  const auto chooses = [&](const auto& is_meant) {
    bool any = false;
    for (const model::KernelSpec& kernel : catalog.m_named)
      if (is_meant(kernel)) any = select(kernel);
    for (const kernels::ShippedKernel& kernel : catalog.m_shipped)
      if (is_meant(kernel)) any = select(shipped_spec(kernel.file));
    return any;
  };
  for (const std::string& name : selection) {
    if (const auto path = kernels_at.find(name); path != kernels_at.end()) {
      for (const std::string& its : path->second)
        chooses([&](const auto& kernel) { return kernel.name == its; });
    } else if (!chooses([&](const auto& kernel) { return kernel.name == name || kernel.family == name; })) {
      throw model::UsageError(fmt::format("no kernel or family is called '{}'", name),
                              other_names(catalog.m_named, catalog.m_shipped, name));
    }
  }
  if (selection.empty()) chooses([](const auto&) { return true; });
  refuse_other_sizes(catalog.m_selected);
  return catalog;
}

std::vector<model::KernelSpec> shipped_in(std::string_view folder) {
  std::vector<model::KernelSpec> found;
  for (const kernels::ShippedKernel& kernel : kernels::shipped_kernels())
    if (kernel.file.starts_with(folder)) found.push_back(shipped_spec(kernel.file));
  return found;
}

std::vector<model::KernelSpec> KernelCatalog::of_families(const std::set<std::string>& families) const {
  std::vector<model::KernelSpec> found;
  for (const model::KernelSpec& kernel : m_named)
    if (families.contains(kernel.family)) found.push_back(kernel);
  for (const kernels::ShippedKernel& kernel : m_shipped)
    if (families.contains(std::string(kernel.family))) found.push_back(shipped_spec(kernel.file));
  return found;
}

namespace {

std::vector<model::KernelSpec> specs_of_file(const std::string& path) {
  if (path.starts_with(model::shipped_prefix)) {
    const std::string file = path.substr(model::shipped_prefix.size());
    const auto shipped = kernels::shipped_kernels();
    // An older tuner may have shipped a file that this one lacks.
    if (std::ranges::count(shipped, file, &kernels::ShippedKernel::file) == 0) return {};
    return {shipped_spec(file)};
  }
  config::LoadedKernels loaded = config::load_kernel_file(path);
  return loaded.mistakes.empty() ? std::move(loaded.kernels) : std::vector<model::KernelSpec>();
}

}  // namespace

bool SpecFiles::has_place(const model::KernelDeclaration& declared) {
  if (declared.path.starts_with(model::shipped_prefix)) return true;
  std::error_code error;
  return !declared.path.empty() && std::filesystem::is_regular_file(declared.path, error);
}

namespace {

bool is_of(const model::KernelSpec& kernel, const model::KernelDeclaration& declared) {
  return kernel.name == declared.kernel && kernel.family == declared.family;
}

}  // namespace

const std::vector<model::KernelSpec>& SpecFiles::read(const std::string& path) {
  const auto known = m_files.find(path);
  return known != m_files.end() ? known->second : m_files.emplace(path, specs_of_file(path)).first->second;
}

bool SpecFiles::lacks(const model::KernelDeclaration& declared) {
  if (!has_place(declared)) return false;
  const std::vector<model::KernelSpec>& kernels = read(declared.path);
  return !kernels.empty() && std::ranges::none_of(kernels, [&](const model::KernelSpec& kernel) {
    return is_of(kernel, declared);
  });
}

const space::KernelSpace* SpecFiles::find(const model::KernelDeclaration& declared) {
  if (!has_place(declared)) return nullptr;
  const auto [space, is_new] = m_spaces.try_emplace({declared.path, declared.family, declared.kernel});
  if (!is_new) return space->second.get();
  for (const model::KernelSpec& kernel : read(declared.path)) {
    if (!is_of(kernel, declared)) continue;
    try {
      space->second = std::make_unique<space::KernelSpace>(kernel);
    } catch (const model::Error&) {
      // It has mistakes that its next sweep tells.
    }
  }
  return space->second.get();
}

std::vector<model::KernelSpec> SpecsAtHand::of(const model::TrialRecord& trial, bool declared) {
  const std::string& family = trial.problem.family;
  std::vector<model::KernelSpec> specs;
  for (model::KernelSpec& kernel : m_catalog.of_families({family}))
    if (kernel.name == trial.kernel) specs.push_back(std::move(kernel));
  const bool is_named = std::ranges::any_of(
      specs, [](const model::KernelSpec& kernel) { return !kernel.path.starts_with(model::shipped_prefix); });
  if (!declared || is_named) return specs;
  for (const std::string& path : db::declared_paths(m_connection, family, trial.kernel))
    if (const auto* space = m_files.find({family, trial.kernel, {}, {}, {}, path}))
      specs.push_back(space->spec());
  return specs;
}

db::Judge judge_by_files() {
  const auto space_of = [files = std::make_shared<SpecFiles>()](const model::KernelDeclaration& kernel) {
    const space::KernelSpace* space = files->find(kernel);
    return space != nullptr && space->spec_digest() == kernel.spec ? space : nullptr;
  };
  db::Judge judge;
  judge.describes = [=](const model::KernelDeclaration& kernel, const std::vector<model::PastTrial>& past) {
    std::vector<model::Judgement> judgements;
    const space::KernelSpace* space = space_of(kernel);
    if (space == nullptr) return judgements;
    for (const model::PastTrial& trial : past)
      judgements.push_back({trial.key, sweep::describes(*space, trial)});
    return judgements;
  };
  judge.says = [=](const model::KernelDeclaration& kernel) {
    const space::KernelSpace* space = space_of(kernel);
    return space == nullptr ? model::AskSpec() : sweep::says(*space);
  };
  return judge;
}

}  // namespace tuner::cli
