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
  std::optional<sweep::Compiled> next;
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
}
