#include "tuner/compile/binary_cache.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/fake_compiler.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

namespace fs = std::filesystem;
using tuner::compile::BinaryCache;
using tuner::model::Compilation;
using tuner::model::CompileJob;
using tuner::model::Digest;
using tuner::model::TrialStatus;
using tuner::test::fake_job;
using tuner::test::FakeCompiler;
using tuner::test::FakeCompilerLog;
using tuner::util::TemporaryFolder;

namespace {

Compilation sample(std::size_t bytes = 1000, unsigned seed = 1) {
  std::minstd_rand random(seed);
  Compilation compilation = FakeCompiler::usual_answer(fake_job("x"));
  compilation.binary.clear();
  for (std::size_t i = 0; i < bytes; ++i)
    compilation.binary.push_back(static_cast<std::byte>(random() >> 8U));
  compilation.log = "a warning\nwith \xC3\xBC";
  compilation.compile_ms = 155.25;
  tuner::model::KernelResources& kernel = compilation.kernels.at(0);
  kernel.symbol = "_Z6kernelPf";
  kernel.registers = 40;
  kernel.spill_store_bytes = 20000;
  kernel.spill_load_bytes = 19996;
  kernel.stack_bytes = 512;
  kernel.static_shared_bytes = 49152;
  kernel.constant_bytes = 400;
  kernel.max_threads_per_block = 256;
  return compilation;
}

fs::path file_of(const BinaryCache& cache, const Digest& key) {
  const std::string name = key.hex();
  return cache.folder() / name.substr(0, 2) / (name.substr(2) + ".bin");
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void overwrite(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Makes an entry look as if it was used `seconds` ago.
void age(const fs::path& path, long seconds) {
  timespec times[2];
  ::clock_gettime(CLOCK_REALTIME, &times[0]);
  times[0].tv_sec -= seconds;
  times[1] = times[0];
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

Digest key_of(int i) {
  return fake_job(std::to_string(i)).key();
}

}  // namespace

TEST_SUITE_BEGIN("tuner::compile::BinaryCache");

TEST_CASE("what was stored comes back whole, to another cache object too, marked as cached") {
  const TemporaryFolder folder;
  const Compilation stored = sample();
  CHECK(BinaryCache(folder.path()).store(key_of(1), stored));
  const auto loaded = BinaryCache(folder.path()).load(key_of(1));
  REQUIRE(loaded.has_value());
  CHECK(loaded->from_cache);
  CHECK(loaded->status == TrialStatus::ok);
  CHECK(loaded->binary == stored.binary);
  CHECK(loaded->log == stored.log);
  CHECK(loaded->compile_ms == stored.compile_ms);
  REQUIRE(loaded->kernels.size() == 1);
  const auto& kernel = loaded->kernels[0];
  CHECK(kernel.entry == "kernel");
  CHECK(kernel.symbol == "_Z6kernelPf");
  CHECK(kernel.registers == 40);
  CHECK(kernel.spill_store_bytes == 20000);
  CHECK(kernel.spill_load_bytes == 19996);
  CHECK(kernel.stack_bytes == 512);
  CHECK(kernel.static_shared_bytes == 49152);
  CHECK(kernel.constant_bytes == 400);
  CHECK(kernel.max_threads_per_block == 256);
  CHECK(BinaryCache(folder.path()).has(key_of(1)));
  CHECK_FALSE(BinaryCache(folder.path()).has(key_of(2)));
  CHECK_FALSE(BinaryCache(folder.path()).load(key_of(2)).has_value());
}

TEST_CASE("an entry cut short anywhere is a miss") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  REQUIRE(cache.store(key_of(1), sample(300)));
  const fs::path file = file_of(cache, key_of(1));
  const std::string whole = slurp(file);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    overwrite(file, whole.substr(0, size));
    REQUIRE_FALSE(cache.load(key_of(1)).has_value());
  }
  overwrite(file, whole + "x");
  CHECK_FALSE(cache.load(key_of(1)).has_value());
  overwrite(file, whole);
  CHECK(cache.load(key_of(1)).has_value());
}

TEST_CASE("an entry with any byte altered is a miss") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  REQUIRE(cache.store(key_of(1), sample(300)));
  const fs::path file = file_of(cache, key_of(1));
  const std::string whole = slurp(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 0x40);
    overwrite(file, altered);
    REQUIRE_FALSE(cache.load(key_of(1)).has_value());
  }
}

TEST_CASE(
    "an entry that claims a huge size, with a sound checksum, is refused before memory is taken for it") {
  const std::string honest = tuner::compile::encode_entry(key_of(1), sample(300));
  std::string huge = honest;
  for (std::size_t i = 24; i < 31; ++i) huge[i] = '\xFF';  // the size stands behind magic and key
  CHECK_FALSE(tuner::compile::decode_entry(key_of(1), huge, BinaryCache::largest_entry_bytes).has_value());
  CHECK(tuner::compile::decode_entry(key_of(1), honest, 100'000).has_value());
  CHECK_FALSE(tuner::compile::decode_entry(key_of(1), honest, 300).has_value());
}

TEST_CASE("an entry of another key is a miss: nobody gets a binary by renaming a file") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  REQUIRE(cache.store(key_of(1), sample()));
  const fs::path other = file_of(cache, key_of(2));
  fs::create_directories(other.parent_path());
  fs::copy_file(file_of(cache, key_of(1)), other);
  CHECK_FALSE(cache.load(key_of(2)).has_value());
}

TEST_CASE("a folder, a pipe or a link in an entry's place is a miss, and storing fails or replaces it") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  for (int i = 1; i <= 3; ++i) fs::create_directories(file_of(cache, key_of(i)).parent_path());
  fs::create_directory(file_of(cache, key_of(1)));
  REQUIRE(::mkfifo(file_of(cache, key_of(2)).c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", file_of(cache, key_of(3)));
  for (int i = 1; i <= 3; ++i) CHECK_FALSE(cache.load(key_of(i)).has_value());
  CHECK_FALSE(cache.store(key_of(1), sample()));
  CHECK(cache.store(key_of(2), sample()));
  CHECK(cache.store(key_of(3), sample()));
  CHECK(cache.load(key_of(3)).has_value());
}

TEST_CASE("only results that belong to the job are kept") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  Compilation compilation = sample();
  for (const TrialStatus status : {TrialStatus::timeout, TrialStatus::crashed}) {
    compilation.status = status;
    CHECK_FALSE(cache.store(key_of(1), compilation));
  }
  compilation.status = TrialStatus::compile_error;
  for (const char* log :
       {"main.cu(1): catastrophic error: cannot open source file \"cuda_fp16.h\"",
        "main.cu:1:10: fatal error: 'cuda_fp16.h' file not found",
        "main.cu:1:10: fatal error: /usr/include/stdio.h: Input/output error",
        "cc1plus: fatal error: error writing to /tmp/cc1.s: Input/output error",
        "nvcc fatal   : Failed to preprocess host compiler properties.",
        "ccache: error: Failed to create directory /home/ada/.cache: Read-only file system"}) {
    compilation.log = log;
    CHECK_FALSE(cache.store(key_of(1), compilation));
  }
  CHECK(cache.stats().entries == 0);
  for (const char* log :
       {"ptxas application ptx input, line 12; error   : Unknown symbol 'x'",
        "In file included from k.cu:1:\nh.cuh:3:12: error: 'x' was not declared in this scope",
        "main.cu(1): error: expected a \";\""}) {
    compilation.log = log;
    CHECK(cache.store(key_of(1), compilation));
  }
  CHECK(cache.load(key_of(1))->status == TrialStatus::compile_error);
  compilation.status = TrialStatus::unlaunchable;
  CHECK(cache.store(key_of(2), compilation));
}

TEST_CASE("a result that would not be kept is none where it is found, whoever wrote it") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  REQUIRE(cache.store(key_of(1), sample()));
  Compilation crashed = sample();
  crashed.status = TrialStatus::crashed;
  overwrite(file_of(cache, key_of(1)), tuner::compile::encode_entry(key_of(1), crashed));
  CHECK_FALSE(cache.load(key_of(1)).has_value());
}

TEST_CASE("a cache that cannot be written remembers nothing and does no harm") {
  const TemporaryFolder folder;
  overwrite(folder.path() / "file", "in the way");
  BinaryCache cache(folder.path() / "file" / "cache");
  CHECK_FALSE(cache.store(key_of(1), sample()));
  CHECK_FALSE(cache.load(key_of(1)).has_value());
  CHECK(cache.stats().entries == 0);
  CHECK(cache.clear().entries == 0);
}

TEST_CASE("pruning removes what was used longest ago, and loading counts as use") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  for (int i = 0; i < 10; ++i) {
    REQUIRE(cache.store(key_of(i), sample(10'000, static_cast<unsigned>(i + 1))));
    age(file_of(cache, key_of(i)), 1000 - 10 * i);
  }
  REQUIRE(cache.load(key_of(0)).has_value());  // the oldest becomes the newest
  const auto before = cache.stats();
  CHECK(before.entries == 10);
  const auto removed = cache.prune(before.bytes / 2);
  CHECK(removed.entries == 5);
  CHECK(cache.stats().entries == 5);
  CHECK(cache.stats().bytes == before.bytes - removed.bytes);
  CHECK(cache.load(key_of(0)).has_value());
  for (int i = 1; i <= 5; ++i) CHECK_FALSE(cache.load(key_of(i)).has_value());
  for (int i = 6; i <= 9; ++i) CHECK(cache.load(key_of(i)).has_value());
}

TEST_CASE("storing beyond the limit prunes by itself") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path(), 100'000);
  int prunings = 0;
  for (int i = 0; i < 60; ++i) {
    const auto before = cache.stats();
    REQUIRE(cache.store(key_of(i), sample(10'000, static_cast<unsigned>(i + 1))));
    const auto after = cache.stats();
    CHECK(after.bytes <= 100'000);
    if (after.entries <= before.entries) {
      CHECK(after.bytes <= 90'000);  // so that not every store has to prune
      ++prunings;
    }
  }
  CHECK(prunings > 10);
  CHECK(cache.stats().entries >= 7);
  CHECK(cache.load(key_of(59)).has_value());
}

TEST_CASE("a compiler's own files are kept beside the entries, and pruned with them") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path(), 100'000);
  const auto writes = [](std::size_t bytes) {
    return [bytes](const std::filesystem::path& path) {
      overwrite(path, std::string(bytes, 'x'));
      return true;
    };
  };
  CHECK_FALSE(cache.file_of(key_of(1)).has_value());
  const auto kept = cache.keep_file(key_of(1), writes(5000));
  REQUIRE(kept.has_value());
  CHECK(std::filesystem::file_size(*kept) == 5000);
  CHECK(cache.file_of(key_of(1)) == kept);
  CHECK_FALSE(cache.load(key_of(1)).has_value());
  REQUIRE(cache.store(key_of(1), sample()));
  CHECK(cache.stats().entries == 1);
  CHECK(cache.stats().header_bytes == 5000);
  CHECK(cache.stats().bytes > 5000);

  const auto fails = [](const std::filesystem::path& path) {
    overwrite(path, "half of it");
    return false;
  };
  CHECK_FALSE(cache.keep_file(key_of(2), fails).has_value());
  CHECK_FALSE(cache.keep_file(key_of(3), writes(25'001)).has_value());  // it would push out too much else
  CHECK(cache.stats().header_bytes == 5000);

  age(*kept, 1000);
  REQUIRE(cache.file_of(key_of(1)).has_value());  // which is a use
  age(file_of(cache, key_of(1)), 500);
  cache.prune(5000);
  CHECK(cache.file_of(key_of(1)).has_value());
  CHECK_FALSE(cache.load(key_of(1)).has_value());
  CHECK(cache.clear().bytes == 5000);
  CHECK_FALSE(cache.file_of(key_of(1)).has_value());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    CHECK(entry.is_directory());

  BinaryCache none(folder.path() / "none" / "here");
  overwrite(folder.path() / "none", "in the way");
  bool is_asked = false;
  const auto notes = [&](const std::filesystem::path&) { return is_asked = true; };
  CHECK_FALSE(none.keep_file(key_of(1), notes).has_value());
  CHECK_FALSE(is_asked);
}

TEST_CASE("clearing leaves files that are not the cache's own") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  REQUIRE(cache.store(key_of(1), sample()));
  const fs::path inside = file_of(cache, key_of(1)).parent_path() / "notes.txt";
  overwrite(inside, "mine");
  overwrite(folder.path() / "thesis.bin", "mine too");
  fs::create_directory(folder.path() / "photos");
  overwrite(folder.path() / "photos" / "me.bin", "and this");
  CHECK(cache.clear().entries == 1);
  CHECK(fs::exists(folder.path() / "photos" / "me.bin"));
  CHECK(fs::exists(inside));
  CHECK(fs::exists(folder.path() / "thesis.bin"));
}

TEST_CASE("files that are named like the cache's own only in part are neither counted nor removed") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path(), 100'000);
  const std::string entry = key_of(1).hex().substr(2);
  const fs::path others[] = {
      folder.path() / "v1" / "weights.bin",    folder.path() / "eu" / (entry + ".bin"),
      folder.path() / "ab" / "boot.bin",       folder.path() / "ab" / "all.headers",
      folder.path() / "ab" / "notes.tmp",      folder.path() / "ab" / (entry + ".tmp"),
      folder.path() / "AB" / (entry + ".bin"), folder.path() / "ab" / (entry + "0.bin")};
  for (const fs::path& other : others) {
    fs::create_directories(other.parent_path());
    overwrite(other, std::string(200'000, 'x'));
    age(other, 4000);
  }
  CHECK(cache.store(key_of(1), sample()));  // which prunes what is above the limit
  CHECK(cache.stats().entries == 1);
  CHECK(cache.clear().entries == 1);
  for (const fs::path& other : others) {
    CAPTURE(other);
    CHECK(fs::exists(other));
  }
}

TEST_CASE("what a writer that died left behind goes after an hour") {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  REQUIRE(cache.store(key_of(1), sample()));
  const auto temporary = [&] {
    return file_of(cache, key_of(1)).parent_path() / (Digest::random().hex() + ".tmp");
  };
  const fs::path old_file = temporary();
  const fs::path new_file = temporary();
  overwrite(old_file, "half");
  overwrite(new_file, "half");
  age(old_file, 4000);
  cache.prune(1 << 30);
  CHECK_FALSE(fs::exists(old_file));
  CHECK(fs::exists(new_file));
  CHECK(cache.stats().entries == 1);
}

TEST_CASE("two processes share a folder: no reader ever sees half an entry") {
  const TemporaryFolder folder;
  constexpr int keys = 8;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  const auto work = [&](unsigned seed) {
    BinaryCache cache(folder.path(), 400'000);
    std::minstd_rand random(seed);
    for (int i = 0; i < 400; ++i) {
      const int which = static_cast<int>(random() % keys);
      if (random() % 2 == 0) {
        cache.store(key_of(which), sample(40'000, static_cast<unsigned>(which + 1)));
      } else if (const auto loaded = cache.load(key_of(which))) {
        if (loaded->binary != sample(40'000, static_cast<unsigned>(which + 1)).binary) return false;
      } else if (fs::exists(file_of(cache, key_of(which))) && !cache.load(key_of(which)) &&
                 fs::exists(file_of(cache, key_of(which)))) {
        return false;  // there, and unreadable twice: a torn entry
      }
    }
    return true;
  };
  if (child == 0) ::_exit(work(7) ? 0 : 1);
  CHECK(work(11));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(BinaryCache(folder.path()).stats().entries > 0);
}

TEST_SUITE_END();
