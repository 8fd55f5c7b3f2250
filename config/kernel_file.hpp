#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/embedded_file.hpp"
#include "tuner/model/kernel_spec.hpp"
#include "tuner/model/layout.hpp"

/// How a user speaks to the tuner: kernel specs and settings, TOML in, validated values out.
namespace config {
namespace model = tuner::model;

/// Kernels that were read, and every mistake that was met on the way. A file with a mistake gives no kernel.
struct LoadedKernels {
  std::vector<model::KernelSpec> kernels;
  std::vector<model::SourceLocation> places;  ///< where each of `kernels` has its name
  std::vector<model::Diagnostic> mistakes;
  std::vector<model::SourceText> texts;  ///< the TOML files read; diagnostic_text() quotes lines from them

  /// Takes over what `more` holds. A kernel whose name is already taken becomes a mistake that names both
  /// places; one of the same file is there already.
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
LoadedKernels load_embedded(std::span<const model::EmbeddedFile> files);
/// The one spec at `path` among `files`.
LoadedKernels load_embedded(std::span<const model::EmbeddedFile> files, std::string_view path);

/// An entry that is the name of several functions of its source, of the host's too, becomes that of the one
/// kernel that can take what its launch passes: `two` becomes `two(float*x, int n)`. Where none or several
/// can, the compiler says what is wrong.
void choose_overloads(model::KernelSpec& spec);

/// Where the launches of `spec` and of its reference do not fit what its sources declare: another number of
/// arguments, a pointer for a value, a value of another size, an entry that is misspelt. Read from the text
/// alone: a kernel that is not seen there, or is declared several times, is not judged.
std::vector<model::Diagnostic> signature_mistakes(const model::KernelSpec& spec);

/// Report layouts stand beside the kernels they are about, in files called NAME.layout.toml; see
/// docs/reports.md for their keys.
inline constexpr std::string_view layout_suffix = ".layout.toml";

/// The layout called `name` among the shipped files, or the one in the file `name` where that is a path.
/// Throws model::UsageError with every mistake in it, or with the names there are.
model::layout::Layout load_layout(std::span<const model::EmbeddedFile> shipped, const std::string& name);

/// How a candidate is launched where that differs from the spec's default. What is empty is as there.
struct CandidateLaunch {
  std::string entry;               ///< with it one launch takes the place of all
  std::vector<std::string> block;  ///< expressions, as a spec has them
  std::vector<std::string> grid;
  std::string dynamic_shared_bytes;
  std::vector<model::Assignment> parameters;  ///< macros; names that the spec lacks are added
};

/// `spec` with one configuration alone: `values`, else its default.
model::KernelSpec one_alone(model::KernelSpec spec, const std::vector<model::Assignment>& values = {});

/// The kernel in `source`, which somebody or a program has written, as a kernel of the family of `spec`,
/// called `candidate`: everything that says what is right, inputs, sizes and constraints included, is the
/// spec's. So are the macros and the launch of `usual`, else of its default. Its space has one configuration,
/// where the constraints allow it. Mistakes: a source that cannot be read, and where its signature does not
/// fit what it is passed.
LoadedKernels candidate_kernel(const model::KernelSpec& spec, const std::filesystem::path& source,
                               const CandidateLaunch& launch,
                               const std::vector<model::Assignment>& usual = {});

}  // namespace config
