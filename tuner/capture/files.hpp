#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tuner::capture {

/// The beginning of a file, 64 KiB at most; empty where there is none.
std::string text_of(const std::string& path);
/// `flags`: of open(), beside those that create it. False where it cannot be written whole; errno says why.
bool write_text(const std::string& path, std::string_view text, int flags);

/// Lines for people, in a file of the process's folder. They are printed when the program has ended.
class Notes {
 public:
  void set_file(std::string path) { m_path = std::move(path); }
  void add(const std::string& line) const;

 private:
  std::string m_path;
};

/// A new file that is written piece by piece.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  bool write(const char* bytes, std::size_t count);
  /// False where something was not written; errno says why.
  bool close();

 private:
  int m_file;
  bool m_is_good;
  int m_error = 0;
};

}  // namespace tuner::capture
