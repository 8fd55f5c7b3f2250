#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>

#include "tests/support/fake_compiler.hpp"
#include "tuner/compile/binary_cache.hpp"
#include "tuner/model/error.hpp"
#include "tuner/util/files.hpp"

using tuner::compile::BinaryCache;
using tuner::compile::CachingCompiler;
using tuner::model::Compilation;
using tuner::model::CompileJob;
using tuner::model::TrialStatus;
using tuner::test::fake_job;
using tuner::test::FakeCompiler;
using tuner::test::FakeCompilerLog;
using tuner::util::TemporaryFolder;

TEST_SUITE_BEGIN("tuner::compile::CachingCompiler");

TEST_CASE("a failure is tried again once the spec has more words, a binary is not") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  CompileJob job = fake_job("a");
  job.vocabulary = {{"ORDER_rows", "17"}};
  const auto needs_columns = [](const CompileJob& asked) {
    Compilation compilation = tuner::compile::failed(TrialStatus::compile_error,
                                                     "a.cu(1): error: identifier \"rows\" is undefined");
    for (const auto& word : asked.vocabulary) {
      if (word.name == "ORDER_columns") return FakeCompiler::usual_answer(asked);
    }
    return compilation;
  };
  CachingCompiler compiler(std::make_unique<FakeCompiler>(log, needs_columns),
                           std::make_shared<BinaryCache>(folder.path()));
  CHECK(compiler.compile(job).status == TrialStatus::compile_error);
  CHECK(compiler.compile(job).from_cache);
  job.vocabulary.push_back({"ORDER_columns", "18"});
  CHECK(compiler.compile(job).status == TrialStatus::ok);
  CHECK(log.call_count() == 2);
  job.vocabulary.push_back({"ORDER_tiles", "19"});
  CHECK(compiler.compile(job).from_cache);
}

TEST_CASE(
    "a failure that another program kept, which may put another unit around the kernel, is tried again") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  CompileJob job = fake_job("a");
  CHECK(cache->store(job.key(),
                     tuner::compile::failed(TrialStatus::compile_error, "a.cu(1): error: of long ago")));
  CHECK(CachingCompiler(std::make_unique<FakeCompiler>(log), cache).compile(job).status == TrialStatus::ok);
}

TEST_CASE("the second compilation of a job is not one") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  CachingCompiler compiler(std::make_unique<FakeCompiler>(log), cache);
  CHECK(compiler.name() == "fake 1.0");
  const Compilation first = compiler.compile(fake_job("a"));
  const Compilation second = compiler.compile(fake_job("a"));
  CHECK_FALSE(first.from_cache);
  CHECK(second.from_cache);
  CHECK(second.binary == first.binary);
  CHECK(log.call_count() == 1);
  CompileJob other = fake_job("a");
  other.macros = {{"BLOCK_SIZE", "32"}};
  CHECK_FALSE(compiler.compile(other).from_cache);
  CHECK(log.call_count() == 2);
}

TEST_CASE("a library beside kernels is compiled once, comes with each of them, and fails them all") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  bool is_broken = false;
  CachingCompiler compiler(
      std::make_unique<FakeCompiler>(log,
                                     [&](const CompileJob& job) {
                                       Compilation made = FakeCompiler::usual_answer(job);
                                       if (is_broken && job.host_library)
                                         made = tuner::compile::failed(TrialStatus::compile_error,
                                                                       "calls.cpp:1: error: no");
                                       return made;
                                     }),
      cache);
  const auto with_library = [](const std::string& kernel, const std::string& library) {
    CompileJob job = fake_job(kernel);
    job.library = {fake_job(library)};
    job.library.front().host_library = true;
    return job;
  };
  const Compilation first = compiler.compile(with_library("a", "called"));
  CHECK(first.library == compiler.compile(fake_job("called")).binary);
  CHECK(first.binary == compiler.compile(fake_job("a")).binary);
  CHECK(cache->has(with_library("a", "called").key()));
  const std::size_t calls = log.call_count();
  const Compilation second = compiler.compile(with_library("b", "called"));
  CHECK(second.library == first.library);
  CHECK(log.call_count() == calls + 1);  // the kernels of b
  CHECK(compiler.compile(with_library("b", "called")).from_cache);
  is_broken = true;
  const Compilation broken = compiler.compile(with_library("b", "broken"));
  CHECK(broken.status == TrialStatus::compile_error);
  CHECK(broken.log == "calls.cpp:1: error: no");
}

TEST_CASE("a job for another compiler is a mistake that is named") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  CachingCompiler compiler(std::make_unique<FakeCompiler>(log), std::make_shared<BinaryCache>(folder.path()));
  CompileJob job = fake_job("a");
  job.compiler = "nvrtc 13.0";
  CHECK_THROWS_WITH_AS(compiler.compile(job),
                       "a compile job for 'nvrtc 13.0' was given to the compiler 'fake 1.0'",
                       tuner::model::Error);
}

TEST_CASE("an entry that is sound but lacks the job's kernels is compiled afresh") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  Compilation foreign = sample();
  foreign.kernels[0].entry = "something_else";
  REQUIRE(cache->store(fake_job("a").key(), foreign));
  CachingCompiler compiler(std::make_unique<FakeCompiler>(log), cache);
  CHECK_FALSE(compiler.compile(fake_job("a")).from_cache);
  CHECK(compiler.compile(fake_job("a")).from_cache);
}

TEST_CASE("an entry without a binary answers no job, and is compiled afresh") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  Compilation empty = sample();
  empty.binary.clear();
  REQUIRE(cache->store(fake_job("a").key(), empty));
  CachingCompiler compiler(std::make_unique<FakeCompiler>(log), cache);
  CHECK_FALSE(compiler.compile(fake_job("a")).from_cache);
  CHECK(compiler.compile(fake_job("a")).from_cache);
}

TEST_CASE("what is compiled for nobody any more is not kept: it may be anything") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  const auto cache = std::make_shared<BinaryCache>(folder.path());
  CachingCompiler compiler(std::make_unique<FakeCompiler>(log), cache);
  const std::atomic<bool> abandoned{true};
  compiler.compile_unless(fake_job("a"), abandoned);
  CHECK(cache->stats().entries == 0);
  CHECK_FALSE(compiler.compile(fake_job("a")).from_cache);
}

TEST_CASE("a crash is tried again, a syntax error is not") {
  const TemporaryFolder folder;
  FakeCompilerLog log;
  TrialStatus status = TrialStatus::crashed;
  const auto answer = [&](const CompileJob&) {
    Compilation compilation;
    compilation.status = status;
    compilation.log = "a.cu(1): error: expected a \";\"";
    return compilation;
  };
  CachingCompiler compiler(std::make_unique<FakeCompiler>(log, answer),
                           std::make_shared<BinaryCache>(folder.path()));
  compiler.compile(fake_job("a"));
  compiler.compile(fake_job("a"));
  CHECK(log.call_count() == 2);
  status = TrialStatus::compile_error;
  compiler.compile(fake_job("a"));
  CHECK(compiler.compile(fake_job("a")).from_cache);
  CHECK(log.call_count() == 3);
}

TEST_SUITE_END();
