#include "tuner/sweep/compile_ahead.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/support/fake_compiler.hpp"

using namespace tuner;
using namespace std::chrono_literals;

namespace {

/// A trial called by its only source's text.
sweep::Trial trial(const std::string& text) {
  sweep::Trial out;
  out.job = test::fake_job(text);
  out.record.binary_key = out.job.key();
  out.record.kernel = text;
  return out;
}

std::string taken(sweep::CompileAhead& compiling) {
  std::optional<sweep::CompiledTrial> next;
  for (int i = 0; !next && i < 10'000; ++i) {
    next = compiling.take();
    if (!next) std::this_thread::sleep_for(1ms);
  }
  return next ? next->trial.record.kernel : "nothing";
}

}  // namespace

TEST_SUITE("tuner::sweep::CompileAhead") {
  TEST_CASE("what is ready is measured in the order submitted, of the earliest group first") {
    test::FakeCompilerLog log;
    std::atomic<bool> slow_may_end = false;
    const auto answer = [&](const model::CompileJob& job) {
      while (job.source[0].text == "slow" && !slow_may_end) std::this_thread::sleep_for(1ms);
      return test::FakeCompiler::usual_answer(job);
    };
    compile::CompilePool pool(2, [&] { return std::make_unique<test::FakeCompiler>(log, answer); });
    sweep::CompileAhead compiling(pool);
    compiling.submit(trial("later group"), {1, 0, ""});
    compiling.submit(trial("slow"), {});
    for (const char* text : {"second", "third"}) compiling.submit(trial(text), {});

    const auto wait_for_ready = [&](std::size_t count) {
      while (pool.stats().ready < count) std::this_thread::sleep_for(1ms);
    };
    wait_for_ready(3);
    SUBCASE("however long it took to compile") {
      slow_may_end = true;
      wait_for_ready(4);
      for (const char* next : {"slow", "second", "third", "later group"}) CHECK(taken(compiling) == next);
    }
    SUBCASE("and nobody waits for one that is not ready") {
      for (const char* next : {"second", "third", "later group"}) CHECK(taken(compiling) == next);
      slow_may_end = true;
      CHECK(taken(compiling) == "slow");
    }
    CHECK(compiling.empty());
  }

  TEST_CASE("a reference whose compiler dies is compiled once more, and not again") {
    for (const int deaths : {1, 2}) {
      test::FakeCompilerLog log;
      std::atomic<int> begun = 0;
      const auto answer = [&](const model::CompileJob& job) {
        model::Compilation out = test::FakeCompiler::usual_answer(job);
        if (job.source[0].text == "reference" && ++begun <= deaths) out.status = model::TrialStatus::crashed;
        return out;
      };
      compile::CompilePool pool(1, [&] { return std::make_unique<test::FakeCompiler>(log, answer); });
      sweep::CompileAhead compiling(pool);
      sweep::Trial one = trial("first");
      one.reference = test::fake_job("reference");
      one.reference_key = one.reference->key();
      const auto compiled = compiling.compile_now(std::move(one));
      REQUIRE(compiled.reference);
      CHECK((compiled.reference->status == model::TrialStatus::ok) == (deaths == 1));
      CHECK(begun == 2);
    }
  }

  TEST_CASE("a trial waits for its reference, and comes with it") {
    test::FakeCompilerLog log;
    std::atomic<bool> reference_may_end = false;
    const auto answer = [&](const model::CompileJob& job) {
      while (job.source[0].text == "reference" && !reference_may_end) std::this_thread::sleep_for(1ms);
      return test::FakeCompiler::usual_answer(job);
    };
    compile::CompilePool pool(2, [&] { return std::make_unique<test::FakeCompiler>(log, answer); });
    sweep::CompileAhead compiling(pool);
    for (const char* text : {"first", "second"}) {
      sweep::Trial one = trial(text);
      one.reference = test::fake_job("reference");
      one.reference_key = one.reference->key();
      compiling.submit(std::move(one), {});
    }
    while (pool.stats().ready < 2) std::this_thread::sleep_for(1ms);
    CHECK_FALSE(compiling.take());
    reference_may_end = true;
    CHECK(taken(compiling) == "first");
    const auto second = compiling.take();
    REQUIRE(second);
    REQUIRE(second->reference);
    CHECK(second->reference->binary.size() == std::string("reference").size());
    CHECK(log.call_count() == 3);
  }

  TEST_CASE("a binary that killed its compiler is not compiled again, whichever trial wants it") {
    test::FakeCompilerLog log;
    const auto answer = [](const model::CompileJob& job) {
      model::Compilation compilation = test::FakeCompiler::usual_answer(job);
      if (job.source[0].text == "fatal") compilation.status = model::TrialStatus::crashed;
      return compilation;
    };
    compile::CompilePool pool(2, [&] { return std::make_unique<test::FakeCompiler>(log, answer); });
    sweep::CompileAhead compiling(pool);
    for (int i = 0; i < 2; ++i) {
      for (const char* text : {"fatal", "good"}) {
        compiling.submit(trial(text), {});
        std::optional<sweep::CompiledTrial> next;
        while (!next) next = compiling.take();
        CHECK(next->trial.record.kernel == text);
        CHECK(next->binary->status ==
              (std::string(text) == "fatal" ? model::TrialStatus::crashed : model::TrialStatus::ok));
      }
    }
    const auto fatal = std::count_if(log.calls.begin(), log.calls.end(),
                                     [](const auto& job) { return job.source[0].text == "fatal"; });
    CHECK(fatal == 1);
  }

  TEST_CASE("no more is compiled than 512 trials ahead of the device, and again once they are gone") {
    test::FakeCompilerLog log;
    compile::CompilePool pool(2, [&] { return std::make_unique<test::FakeCompiler>(log); });
    sweep::CompileAhead compiling(pool);
    constexpr std::int64_t many_left = 1'000'000;
    for (int i = 0; i < 512; ++i) {
      CHECK((i > 0 || compiling.wants_more(many_left)));
      compiling.submit(trial(std::to_string(i)), {});
    }
    for (int i = 0; i < 10'000 && compiling.wants_more(1); ++i) {
      std::this_thread::sleep_for(1ms);
      compiling.poll();
    }
    CHECK_FALSE(compiling.wants_more(many_left));
    CHECK_FALSE(compiling.wants_more(1));
    SUBCASE("taken") {
      CHECK(compiling.take());
    }
    SUBCASE("given up") {
      compiling.abandon();
      CHECK(compiling.empty());
    }
    CHECK(compiling.wants_more(many_left));
  }

  TEST_CASE("no more is compiled ahead than 256 MiB of binaries, and again once they are given up") {
    test::FakeCompilerLog log;
    const auto answer = [](const model::CompileJob& job) {
      model::Compilation compilation = test::FakeCompiler::usual_answer(job);
      compilation.binary.resize(std::size_t{64} << 20U);
      return compilation;
    };
    compile::CompilePool pool(2, [&] { return std::make_unique<test::FakeCompiler>(log, answer); });
    sweep::CompileAhead compiling(pool);
    for (const char* text : {"1", "2", "3", "4"}) {
      CHECK(compiling.wants_more(1));
      compiling.submit(trial(text), {});
    }
    while (pool.stats().ready < 4) std::this_thread::sleep_for(1ms);
    compiling.poll();
    CHECK_FALSE(compiling.wants_more(1));
    compiling.abandon();
    CHECK(compiling.wants_more(1));
  }
}
