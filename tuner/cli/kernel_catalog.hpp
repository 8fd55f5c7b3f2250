#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "config/kernel_file.hpp"
#include "db/connection.hpp"
#include "db/kernel_specs.hpp"
#include "kernels/shipped.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::cli {

/// The shipped kernels and what the user names besides.
class KernelCatalog {
 public:
  /// `selection`: names of kernels, names of families, spec files or folders of them; files and folders are
  /// read, and a kernel in them replaces a shipped one of its name. Throws model::UsageError after printing
  /// every mistake in them, for an unknown name, and for a kernel that is called like the shipped kernels of
  /// a family and names no family. Of the shipped specs those alone are read that are asked for.
  static KernelCatalog load(const std::vector<std::string>& selection);

  KernelCatalog() = default;
  /// A kernel that is in no file.
  explicit KernelCatalog(model::KernelSpec kernel) : m_named({kernel}), m_selected({std::move(kernel)}) {}

  /// The selected kernels in the order named; without a selection all.
  const std::vector<model::KernelSpec>& selected() const { return m_selected; }
  /// Everything at hand of these families: what was named, and the shipped kernels that it does not replace.
  std::vector<model::KernelSpec> of_families(const std::set<std::string>& families) const;

 private:
  std::vector<model::KernelSpec> m_named;         ///< with a path
  std::vector<kernels::ShippedKernel> m_shipped;  ///< without those that a named one replaces
  std::vector<model::KernelSpec> m_selected;
};

/// The shipped specs whose file begins so: `ceilings/`.
std::vector<model::KernelSpec> shipped_in(std::string_view folder);

/// Whether `name` is no kernel's or family's name, but a spec file or a folder of them. A folder without
/// specs hides no shipped kernel or family of its name.
bool is_spec_path(const std::string& name);

/// A family for a kernel of this name that is apart from the shipped kernels' families: the name if it can
/// be.
std::string own_family(const std::string& name);

/// Each kernel, and behind it the libraries that its spec names.
std::vector<model::KernelSpec> with_baselines(const std::vector<model::KernelSpec>& kernels);

/// Prints diagnostics with the lines they are about on stderr.
void print_mistakes(const config::LoadedKernels& loaded);

/// The specs that databases name, as they are on disk now, or in the program. Each file is read once, and
/// nothing is compiled.
class SpecFiles {
 public:
  /// Null where its file is not there any more, cannot be read, or has no such kernel.
  const space::KernelSpace* find(const model::KernelDeclaration& declared);
  /// Whether its file can be read and has no such kernel.
  bool lacks(const model::KernelDeclaration& declared);
  /// Whether the declaration names a file that is there, or a kernel of the program.
  static bool has_place(const model::KernelDeclaration& declared);

 private:
  const std::vector<model::KernelSpec>& read(const std::string& path);

  std::map<std::string, std::vector<model::KernelSpec>> m_files;
  std::map<std::tuple<std::string, std::string, std::string>, std::unique_ptr<space::KernelSpace>>
      m_spaces;  // path, family and kernel
};

/// The specs that are at hand of kernels that were measured: the one in the file `named` and the shipped
/// ones, then those where sweeps read them.
class SpecsAtHand {
 public:
  SpecsAtHand(const db::Connection& connection, const std::string& named)
      : m_connection(connection),
        m_is_named(!named.empty()),
        m_catalog(KernelCatalog::load(m_is_named ? Names{named} : Names{})) {}
  /// Of a trial's kernel. Where none is named, also the one where a sweep read it.
  std::vector<model::KernelSpec> of(const model::TrialRecord& trial) { return of(trial, !m_is_named); }
  /// With `declared`: also where a sweep read it, unless a named file has it.
  std::vector<model::KernelSpec> of(const model::TrialRecord& trial, bool declared);

 private:
  using Names = std::vector<std::string>;

  const db::Connection& m_connection;
  bool m_is_named;
  KernelCatalog m_catalog;
  SpecFiles m_files;
};

/// Holds trials against a spec in force where its file is at hand and unchanged.
db::Judge judge_by_files();

}  // namespace tuner::cli
