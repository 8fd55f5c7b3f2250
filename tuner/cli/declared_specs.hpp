#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/kernel_specs.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::cli {

/// Where a path of a declaration names a kernel of the program.
inline constexpr const char* shipped_prefix = "shipped:";

/// The specs that databases name, as they are on disk now, or in the program. Each file is read once, and
/// nothing is compiled.
class SpecFiles {
 public:
  /// Null where its file is not there any more, cannot be read, or has no such kernel.
  const space::KernelSpace* find(const model::KernelDeclaration& declared);
  /// Whether the declaration names a file that is there, or a kernel of the program.
  static bool has_place(const model::KernelDeclaration& declared);

 private:
  std::map<std::string, std::vector<model::KernelSpec>> m_files;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<space::KernelSpace>>
      m_spaces;  // path and kernel
};

/// Holds trials against a spec in force where its file is at hand and unchanged.
db::Judge judge_by_files();

}  // namespace tuner::cli
