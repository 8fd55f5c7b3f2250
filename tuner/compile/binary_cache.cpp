#include "tuner/compile/binary_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <ctime>
#include <string>
#include <type_traits>
#include <vector>

#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace tuner::compile {
namespace {

constexpr std::string_view magic = "TUNERBN1";  // the digit is the format's version
constexpr std::size_t digest_bytes = sizeof(model::Digest::bytes);
// magic, key, size before compression, digest of what follows
constexpr std::size_t header_bytes = magic.size() + digest_bytes + 8 + digest_bytes;
constexpr int compression_level = 3;

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) m_out += static_cast<char>((value >> shift) & 0xFFU);
  }
  void integer(int value) { number(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void text(std::string_view value) {
    number(value.size());
    m_out += value;
  }
  std::string take() { return std::move(m_out); }

 private:
  std::string m_out;
};

/// Reads what a Writer wrote. After the first read past the end, everything is zero and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : m_rest(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(8);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return value;
  }
  int integer() {
    const auto value = static_cast<std::int64_t>(number());
    if (value != static_cast<int>(value)) m_ok = false;
    return static_cast<int>(value);
  }
  std::string_view text() { return take(number()); }
  bool ok() const { return m_ok; }
  bool at_end() const { return m_ok && m_rest.empty(); }
  std::string_view take(std::uint64_t count) {
    if (!m_ok || count > m_rest.size()) {
      m_ok = false;
      return {};
    }
    const std::string_view taken = m_rest.substr(0, count);
    m_rest.remove_prefix(count);
    return taken;
  }

 private:
  std::string_view m_rest;
  bool m_ok = true;
};

std::string_view as_text(const model::Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

model::Digest checksum(std::string_view bytes) {
  return model::DigestBuilder().add(bytes).finish();
}

constexpr std::array kernel_numbers = {&model::KernelResources::registers,
                                       &model::KernelResources::spill_store_bytes,
                                       &model::KernelResources::spill_load_bytes,
                                       &model::KernelResources::stack_bytes,
                                       &model::KernelResources::static_shared_bytes,
                                       &model::KernelResources::constant_bytes,
                                       &model::KernelResources::max_threads_per_block};

std::string serialise(const model::Compilation& compilation) {
  Writer out;
  out.text(model::to_string(compilation.status));
  out.text({reinterpret_cast<const char*>(compilation.binary.data()), compilation.binary.size()});
  out.text(compilation.log);
  out.number(std::bit_cast<std::uint64_t>(compilation.compile_ms));
  out.number(compilation.kernels.size());
  for (const model::KernelResources& kernel : compilation.kernels) {
    out.text(kernel.entry);
    out.text(kernel.symbol);
    for (const auto member : kernel_numbers) out.integer(kernel.*member);
  }
  return out.take();
}

std::optional<model::Compilation> deserialise(std::string_view bytes) {
  Reader in(bytes);
  model::Compilation compilation;
  const std::optional<model::TrialStatus> status = model::parse_word<model::TrialStatus>(in.text());
  if (!status) return std::nullopt;
  compilation.status = *status;
  const std::string_view binary = in.text();
  compilation.binary.resize(binary.size());
  if (!binary.empty()) std::memcpy(compilation.binary.data(), binary.data(), binary.size());
  compilation.log = in.text();
  compilation.compile_ms = std::bit_cast<double>(in.number());
  const std::uint64_t kernels = in.number();
  for (std::uint64_t i = 0; i < kernels && in.ok(); ++i) {
    model::KernelResources& kernel = compilation.kernels.emplace_back();
    kernel.entry = in.text();
    kernel.symbol = in.text();
    for (const auto member : kernel_numbers) kernel.*member = in.integer();
  }
  if (!in.at_end()) return std::nullopt;
  return compilation;
}

}  // namespace

std::string encode_entry(const model::Digest& key, const model::Compilation& compilation) {
  const std::string plain = serialise(compilation);
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), compression_level);
  if (ZSTD_isError(size) != 0U) {
    throw model::Error(std::string("a cache entry could not be compressed: ") + ZSTD_getErrorName(size));
  }
  packed.resize(size);
  Writer length;
  length.number(plain.size());
  std::string out(magic);
  out += as_text(key);
  out += length.take();
  out += as_text(checksum(packed));
  return out + packed;
}

std::optional<model::Compilation> decode_entry(const model::Digest& key, std::string_view bytes,
                                               std::size_t largest_bytes) {
  if (bytes.size() < header_bytes) return std::nullopt;
  Reader header(bytes.substr(0, header_bytes));
  const std::string_view packed = bytes.substr(header_bytes);
  if (header.take(magic.size()) != magic || header.take(digest_bytes) != as_text(key)) return std::nullopt;
  const std::uint64_t plain_bytes = header.number();
  if (plain_bytes > largest_bytes || header.take(digest_bytes) != as_text(checksum(packed)))
    return std::nullopt;
  // A sound checksum does not make an entry honest: anyone can compute one. zstd writes no more than the
  // buffer holds.
  std::string plain(plain_bytes, '\0');
  const std::size_t size = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0U || size != plain_bytes) return std::nullopt;
  return deserialise(plain);
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view entry_suffix = ".bin";
constexpr std::string_view headers_suffix = ".headers";
constexpr std::string_view temporary_suffix = ".tmp";
/// A temporary file this old belongs to a writer that died.
constexpr std::time_t abandoned_after_s = 3600;
/// zstd may expand what it cannot compress by less than this; the header included.
constexpr std::int64_t overhead_bytes = 1 << 20;

/// The whole of a regular file of at most `limit` bytes. Marks it as used now: its modification time is what
/// prune() goes by, since access times are often off.
std::optional<std::string> read_entry(const fs::path& path, std::int64_t limit) {
  const util::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return std::nullopt;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > limit)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got <= 0) return std::nullopt;
    done += static_cast<std::size_t>(got);
  }
  ::futimens(file.get(), nullptr);
  return bytes;
}

bool write_whole(const fs::path& path, std::string_view bytes) {
  const util::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  return file && util::write_all(file.get(), bytes);
}

struct StoredFile {
  fs::path path;
  std::int64_t bytes = 0;
  std::timespec used{};
  bool temporary = false;
  bool headers = false;
};

/// Whether a name is this much of a Digest::hex().
bool is_part_of_digest(std::string_view name, std::size_t digits) {
  return name.size() == digits && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Every file named as path_of() and temporary_beside() name ours under `folder`, and nothing else: a folder
/// given by mistake loses nothing to prune().
std::vector<StoredFile> stored_files(const fs::path& folder) {
  constexpr std::size_t folder_digits = 2;
  constexpr std::size_t digits = 2 * digest_bytes;
  std::vector<StoredFile> files;
  std::error_code error;
  for (fs::directory_iterator outer(folder, error), end; !error && outer != end; outer.increment(error)) {
    if (!is_part_of_digest(outer->path().filename().native(), folder_digits) || !outer->is_directory(error))
      continue;
    std::error_code inner_error;
    for (fs::directory_iterator inner(outer->path(), inner_error); !inner_error && inner != end;
         inner.increment(inner_error)) {
      const fs::path& path = inner->path();
      const bool temporary = path.extension() == temporary_suffix;
      const bool headers = path.extension() == headers_suffix;
      if (!temporary && !headers && path.extension() != entry_suffix) continue;
      if (!is_part_of_digest(path.stem().native(), temporary ? digits : digits - folder_digits)) continue;
      struct stat status {};
      if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      files.push_back({path, status.st_size, status.st_mtim, temporary, headers});
    }
  }
  return files;
}

void add(CacheStats& stats, const StoredFile& file) {
  stats.entries += file.headers ? 0 : 1;
  stats.bytes += file.bytes;
  stats.header_bytes += file.headers ? file.bytes : 0;
}

bool used_before(const StoredFile& a, const StoredFile& b) {
  if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
  return a.used.tv_nsec < b.used.tv_nsec;
}

}  // namespace

namespace {

/// Makes the folder, where it can.
fs::path temporary_beside(const fs::path& path) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  return path.parent_path() / (model::Digest::random().hex() + std::string(temporary_suffix));
}

}  // namespace

BinaryCache::BinaryCache(fs::path folder, std::int64_t limit_bytes)
    : m_folder(std::move(folder)), m_limit_bytes(limit_bytes) {}

fs::path BinaryCache::path_of(const model::Digest& key, std::string_view suffix) const {
  const std::string name = key.hex();
  return m_folder / name.substr(0, 2) / (name.substr(2) + std::string(suffix));
}

std::optional<model::Compilation> BinaryCache::load(const model::Digest& key) const {
  const std::optional<std::string> bytes =
      read_entry(path_of(key, entry_suffix), largest_entry_bytes + overhead_bytes);
  if (!bytes) return std::nullopt;
  std::optional<model::Compilation> compilation = decode_entry(key, *bytes, largest_entry_bytes);
  if (!compilation || !is_cacheable(*compilation)) return std::nullopt;
  compilation->from_cache = true;
  return compilation;
}

bool BinaryCache::has(const model::Digest& key) const {
  std::error_code error;
  return fs::is_regular_file(path_of(key, entry_suffix), error);
}

bool BinaryCache::store(const model::Digest& key, const model::Compilation& compilation) {
  if (!is_cacheable(compilation)) return false;
  if (compilation.binary.size() + compilation.log.size() > largest_entry_bytes / 2) return false;
  const std::string bytes = encode_entry(key, compilation);
  const fs::path path = path_of(key, entry_suffix);
  const fs::path temporary = temporary_beside(path);
  // No fsync: after a power cut a torn entry fails its checksum and is compiled again.
  if (!write_whole(temporary, bytes) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return false;
  }
  account(static_cast<std::int64_t>(bytes.size()));
  return true;
}

std::optional<fs::path> BinaryCache::file_of(const model::Digest& key) const {
  fs::path path = path_of(key, headers_suffix);
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return path;
}

std::optional<fs::path> BinaryCache::keep_file(const model::Digest& key,
                                               const std::function<bool(const fs::path&)>& write) {
  fs::path path = path_of(key, headers_suffix);
  const fs::path temporary = temporary_beside(path);
  if (::access(path.parent_path().c_str(), W_OK | X_OK) != 0) return std::nullopt;
  struct stat status {};
  const auto is_kept = [&] {
    if (!write(temporary)) return false;
    const util::FileDescriptor file(::open(temporary.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    // Unlike an entry it has no checksum that would tell a torn one after a power cut.
    return file && ::fstat(file.get(), &status) == 0 && status.st_size <= m_limit_bytes / 4 &&
           ::fsync(file.get()) == 0 && ::rename(temporary.c_str(), path.c_str()) == 0;
  };
  if (!is_kept()) {
    ::unlink(temporary.c_str());
    return std::nullopt;
  }
  account(status.st_size);
  return path;
}

std::string BinaryCache::why_unwritable() const {
  std::error_code error;
  fs::create_directories(m_folder, error);
  if (!error && ::access(m_folder.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  return error ? error.message() : "";
}

void BinaryCache::account(std::int64_t bytes) {
  const std::lock_guard lock(m_mutex);
  // The first estimate is a scan, which sees the file just written; other processes' files are seen at the
  // next one.
  m_bytes = m_bytes ? *m_bytes + bytes : stats().bytes;
  if (*m_bytes <= m_limit_bytes) return;
  prune(m_limit_bytes / 10 * 9);
  m_bytes = stats().bytes;
}

CacheStats BinaryCache::stats() const {
  CacheStats stats;
  for (const StoredFile& file : stored_files(m_folder)) {
    if (!file.temporary) add(stats, file);
  }
  return stats;
}

CacheStats BinaryCache::prune(std::int64_t target_bytes) {
  std::vector<StoredFile> files = stored_files(m_folder);
  std::ranges::sort(files, used_before);
  std::int64_t total = 0;
  for (const StoredFile& file : files) total += file.temporary ? 0 : file.bytes;
  const std::time_t now = std::time(nullptr);
  CacheStats removed;
  for (const StoredFile& file : files) {
    if (file.temporary) {
      if (now - file.used.tv_sec > abandoned_after_s) ::unlink(file.path.c_str());
      continue;
    }
    if (total <= target_bytes) continue;
    if (::unlink(file.path.c_str()) != 0) continue;
    total -= file.bytes;
    add(removed, file);
  }
  return removed;
}

}  // namespace tuner::compile
