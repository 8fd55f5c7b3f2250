#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace db {

/// Lines put aside while a database cannot be written: a file beside the database or, where that folder takes
/// none or its disk is full, in the folder for temporary files. Made with the first line; each line is on the
/// disk on return.
class SpillFile {
 public:
  /// `database`: the path it stands in for; `why`: part of its name.
  SpillFile(const std::filesystem::path& database, const std::string& why);

  /// Lines that begin the file.
  void set_preamble(std::string lines) { m_preamble = std::move(lines); }
  /// Whether the line was kept. Where the disk refuses it, all lines move to the next folder.
  bool append(const std::string& line);
  /// Empty before the first line, and where no folder took one.
  const std::filesystem::path& path() const { return m_path; }
  /// Deletes the file: its lines have reached the database.
  void discard();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  bool move_on();
  bool write(const std::string& text);

  std::vector<std::filesystem::path> m_folders;  ///< still to be tried, the next one last
  std::string m_name;
  std::string m_preamble;
  std::filesystem::path m_path;
  std::uintmax_t m_bytes = 0;  ///< of complete lines; a refused one may have left a part behind
  std::unique_ptr<std::FILE, CloseFile> m_file;
};

}  // namespace db
