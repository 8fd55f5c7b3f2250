#include "tuner/util/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <mutex>
#include <new>
#include <streambuf>
#include <system_error>
#include <vector>

#include "tuner/model/error.hpp"

namespace tuner::util {

namespace fs = std::filesystem;

namespace {

/// That zlib reads or writes.
constexpr unsigned bytes_at_once = 1U << 18U;

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

/// The permissions of the file that is replaced, else what the user's umask leaves.
void keep_mode(int file, const fs::path& replaced) {
  struct stat status {};
  if (::stat(replaced.c_str(), &status) == 0) static_cast<void>(::fchmod(file, status.st_mode & 07777U));
}

bool has_name(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

/// The first name beside `place` that `make` can use: what a killed process left may have one of them.
template <class Make>
std::string make_beside(const fs::path& place, const Make& make) {
  constexpr int most_names = 100;
  const std::string first = fmt::format("{}.new-{}", place.string(), ::getpid());
  std::string name = first;
  for (int i = 2; !make(name) && errno == EEXIST && i <= most_names; ++i)
    name = fmt::format("{}-{}", first, i);
  return name;
}

/// Gives an open file that has none a name; false where that fails.
bool give_name(int file, const fs::path& place, std::string& name) {
  const std::string open_file = fmt::format("/proc/self/fd/{}", file);
  name = make_beside(place, [&](const std::string& free) {
    return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, free.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  return has_name(file);
}

}  // namespace

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

FileDescriptor open_shared_file(const std::string& path) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  // Without O_CREAT first: in a sticky folder the kernel refuses O_CREAT on another user's file.
  FileDescriptor file(::open(path.c_str(), flags));
  if (file || errno != ENOENT) return file;
  FileDescriptor created(::open(path.c_str(), flags | O_CREAT | O_EXCL, 0666));
  if (!created && errno == EEXIST) return FileDescriptor(::open(path.c_str(), flags));
  if (created) ::fchmod(created.get(), 0666);  // whatever the umask: other users lock it too
  return created;
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

bool begins_as_database(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  constexpr std::string_view mark{"SQLite format 3\0", 16};
  std::array<char, mark.size()> bytes{};
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  return std::string_view(bytes.data(), static_cast<std::size_t>(in.gcount())) == mark;
}

void require_no_database(const std::string& path, const std::string& hint) {
  const std::string place = follow(path, hint).path.string();
  if (begins_as_database(place)) refuse(path, "it is a database", hint);
  for (const std::string_view suffix : {"-wal", "-shm", "-journal"}) {
    if (place.ends_with(suffix) && begins_as_database(place.substr(0, place.size() - suffix.size())))
      refuse(path, "it is a part of a database", hint);
  }
}

OutputFile::OutputFile(std::string path, std::string hint, Packing packing)
    : m_path(std::move(path)), m_hint(std::move(hint)), m_out(nullptr, gzclose) {
  require_no_database(m_path, m_hint);
  const Target target = follow(m_path, m_hint);
  m_place = target.path;
  if (target.replaceable()) {
    m_temporary = make_beside(m_place, [&](const std::string& name) {
      if (::access("/proc/self/fd", X_OK) == 0)
        m_file = FileDescriptor(::open(target.folder().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
      if (!m_file)
        m_file = FileDescriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      return static_cast<bool>(m_file);
    });
    if (!m_file)
      refuse(m_path, fmt::format("making {} failed: {}", m_temporary, std::strerror(errno)), m_hint);
    keep_mode(m_file.get(), m_place);
  } else {
    m_file = FileDescriptor(::open(m_place.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!m_file) refuse(m_path, std::strerror(errno), m_hint);
  }
  // zlib writes as it is what is not to be packed: `T`.
  m_out.reset(gzdopen(::fcntl(m_file.get(), F_DUPFD_CLOEXEC, 0), packing == Packing::gzip ? "wb" : "wbT"));
  if (!m_out || gzbuffer(m_out.get(), bytes_at_once) != 0) throw std::bad_alloc();
}

OutputFile::~OutputFile() {
  if (!m_temporary.empty() && has_name(m_file.get())) ::unlink(m_temporary.c_str());
}

void OutputFile::write(std::string_view text) {
  if (!text.empty() && gzfwrite(text.data(), 1, text.size(), m_out.get()) != text.size())
    refuse(m_path, std::strerror(errno), m_hint);
}

void OutputFile::finish() {
  bool done = gzclose(m_out.release()) == Z_OK;
  if (!m_temporary.empty()) {
    done = done && ::fsync(m_file.get()) == 0;
    done = done && (has_name(m_file.get()) || give_name(m_file.get(), m_place, m_temporary));
    done = done && ::rename(m_temporary.c_str(), m_place.c_str()) == 0;
    if (done) m_temporary.clear();
  }
  if (!done) refuse(m_path, std::strerror(errno), m_hint);
}

void write_file(const std::string& path, std::string_view text, const std::string& hint) {
  OutputFile file(path, hint);
  file.write(text);
  file.finish();
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

namespace {

constexpr std::string_view prefix = "tuner-held-";

/// The folder open and locked; nothing where it is held by somebody, or cannot be locked.
FileDescriptor locked(const fs::path& folder) {
  FileDescriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (descriptor && flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return descriptor;
}

}  // namespace

void remove_abandoned_folders(const fs::path& root) {
  constexpr std::time_t a_minute = 60;
  std::error_code error;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (!path.filename().string().starts_with(prefix)) continue;
    struct stat found {};
    const bool is_ours = lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
                         found.st_uid == geteuid() && std::time(nullptr) - found.st_mtime >= a_minute;
    if (!is_ours) continue;
    const FileDescriptor lock = locked(path);
    std::error_code ignored;
    if (lock) fs::remove_all(path, ignored);
  }
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  fs::path root = fs::temp_directory_path(error);
  if (error) root = "/tmp";
  static std::once_flag looked;
  std::call_once(looked, remove_abandoned_folders, root);
  std::string name = (root / prefix).string() + "XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw model::Error(
        fmt::format("cannot make a temporary folder in {}: {}", root.string(), std::strerror(errno)),
        "set TMPDIR to a folder that can be written");
  }
  m_path = name;
  m_lock = locked(m_path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(m_path, ignored);
}

void TemporaryFolder::write(const fs::path& relative, std::string_view text) const {
  const fs::path path = m_path / relative;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw model::Error(fmt::format("cannot write {}", path.string()), "is the disk full?");
}

/// zlib reads files that are not packed as they are.
class GzipInput::Buffer : public std::streambuf {
 public:
  explicit Buffer(const fs::path& path)
      : m_path(path),
        m_file(fs::is_directory(path) ? nullptr : gzopen(path.c_str(), "rb"), gzclose),
        m_bytes(bytes_at_once) {}

  bool is_open() const { return m_file != nullptr; }

 protected:
  int_type underflow() override {
    const int got = gzread(m_file.get(), m_bytes.data(), static_cast<unsigned>(m_bytes.size()));
    int status = Z_OK;
    // The end of a file that ends early is told as an end, and as an error beside it.
    gzerror(m_file.get(), &status);
    if (status == Z_ERRNO) throw model::Error(fmt::format("{} cannot be read to its end", m_path.string()));
    if (got < 0 || status == Z_BUF_ERROR)
      throw model::Error(fmt::format("{} is damaged: it cannot be unpacked", m_path.string()));
    if (got == 0) return traits_type::eof();
    setg(m_bytes.data(), m_bytes.data(), m_bytes.data() + got);
    return traits_type::to_int_type(m_bytes.front());
  }

 private:
  fs::path m_path;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> m_file;
  std::vector<char> m_bytes;
};

GzipInput::GzipInput(const fs::path& path) : std::istream(nullptr), m_buffer(std::make_unique<Buffer>(path)) {
  rdbuf(m_buffer.get());  // clears the state
  if (!m_buffer->is_open()) {
    setstate(failbit);
  } else {
    exceptions(badbit);  // what the buffer throws is not swallowed
  }
}

GzipInput::~GzipInput() = default;

}  // namespace tuner::util
