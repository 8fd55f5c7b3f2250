#pragma once
#include <unistd.h>

#include <filesystem>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct gzFile_s;  // of zlib

namespace tuner::util {

/// Owns an open file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : m_fd(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(m_fd, other.m_fd);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { reset(); }

  int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }
  void reset() {
    if (m_fd >= 0) ::close(std::exchange(m_fd, -1));
  }

 private:
  int m_fd = -1;
};

/// What a file holds; nothing where it cannot be read.
std::string text_of(const std::filesystem::path& file);

/// A file for locks in a folder that users share, which each of them may make and lock. It is not open where
/// that fails; errno says why.
FileDescriptor open_shared_file(const std::string& path);

/// Writes all of it, through interruptions. False where that fails; errno says why.
bool write_all(int file, std::string_view text);

/// Whether `path` is a file that begins as every SQLite database does. A pipe is not read.
bool begins_as_database(const std::filesystem::path& path);

/// Throws model::Error where that is so, or where SQLite keeps a part of one: results are never written over.
void require_no_database(const std::string& path, const std::string& hint = "");

/// Writes where `path` leads, which is no database. A regular file, or one that is not there yet, appears
/// whole with finish(), by renaming a file beside it, which has no name before where the file system can do
/// that, so that a killed process leaves nothing; a symbolic link is followed and stays a link.
/// Devices, pipes and sockets are written to and never replaced. All throw model::Error naming the path, with
/// `hint` as the next step.
class OutputFile {
 public:
  enum class Packing { none, gzip };
  explicit OutputFile(std::string path, std::string hint = "", Packing packing = Packing::none);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text);
  void finish();

 private:
  std::string m_path;
  std::string m_hint;
  std::filesystem::path m_place;
  std::string m_temporary;  ///< empty: none, or it has become the file
  FileDescriptor m_file;
  std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> m_out;
};

/// The same of all of it.
void write_file(const std::string& path, std::string_view text, const std::string& hint = "");

/// Throws the error that write_file() would end with as far as that can be known before there is anything to
/// write: a folder, a missing or protected place. Writes nothing.
void require_writable(const std::string& path, const std::string& hint = "");

/// Whether write_file() would make or replace a regular file there; not where it would write to a device, a
/// pipe or what a process has open (/dev/stdout). Throws as require_writable() for what leads nowhere.
bool leads_to_file(const std::string& path);

/// A folder below the system's temporary one that only this user can enter, removed with the object. A killed
/// process leaves its folder behind; the first folder of a later process removes it. The maker locks a folder
/// in use, and the kernel ends that lock with the process.
class TemporaryFolder {
 public:
  /// Throws model::Error.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return m_path; }
  /// Writes a file below it, making the folders on the way. Throws model::Error.
  void write(const std::filesystem::path& relative, std::string_view text) const;

 private:
  std::filesystem::path m_path;
  FileDescriptor m_lock;  ///< on the folder itself
};

/// Removes this user's folders in `root` that no process holds any more. It removes none while another
/// process does the same, and none younger than a minute, since its maker may not have locked it yet.
void remove_abandoned_folders(const std::filesystem::path& root);

/// Reads a file, and unpacks it on the way where it is gzipped. Is in a failed state where there is no such
/// file or it may not be opened. Reading throws model::Error where what is packed is damaged or ends early.
class GzipInput : public std::istream {
 public:
  explicit GzipInput(const std::filesystem::path& path);
  ~GzipInput() override;
  GzipInput(const GzipInput&) = delete;
  GzipInput& operator=(const GzipInput&) = delete;

 private:
  class Buffer;
  std::unique_ptr<Buffer> m_buffer;
};

}  // namespace tuner::util
