#include "config/source_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "config/mistakes.hpp"
#include "tuner/source/tokens.hpp"

namespace config {
namespace {

constexpr std::size_t most_files = 16384;  // of PyTorch more than 2048 are included
constexpr std::size_t most_bytes = std::size_t{128} << 20;

FileText problem(std::string text) {
  return {"", std::move(text), false};
}

FileText checked(std::string text) {
  if (text.size() > most_source_bytes)
    return problem(fmt::format("has more than {} bytes", most_source_bytes));
  if (text.find('\0') != std::string::npos) return problem("is not a text file");
  // A mark of UTF-8 at the beginning, which compilers take from files alone, and not from texts.
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return {std::move(text), "", false};
}

/// Follows includes; one use each.
class Collector {
 public:
  Collector(const FileReader& files, const SourceRequest& request, Mistakes& mistakes)
      : m_files(files), m_request(request), m_mistakes(mistakes) {}

  std::vector<model::SourceText> collect() {
    const std::filesystem::path path = m_request.folder / m_request.name;
    FileText main = m_files.read(path);
    if (!main.problem.empty()) {
      m_mistakes.add(m_request.where, fmt::format("\"{}\" {}", m_request.name, main.problem),
                     fmt::format("looked for {}; paths are relative to the spec", path.generic_string()));
      return {};
    }
    std::string above;
    for (const std::string& header : m_request.before) above += line_above(header, path.parent_path());
    if (!above.empty()) above += "#line 1\n";
    keep(m_request.name, path, above + main.text);
    // m_sources grows while we walk it.
    for (std::size_t i = 0; i < m_sources.size() && !m_full; ++i) follow(i);
    return std::move(m_sources);
  }

 private:
  /// `folder`: of the source. A name that the spec's folder does not have is found as any other is.
  std::string line_above(const std::string& header, const std::filesystem::path& folder) const {
    const std::filesystem::path path = m_request.folder / header;
    const bool is_there = !m_files.read(path).missing;
    const std::string name = is_there ? path.lexically_relative(folder).generic_string() : header;
    return fmt::format("#include \"{}\"\n", name);
  }

  void keep(std::string name, const std::filesystem::path& path, std::string text) {
    m_bytes += text.size();
    m_sources.push_back({std::move(name), std::move(text)});
    m_paths.push_back(path.lexically_normal());
  }

  void follow(std::size_t index) {
    for (const tuner::source::IncludeLine& line : tuner::source::include_lines(m_sources[index].text)) {
      const model::SourceLocation where{m_paths[index].generic_string(), line.line, line.column};
      const std::filesystem::path name(line.name);
      if (name.is_absolute() && !line.bracketed) {
        m_mistakes.add(where, fmt::format("\"{}\" is an absolute path", line.name),
                       "include files relative to the source, or to a folder in kernel.include");
        continue;
      }
      include(line, m_paths[index].parent_path(), where);
      if (m_full) return;
    }
  }

  void include(const tuner::source::IncludeLine& line, const std::filesystem::path& own_folder,
               const model::SourceLocation& where) {
    const std::string& name = line.name;
    std::vector<std::filesystem::path> folders;
    if (!line.bracketed) folders.push_back(own_folder);
    folders.insert(folders.end(), m_request.includes.begin(), m_request.includes.end());
    for (const std::filesystem::path& folder : folders) {
      const std::filesystem::path path = folder / name;
      if (is_known(name, path, where)) return;
      FileText file = m_files.read(path);
      if (file.missing) continue;
      if (!file.problem.empty()) {
        m_mistakes.add(where, fmt::format("\"{}\" {}", name, file.problem), "");
      } else if (m_sources.size() == most_files || m_bytes + file.text.size() > most_bytes) {
        m_full = true;
        m_mistakes.add(where, fmt::format("\"{}\" includes too much", m_request.name),
                       fmt::format("at most {} files and {} MiB", most_files, most_bytes >> 20));
      } else {
        keep(name, path, std::move(file.text));
      }
      return;
    }
  }

  /// Whether `name` was taken before; compilers look included files up by name, so it must be the same file.
  bool is_known(const std::string& name, const std::filesystem::path& path,
                const model::SourceLocation& where) {
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
      if (m_sources[i].name != name) continue;
      if (m_paths[i] != path.lexically_normal() && m_files.read(path).problem.empty()) {
        m_mistakes.add(where,
                       fmt::format("\"{}\" is {} here and {} elsewhere", name,
                                   path.lexically_normal().generic_string(), m_paths[i].generic_string()),
                       "rename one of the two files, or include it by a longer path");
      }
      return true;
    }
    return false;
  }

  const FileReader& m_files;
  const SourceRequest& m_request;
  Mistakes& m_mistakes;
  std::vector<model::SourceText> m_sources;
  std::vector<std::filesystem::path> m_paths;  ///< of m_sources
  std::size_t m_bytes = 0;
  bool m_full = false;
};

}  // namespace

FileText DiskFiles::read(const std::filesystem::path& path) const {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return {"", "does not exist", true};
  if (status.type() == std::filesystem::file_type::directory) return problem("is a folder");
  // A pipe or a device would block, or never end.
  if (status.type() != std::filesystem::file_type::regular) {
    return problem(error ? "cannot be read: " + error.message() : "is not a regular file");
  }
  std::ifstream stream(path, std::ios::binary);
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::string text(
      error ? 0 : static_cast<std::size_t>(std::min<std::uintmax_t>(size, most_source_bytes)) + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream && !stream.eof()) return problem("cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return checked(std::move(text));
}

FileText EmbeddedFiles::read(const std::filesystem::path& path) const {
  const std::string name = path.lexically_normal().generic_string();
  for (const model::EmbeddedFile& file : m_files) {
    if (file.path == name) return checked(std::string(file.text));
  }
  return {"", "does not exist", true};
}

std::vector<model::SourceText> collect_sources(const FileReader& files, const SourceRequest& request,
                                               Mistakes& mistakes) {
  return Collector(files, request, mistakes).collect();
}

}  // namespace config
