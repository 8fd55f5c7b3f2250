#include "tuner/compile/compile_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "tests/support/fake_compiler.hpp"
#include "tuner/model/error.hpp"

using namespace std::chrono_literals;
using tuner::compile::CompilePool;
using tuner::compile::PoolLimits;
using tuner::model::Compilation;
using tuner::model::CompileJob;
using tuner::test::fake_job;
using tuner::test::FakeCompiler;
using tuner::test::FakeCompilerLog;

namespace {

CompilePool::Factory fakes(FakeCompilerLog& log, FakeCompiler::Answer answer = FakeCompiler::usual_answer) {
  return [&log, answer] { return std::make_unique<FakeCompiler>(log, answer); };
}

std::string text_of(const Compilation& compilation) {
  std::string text;
  for (const std::byte byte : compilation.binary) text += static_cast<char>(byte);
  return text;
}

/// Waits until the pool has come to rest: nothing more can be started.
template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

}  // namespace

static_assert(!std::is_copy_constructible_v<CompilePool>);
static_assert(std::is_nothrow_destructible_v<CompilePool>);

TEST_SUITE_BEGIN("tuner::compile::CompilePool");

TEST_CASE("every submission gets its own result under its ticket") {
  FakeCompilerLog log;
  CompilePool pool(3, fakes(log));
  std::set<CompilePool::Ticket> tickets;
  std::vector<std::string> wanted(21);
  for (int i = 0; i < 20; ++i) {
    const std::string text = "source " + std::to_string(i);
    const CompilePool::Ticket ticket = pool.submit(fake_job(text));
    REQUIRE(ticket < wanted.size());
    wanted[ticket] = text;
    tickets.insert(ticket);
  }
  CHECK(pool.outstanding() == 20);
  while (const auto finished = pool.take()) {
    CHECK(text_of(*finished->compilation) == wanted[finished->ticket]);
    CHECK(tickets.erase(finished->ticket) == 1);
  }
  CHECK(tickets.empty());
  CHECK(pool.outstanding() == 0);
  CHECK(pool.stats().compiled == 20);
  CHECK_FALSE(pool.take().has_value());
}

TEST_CASE("compilations run at once, one a worker") {
  FakeCompilerLog log;
  log.hold(true);
  CompilePool pool(4, fakes(log));
  for (int i = 0; i < 8; ++i) pool.submit(fake_job(std::to_string(i)));
  log.wait_for_calls(4);
  CHECK(pool.stats().running == 4);
  CHECK(pool.stats().pending == 4);
  log.hold(false);
  int taken = 0;
  while (pool.take()) ++taken;
  CHECK(taken == 8);
  CHECK(log.most_running == 4);
}

TEST_CASE("equal jobs share one compilation while it is pending, running or waiting to be taken") {
  FakeCompilerLog log;
  log.hold(true);
  CompilePool pool(1, fakes(log));
  const auto running = pool.submit(fake_job("same"));
  log.wait_for_calls(1);
  pool.submit(fake_job("other"));
  const auto joined_running = pool.submit(fake_job("same"));
  pool.submit(fake_job("other"));
  CHECK(pool.stats().shared == 2);
  log.hold(false);
  REQUIRE(eventually([&] { return pool.stats().ready == 2; }));
  const auto joined_ready = pool.submit(fake_job("same"));

  std::set<CompilePool::Ticket> same;
  std::set<const Compilation*> results;
  int taken = 0;
  while (const auto finished = pool.take()) {
    ++taken;
    if (text_of(*finished->compilation) != "same") continue;
    same.insert(finished->ticket);
    results.insert(finished->compilation.get());
  }
  CHECK(taken == 5);
  CHECK(same == std::set<CompilePool::Ticket>{running, joined_running, joined_ready});
  CHECK(results.size() == 1);
  CHECK(log.call_count() == 2);
}

TEST_CASE("vocabulary is no part of a job's identity") {
  FakeCompilerLog log;
  log.hold(true);
  CompilePool pool(1, fakes(log));
  CompileJob job = fake_job("same");
  pool.submit(job);
  job.vocabulary = {{"PARTITION_row", "17"}};
  pool.submit(job);
  log.hold(false);
  while (pool.take()) {
  }
  CHECK(log.call_count() == 1);
}

TEST_CASE("compiling does not run further ahead than the limit by count") {
  FakeCompilerLog log;
  CompilePool pool(4, fakes(log), PoolLimits{3, std::size_t{1} << 30U});
  for (int i = 0; i < 50; ++i) pool.submit(fake_job(std::to_string(i)));
  REQUIRE(eventually([&] { return pool.stats().ready == 3 && pool.stats().running == 0; }));
  std::this_thread::sleep_for(20ms);
  CHECK(log.call_count() == 3);
  int taken = 0;
  while (pool.take()) {
    ++taken;
    CHECK(pool.stats().ready + static_cast<std::size_t>(pool.stats().running) <= 3);
  }
  CHECK(taken == 50);
}

TEST_CASE("compiling does not run further ahead than the limit by bytes, plus one a worker") {
  FakeCompilerLog log;
  const auto large = [](const CompileJob& job) {
    Compilation compilation = FakeCompiler::usual_answer(job);
    compilation.binary.resize(100'000);
    return compilation;
  };
  CompilePool pool(2, fakes(log, large), PoolLimits{1000, 250'000});
  for (int i = 0; i < 40; ++i) pool.submit(fake_job(std::to_string(i)));
  REQUIRE(eventually([&] { return pool.stats().ready_bytes >= 250'000 && pool.stats().running == 0; }));
  std::this_thread::sleep_for(20ms);
  CHECK(log.call_count() <= 4);
  int taken = 0;
  while (pool.take()) ++taken;
  CHECK(taken == 40);
  CHECK(pool.stats().ready_bytes == 0);
}

TEST_CASE("a limit smaller than one binary still lets one through at a time") {
  FakeCompilerLog log;
  CompilePool pool(2, fakes(log), PoolLimits{0, 0});
  for (int i = 0; i < 5; ++i) pool.submit(fake_job(std::to_string(i)));
  int taken = 0;
  while (pool.take()) ++taken;
  CHECK(taken == 5);
}

TEST_CASE("cancelling wakes whoever waits and forgets what was not started") {
  FakeCompilerLog log;
  log.hold(true);
  CompilePool pool(1, fakes(log));
  for (int i = 0; i < 10; ++i) pool.submit(fake_job(std::to_string(i)));
  log.wait_for_calls(1);
  std::optional<CompilePool::Finished> got;
  std::thread waiting([&] { got = pool.take(); });
  std::this_thread::sleep_for(5ms);
  pool.cancel();
  waiting.join();
  CHECK_FALSE(got.has_value());
  CHECK(pool.outstanding() == 0);
  CHECK_THROWS_AS(pool.submit(fake_job("late")), tuner::model::Error);
  log.hold(false);
  REQUIRE(eventually([&] { return pool.stats().running == 0; }));
  CHECK(pool.stats().ready == 0);
  CHECK(log.call_count() == 1);
}

TEST_CASE("a pool with work left is destroyed after the compilation in hand, not after all") {
  FakeCompilerLog log;
  {
    CompilePool pool(2, fakes(log, [](const CompileJob& job) {
                       std::this_thread::sleep_for(5ms);
                       return FakeCompiler::usual_answer(job);
                     }));
    for (int i = 0; i < 1000; ++i) pool.submit(fake_job(std::to_string(i)));
    log.wait_for_calls(2);
  }
  CHECK(log.call_count() < 100);
  CHECK(log.running == 0);
}

TEST_CASE("taking with a limit of patience returns empty-handed, and the result comes later") {
  FakeCompilerLog log;
  log.hold(true);
  CompilePool pool(1, fakes(log));
  pool.submit(fake_job("slow"));
  CHECK_FALSE(pool.take_for(2ms).has_value());
  CHECK(pool.outstanding() == 1);
  log.hold(false);
  CHECK(pool.take_for(10s).has_value());
}

TEST_CASE("a compiler that cannot be made ends the pool with its error") {
  CompilePool pool(2, []() -> std::unique_ptr<tuner::compile::Compiler> {
    throw tuner::model::Error("no such compiler", "", tuner::model::ExitCode::no_device);
  });
  pool.submit(fake_job("a"));
  CHECK_THROWS_WITH_AS(pool.take(), "no such compiler", tuner::model::Error);
  CHECK_THROWS_AS(pool.take(), tuner::model::Error);
  CHECK_THROWS_WITH_AS(pool.submit(fake_job("b")), "no such compiler", tuner::model::Error);
}

TEST_CASE("a failed compilation is a result like any other") {
  FakeCompilerLog log;
  CompilePool pool(1, fakes(log, [](const CompileJob&) {
                     Compilation compilation;
                     compilation.status = tuner::model::TrialStatus::compile_error;
                     compilation.log = "main.cu(1): error";
                     return compilation;
                   }));
  pool.submit(fake_job("bad"));
  const auto finished = pool.take();
  REQUIRE(finished.has_value());
  CHECK(finished->compilation->status == tuner::model::TrialStatus::compile_error);
}

TEST_CASE("each compiler is made, used and destroyed on one thread") {
  struct Bound final : tuner::compile::Compiler {
    explicit Bound(std::atomic<int>& w) : wrong(w) {}
    ~Bound() override { check(); }
    void check() {
      if (std::this_thread::get_id() != home) ++wrong;
    }
    std::string name() const override { return "fake 1.0"; }
    Compilation compile(const CompileJob& job) override {
      check();
      return FakeCompiler::usual_answer(job);
    }
    std::atomic<int>& wrong;
    std::thread::id home = std::this_thread::get_id();
  };
  std::atomic<int> wrong{0};
  {
    CompilePool pool(3, [&] { return std::make_unique<Bound>(wrong); });
    for (int i = 0; i < 30; ++i) pool.submit(fake_job(std::to_string(i)));
    while (pool.take()) {
    }
  }
  CHECK(wrong == 0);
}

namespace {

/// Compiles `quick` at once and everything else until it is abandoned.
class EndlessCompiler final : public tuner::compile::Compiler {
 public:
  std::string name() const override { return "endless"; }
  Compilation compile(const CompileJob&) override { return {}; }
  Compilation compile_unless(const CompileJob& job, const std::atomic<bool>& abandoned) override {
    while (job.source[0].text != "quick" && !abandoned)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }
};

}  // namespace

TEST_CASE("abandoned compilations end, are never delivered, and the pool goes on") {
  CompilePool pool(2, [] { return std::make_unique<EndlessCompiler>(); });
  pool.submit(fake_job("one"));
  pool.submit(fake_job("two"));
  pool.submit(fake_job("three"));
  while (pool.stats().running < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  pool.abandon();
  CHECK(pool.outstanding() == 0);
  const auto ticket = pool.submit(fake_job("quick"));
  const auto finished = pool.take();
  REQUIRE(finished);
  CHECK(finished->ticket == ticket);
  CHECK_FALSE(pool.take());
  pool.submit(fake_job("four"));
  pool.cancel();  // and the destructor waits for nobody
}

TEST_SUITE_END();
