#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/source/program.hpp"
#include "tuner/util/files.hpp"

namespace tuner::cli {

/// Where programs keep headers, from a folder above their sources.
inline constexpr const char* header_places[] = {"", "include", "inc", "Common", "common", "src", "utils"};

/// What a build gives a source besides its text.
struct SourceBuild {
  std::vector<std::pair<std::string, std::string>> macros = {};
  std::vector<std::filesystem::path> folders = {};  ///< in which `#include "x.h"` is looked for, too
  std::map<std::string, std::string> headers = {};  ///< texts, by the names that the source includes them by
};

/// A source with its local headers: those beside the including file, or in a folder above it that programs
/// keep headers in.
class KernelProgram {
 public:
  /// One on disk. Throws model::UsageError where it cannot be read.
  explicit KernelProgram(const std::filesystem::path& file, const SourceBuild& build = {});
  /// One of this text, which `file` is to hold.
  KernelProgram(const std::filesystem::path& file, std::string text, const SourceBuild& build);

  const source::Program& program() const { return m_program; }
  /// Relative to the source's, where headers lay that are not beside the files that include them.
  const std::vector<std::string>& header_folders() const { return m_folders; }

 private:
  std::optional<source::ProgramFile> find(const std::string& name, bool bracketed, const std::string& from);

  std::filesystem::path m_folder;
  SourceBuild m_build;
  std::vector<std::string> m_folders;
  source::Program m_program;
};

/// `four` of `q::four`.
std::string plain_name(const std::string& kernel);

struct KernelChoice {
  std::string source;  ///< as it was named
  std::string entry;   ///< with all of its namespaces, some or none; empty: the only one
  /// Of those with launches in `capture`; empty: any.
  std::vector<std::string> kept = {};
  std::string capture = {};
  std::string naming;  ///< what stands before a name on the command line, as `--entry `
};

/// The kernel that is named, or the only one: of the source itself, or of its headers where it has none.
/// Throws model::UsageError where there is no such kernel, or several.
const source::ProgramFunction& chosen_kernel(const source::Program& program, const KernelChoice& choice);

/// What `--set NAME=VALUE` says. Throws model::UsageError where it is none.
std::pair<std::string, std::string> macro_of(const std::string& text);

/// Writes `file` as it was in `revision` of its git repository into `folder`, with the headers that it
/// includes and that the revision has. Returns the file there. Throws model::UsageError where there
/// is no git, no repository, no such revision, or no such file in it.
std::filesystem::path write_revision(const std::filesystem::path& file, const std::string& revision,
                                     const util::TemporaryFolder& folder);

}  // namespace tuner::cli
