// Where a cache or a pool that is nearly right differs from one that is.
#include <doctest/doctest.h>
#include <zstd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/support/fake_compiler.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/util/files.hpp"

using tuner::compile::CompilePool;
using tuner::model::Compilation;
using tuner::model::Digest;
using tuner::test::fake_job;
using tuner::test::FakeCompiler;
using tuner::test::FakeCompilerLog;

TEST_SUITE("tuner::compile counterexamples") {
  namespace {

  /// Magic, key, size and checksum stand before what is compressed.
  constexpr std::size_t header_bytes = 8 + 16 + 8 + 16;
  constexpr std::size_t most_bytes = std::size_t{1} << 20U;

  std::string little_endian(std::uint64_t number) {
    std::string bytes;
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((number >> shift) & 0xFFU);
    return bytes;
  }

  /// An entry whose content is `change`d, with the size and the checksum that then are right.
  template <typename Change>
  std::string changed_entry(const Digest& key, const Compilation& compilation, const Change& change) {
    const std::string entry = tuner::compile::encode_entry(key, compilation);
    std::string plain(most_bytes, '\0');
    plain.resize(ZSTD_decompress(plain.data(), plain.size(), entry.data() + header_bytes,
                                 entry.size() - header_bytes));
    change(plain);
    std::string packed(ZSTD_compressBound(plain.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
    const Digest checksum = tuner::model::DigestBuilder().add(std::string_view(packed)).finish();
    return entry.substr(0, 8 + 16) + little_endian(plain.size()) +
           std::string(reinterpret_cast<const char*>(checksum.bytes.data()), checksum.bytes.size()) + packed;
  }

  CompilePool::Factory fakes(FakeCompilerLog& log) {
    return [&log] { return std::make_unique<FakeCompiler>(log); };
  }

  }  // namespace

  TEST_CASE("a well-formed entry with something behind its end, or a number too large, is a miss") {
    const Compilation compilation = FakeCompiler::usual_answer(fake_job("x"));
    const Digest key = fake_job("x").key();
    const auto decoded = [&](const auto& change) {
      return tuner::compile::decode_entry(key, changed_entry(key, compilation, change), most_bytes)
          .has_value();
    };
    CHECK(decoded([](std::string&) {}));
    CHECK_FALSE(decoded([](std::string& plain) { plain += '\0'; }));
    // The last number is a kernel's threads a block.
    CHECK_FALSE(decoded([](std::string& plain) {
      plain.replace(plain.size() - 8, 8, little_endian(std::uint64_t{1} << 40U));
    }));
  }

  TEST_CASE("a sound entry without a binary is compiled afresh") {
    const tuner::util::TemporaryFolder folder;
    const auto cache = std::make_shared<tuner::compile::BinaryCache>(folder.path());
    const auto job = fake_job("x");
    Compilation empty = FakeCompiler::usual_answer(job);
    empty.binary.clear();
    REQUIRE(cache->store(job.key(), empty));
    FakeCompilerLog log;
    tuner::compile::CachingCompiler compiler(std::make_unique<FakeCompiler>(log), cache);
    CHECK_FALSE(compiler.compile(job).binary.empty());
    CHECK(log.call_count() == 1);
  }

  TEST_CASE("a compilation that was given up leaves nothing in the cache") {
    const tuner::util::TemporaryFolder folder;
    const auto cache = std::make_shared<tuner::compile::BinaryCache>(folder.path());
    FakeCompilerLog log;
    tuner::compile::CachingCompiler compiler(std::make_unique<FakeCompiler>(log), cache);
    compiler.compile_unless(fake_job("given up"), true);
    CHECK_FALSE(cache->has(fake_job("given up").key()));
    compiler.compile_unless(fake_job("wanted"), false);
    CHECK(cache->has(fake_job("wanted").key()));
  }

  TEST_CASE("of jobs not begun the one that takes longest is begun first") {
    FakeCompilerLog log;
    log.hold(true);
    CompilePool pool(1, fakes(log));
    pool.submit(fake_job("in hand"));
    log.wait_for_calls(1);
    std::map<CompilePool::Ticket, double> expected_ms;
    for (const int ms : {20, 5, 90, 40}) expected_ms[pool.submit(fake_job(std::to_string(ms)))] = ms;
    pool.start_longest_first(expected_ms);
    log.hold(false);
    while (pool.take()) continue;
    std::vector<std::string> order;
    for (const auto& job : log.calls) order.push_back(job.source.at(0).text);
    CHECK(order == std::vector<std::string>{"in hand", "90", "40", "20", "5"});
  }

  TEST_CASE("a result that two wait for is held until both have it") {
    FakeCompilerLog log;
    CompilePool pool(1, fakes(log));
    pool.submit(fake_job("shared"));
    pool.submit(fake_job("shared"));
    REQUIRE(pool.take());
    CHECK(pool.stats().ready == 1);
    CHECK(pool.stats().ready_bytes > 0);
    REQUIRE(pool.take());
    CHECK(pool.stats().ready == 0);
    CHECK(pool.stats().ready_bytes == 0);
    CHECK(log.call_count() == 1);
  }
}
