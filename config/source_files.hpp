#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "config/mistakes.hpp"
#include "tuner/model/embedded_file.hpp"
#include "tuner/model/kernel_spec.hpp"

namespace config {

/// A text file, or why there is none.
struct FileText {
  std::string text;
  std::string problem;  ///< empty: it was read
  bool missing = false;
};

/// Of a source file: CUTLASS has headers of 3 MB.
inline constexpr std::size_t most_source_bytes = std::size_t{4} << 20;

/// Where specs and sources are read from.
class FileReader {
 public:
  FileReader() = default;
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  virtual ~FileReader() = default;
  /// Regular files of at most most_source_bytes without NUL bytes; anything else is a problem.
  virtual FileText read(const std::filesystem::path& path) const = 0;
  /// Where data that is no text lies for others to read; empty where it does not lie on a disk.
  virtual std::filesystem::path data_path(const std::filesystem::path& path) const = 0;
};

class DiskFiles final : public FileReader {
 public:
  FileText read(const std::filesystem::path& path) const override;
  std::filesystem::path data_path(const std::filesystem::path& path) const override { return path; }
};

/// Files in the binary; `..` and `.` are resolved in the names alone.
class EmbeddedFiles final : public FileReader {
 public:
  explicit EmbeddedFiles(std::span<const model::EmbeddedFile> files) : m_files(files) {}
  FileText read(const std::filesystem::path& path) const override;
  std::filesystem::path data_path(const std::filesystem::path&) const override { return {}; }

 private:
  std::span<const model::EmbeddedFile> m_files;
};

/// What a spec asks to be read: a source and everything that it includes.
struct SourceRequest {
  std::filesystem::path folder;                 ///< of the spec
  std::string name;                             ///< of the source, relative to `folder`
  model::SourceLocation where;                  ///< of that name in the spec
  std::vector<std::filesystem::path> includes;  ///< folders searched after the including file's own
  std::vector<std::string> before = {};         ///< headers included above the source, relative to `folder`
};

/// The source and, breadth first, the files that it includes, each under the name its `#include` gives it:
/// `#include "..."` is looked for beside the including file and then in the request's folders,
/// `#include <...>` in these alone. A name that no folder has is left out: it may be a header of the toolkit,
/// and the compiler knows. Reports a source that cannot be read, one name for two files, and more than 16384
/// files or 128 MiB.
std::vector<model::SourceText> collect_sources(const FileReader& files, const SourceRequest& request,
                                               Mistakes& mistakes);

}  // namespace config
