#include "tuner/util/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tuner/model/error.hpp"
#include "tuner/util/file_descriptor.hpp"

namespace tuner::util {
namespace {

namespace fs = std::filesystem;

/// Where a path leads in the end.
struct Target {
  fs::path path;  ///< links followed, as far as they lead anywhere
  fs::file_type type = fs::file_type::not_found;
  /// Through /proc (/dev/stdout, /dev/fd/3) a path leads to what a process has open, and only that is meant.
  bool is_open_file = false;

  bool replaceable() const {
    return !is_open_file && (type == fs::file_type::not_found || type == fs::file_type::regular);
  }
  fs::path folder() const { return path.has_parent_path() ? path.parent_path() : fs::path("."); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& hint) {
  throw model::Error(fmt::format("{} cannot be written: {}", path, why), hint);
}

/// A link to something that is not there yet leads to where it would be made.
Target follow(const std::string& path, const std::string& hint) {
  constexpr int most_links = 40;  // as the kernel has it
  std::error_code error;
  Target target;
  target.path = path;
  target.type = fs::status(target.path, error).type();
  if (target.type == fs::file_type::directory) refuse(path, "it is a directory", hint);
  if (target.type == fs::file_type::none) refuse(path, error.message(), hint);
  for (int links = 0; fs::symlink_status(target.path, error).type() == fs::file_type::symlink; ++links) {
    if (links == most_links) refuse(path, "too many symbolic links", hint);
    target.is_open_file = fs::canonical(target.folder(), error).string().starts_with("/proc/");
    if (target.is_open_file) break;
    const fs::path next = fs::read_symlink(target.path, error);
    if (error) refuse(path, error.message(), hint);
    target.path = next.is_absolute() ? next : target.folder() / next;
  }
  return target;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t taken = ::write(file, text.data(), text.size());
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(taken));
  }
  return true;
}

/// The permissions of the file that is replaced, else what the user's umask leaves.
void keep_mode(int file, const fs::path& replaced) {
  struct stat status {};
  if (::stat(replaced.c_str(), &status) == 0) static_cast<void>(::fchmod(file, status.st_mode & 07777U));
}

void replace(const std::string& path, const Target& target, std::string_view text, const std::string& hint) {
  const std::string temporary = fmt::format("{}.new-{}", target.path.string(), ::getpid());
  FileDescriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file) refuse(path, fmt::format("making {} failed: {}", temporary, std::strerror(errno)), hint);
  keep_mode(file.get(), target.path);
  const bool written = write_all(file.get(), text) && ::fsync(file.get()) == 0;
  if (written && ::rename(temporary.c_str(), target.path.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  ::unlink(temporary.c_str());
  refuse(path, why, hint);
}

}  // namespace

void write_file(const std::string& path, std::string_view text, const std::string& hint) {
  const Target target = follow(path, hint);
  if (target.replaceable()) return replace(path, target, text, hint);
  const FileDescriptor file(::open(target.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file || !write_all(file.get(), text)) refuse(path, std::strerror(errno), hint);
}

bool leads_to_file(const std::string& path) {
  return follow(path, "").replaceable();
}

void require_writable(const std::string& path, const std::string& hint) {
  const Target target = follow(path, hint);
  const fs::path folder = target.folder();
  if (target.type != fs::file_type::not_found && ::access(target.path.c_str(), W_OK) != 0) {
    refuse(path, std::strerror(errno), hint);
  }
  if (!target.replaceable()) return;
  if (!fs::is_directory(folder)) refuse(path, fmt::format("there is no folder {}", folder.string()), hint);
  if (::access(folder.c_str(), W_OK) != 0) refuse(path, std::strerror(errno), hint);
}

}  // namespace tuner::util
