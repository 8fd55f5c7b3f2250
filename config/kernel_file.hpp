#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/mistakes.hpp"
#include "config/source_files.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

struct ReadSpec {
  tuner::model::KernelSpec spec;
  tuner::model::SourceLocation name_place;
  std::vector<std::filesystem::path> include_folders;  ///< where its headers are looked for
  std::vector<std::string> headers_above;              ///< of `-include`, above its source
};

/// Reads a whole spec; `folder` is where `files` has it. What cannot be read is reported and left out, so the
/// result is a spec only where nothing was. Names inside expressions are not looked at: that is
/// space::validate's.
ReadSpec read_kernel_spec(const Node& document, const FileReader& files, const std::filesystem::path& folder,
                          Mistakes& mistakes);

}  // namespace config

/// How a user speaks to the tuner: kernel specs and settings, TOML in, validated values out.
namespace config {

/// Kernels that were read, and every mistake that was met on the way. A file with a mistake gives no kernel.
struct LoadedKernels {
  std::vector<tuner::model::KernelSpec> kernels;
  std::vector<tuner::model::SourceLocation> places;  ///< where each of `kernels` has its name
  std::vector<tuner::model::Diagnostic> mistakes;
  std::vector<tuner::model::SourceText>
      texts;  ///< the TOML files read; diagnostic_text() quotes lines from them

  /// Takes over what `more` holds. A kernel whose name is already taken becomes a mistake that names both
  /// places.
  void add(LoadedKernels more);
};

/// Reads one spec with its sources: what `kernel.source` and `verify.reference` name, relative to the spec,
/// and what those `#include "..."`. Never throws for what a file says or for a file that cannot be read:
/// those are mistakes.
LoadedKernels load_kernel_file(const std::filesystem::path& path);

/// What a compiler needs to find and include the headers of the spec at `path` as the spec does: `-IFOLDER`
/// and
/// `-include`, `FILE`, with paths that can be opened from here. Empty where nothing is needed, or the spec
/// cannot be read.
std::vector<std::string> include_options(const std::filesystem::path& path);

/// Every `.toml` below `folder` except `tuner.toml` (settings), report layouts (`*.layout.toml`) and hidden
/// ones, by path.
LoadedKernels load_kernel_folder(const std::filesystem::path& folder);

/// Every `.toml` among `files`; sources and headers are looked up there too. Paths get the prefix `shipped:`.
LoadedKernels load_embedded(std::span<const tuner::model::EmbeddedFile> files);

}  // namespace config
