#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/compile/compiler.hpp"
#include "tuner/model/compile_job.hpp"

namespace tuner::compile {

/// A cache entry: a fixed header (magic with format version, key, sizes, digest of the rest) and the
/// compilation, serialised little-endian and compressed with zstd. Everything but `from_cache` survives the
/// round trip.
std::string encode_entry(const model::Digest& key, const model::Compilation& compilation);

/// The inverse. Nothing for bytes that encode_entry() did not write for `key`;
/// never allocates more than `largest_bytes` for what an entry claims to hold.
std::optional<model::Compilation> decode_entry(const model::Digest& key, std::string_view bytes,
                                               std::size_t largest_bytes);

/// What is kept, or was taken away.
struct CacheStats {
  std::int64_t entries = 0;
  std::int64_t bytes = 0;         ///< of the files, as stored
  std::int64_t header_bytes = 0;  ///< of these, of files that keep_file() made
};

/// Compilations kept between runs, one compressed file each, found by CompileJob::key(). Several threads and
/// several processes may use one folder: files appear whole by rename and vanish at any time. What is read is
/// not trusted: an entry that is truncated, altered, of another key or larger than `largest_entry_bytes` is a
/// miss. A cache that cannot be written is one that remembers nothing, never a failure of the sweep.
class BinaryCache {
 public:
  static constexpr std::int64_t default_limit_bytes = std::int64_t{1} << 30U;
  /// Of one compilation before compression.
  static constexpr std::int64_t largest_entry_bytes = std::int64_t{64} << 20U;

  /// `folder` is made on the first store. Above `limit_bytes` the entries used longest ago are removed, down
  /// to nine tenths of it.
  explicit BinaryCache(std::filesystem::path folder, std::int64_t limit_bytes = default_limit_bytes);

  const std::filesystem::path& folder() const { return m_folder; }
  std::int64_t limit_bytes() const { return m_limit_bytes; }

  /// The entry of `key`, its `from_cache` set; marks it as used now.
  std::optional<model::Compilation> load(const model::Digest& key) const;
  /// Whether there is an entry of `key`, sound or not.
  bool has(const model::Digest& key) const;
  /// Why the folder, which it makes, cannot keep anything; empty: it can.
  std::string why_unwritable() const;
  /// Keeps `compilation` if it is worth keeping (see is_cacheable); false when it was not kept.
  bool store(const model::Digest& key, const model::Compilation& compilation);

  /// A file that keep_file() made, marked as used now. It may vanish at any time, as entries do, and its
  /// bytes are not checked.
  std::optional<std::filesystem::path> file_of(const model::Digest& key) const;
  /// Has `write` make a file of a compiler's own at the path it is given, and keeps it. Nothing where `write`
  /// returns false, the folder cannot be written, or the file is larger than a quarter of the limit.
  std::optional<std::filesystem::path> keep_file(
      const model::Digest& key, const std::function<bool(const std::filesystem::path&)>& write);

  CacheStats stats() const;
  /// Removes the entries used longest ago until at most `target_bytes` remain, and what crashed writers left.
  CacheStats prune(std::int64_t target_bytes);
  CacheStats clear() { return prune(0); }

 private:
  std::filesystem::path path_of(const model::Digest& key, std::string_view suffix) const;
  void account(std::int64_t bytes);

  std::filesystem::path m_folder;
  std::int64_t m_limit_bytes;
  std::mutex m_mutex;
  std::optional<std::int64_t> m_bytes;  ///< estimate of the folder's size; unknown before the first store
};

/// ok and unlaunchable are properties of the job, and so is an error in a line of its source. Another error,
/// a timeout or a crash may be the machine's, and a header that could not be opened may be installed
/// tomorrow.
bool is_cacheable(const model::Compilation& compilation);

/// A compiler that asks the cache first. Of a job with a library it makes both binaries: the library is kept
/// under a key of its own, since all configurations share it.
class CachingCompiler final : public Compiler {
 public:
  /// `cache` may be shared between compilers on different threads.
  CachingCompiler(std::unique_ptr<Compiler> inner, std::shared_ptr<BinaryCache> cache);

  std::string name() const override { return m_inner->name(); }
  /// Throws model::Error when `job.compiler` is not name(): the binary would be kept under a wrong key.
  model::Compilation compile(const model::CompileJob& job) override;
  model::Compilation compile_unless(const model::CompileJob& job,
                                    const std::atomic<bool>& abandoned) override;

 private:
  model::Compilation compile_one(const model::CompileJob& job, const std::atomic<bool>& abandoned);

  std::unique_ptr<Compiler> m_inner;
  std::shared_ptr<BinaryCache> m_cache;
};

}  // namespace tuner::compile
