#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "tests/support/fake_compiler.hpp"
#include "tuner/compile/compile_pool.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/sweep/compile_ahead.hpp"

using namespace tuner;
using sweep::CompileTimes;

namespace {

model::Configuration configuration(std::int64_t unroll, std::int64_t tile) {
  return model::Configuration({{"UNROLL", model::Value(unroll)}, {"TILE", model::Value(tile)}});
}

struct Job {
  model::Configuration configuration;
  double ms = 0;
};

/// 44 configurations whose compilers take from 20 ms to 1.8 s: long where much is unrolled, and 20 % luck.
std::vector<Job> jobs(std::uint64_t seed) {
  search::RandomSource random(seed);
  std::vector<Job> all;
  for (std::int64_t unroll = 1; unroll <= 1024; unroll *= 2) {
    for (const std::int64_t tile : {16, 32, 64, 128}) {
      const double luck = 0.8 + 0.4 * static_cast<double>(random.below(1000)) / 1000;
      const double ms = 60 * (1 + std::log2(unroll)) * static_cast<double>(tile) / 48;
      all.push_back({configuration(unroll, tile), ms * luck});
    }
  }
  for (std::size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[random.below(left)]);
  return all;
}

using Choose = std::function<std::size_t(const std::vector<Job>& pending, CompileTimes& times)>;

/// When the last of `workers` is done, each taking what `choose` says as soon as it is free.
double makespan_ms(std::vector<Job> pending, std::size_t workers, CompileTimes times, const Choose& choose) {
  struct Running {
    double end_ms;
    Job job;
  };
  std::vector<Running> running;
  double now_ms = 0;
  const auto earlier = [](const Running& a, const Running& b) { return a.end_ms < b.end_ms; };
  while (!pending.empty() || !running.empty()) {
    while (running.size() < workers && !pending.empty()) {
      const std::size_t next = choose(pending, times);
      running.push_back({now_ms + pending[next].ms, pending[next]});
      pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(next));
    }
    const auto first = std::min_element(running.begin(), running.end(), earlier);
    now_ms = first->end_ms;
    times.learn("kernel", first->job.configuration, first->job.ms);
    running.erase(first);
  }
  return now_ms;
}

std::size_t as_they_come(const std::vector<Job>&, CompileTimes&) {
  return 0;
}

std::size_t longest_expected(const std::vector<Job>& pending, CompileTimes& times) {
  const auto longest = std::max_element(pending.begin(), pending.end(), [&](const Job& a, const Job& b) {
    return times.expected_ms("kernel", a.configuration) < times.expected_ms("kernel", b.configuration);
  });
  return static_cast<std::size_t>(longest - pending.begin());
}

struct Ratios {
  double mean = 0;
  double worst = 0;
};

/// Makespan by expected time over makespan as they come, over 100 orders.
Ratios ratios(std::size_t workers, const std::function<CompileTimes(std::uint64_t seed)>& known_before) {
  Ratios out;
  constexpr int seeds = 100;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto all = jobs(seed);
    const double plain = makespan_ms(all, workers, {}, as_they_come);
    const double ratio = makespan_ms(all, workers, known_before(seed), longest_expected) / plain;
    out.mean += ratio / seeds;
    out.worst = std::max(out.worst, ratio);
  }
  return out;
}

}  // namespace

TEST_SUITE("tuner::sweep::CompileTimes") {
  TEST_CASE("what lengthened some compilations is expected to lengthen others") {
    CompileTimes times;
    CHECK(times.expected_ms("kernel", configuration(8, 8)) == 0);
    for (const std::int64_t unroll : {1, 2, 4}) {
      for (const std::int64_t tile : {16, 32, 64}) {
        if (unroll == 4 && tile == 64) continue;
        const auto ms = static_cast<double>(10 * unroll * tile);
        for (int i = 0; i < 5; ++i) times.learn("kernel", configuration(unroll, tile), ms);
      }
    }
    // Never seen together.
    CHECK(times.expected_ms("kernel", configuration(4, 64)) == doctest::Approx(2560).epsilon(0.25));
    CHECK(times.expected_ms("kernel", configuration(4, 64)) >
          times.expected_ms("kernel", configuration(4, 32)));
    CHECK(times.expected_ms("kernel", configuration(4, 64)) >
          times.expected_ms("kernel", configuration(2, 64)));
    CHECK(times.expected_ms("another", configuration(4, 64)) == 0);
    const std::size_t known = times.known();
    times.learn("kernel", configuration(1, 16), 0);  // from a cache
    CHECK(times.known() == known);
  }

  TEST_CASE("a short list of compilations ends sooner with the long ones first, and never much later") {
    const auto nothing = [](std::uint64_t) { return CompileTimes(); };
    // Another luck: the same kernel for another size or device.
    const auto other_times = [](std::uint64_t seed) {
      CompileTimes times;
      for (const Job& job : jobs(seed + 1000)) times.learn("kernel", job.configuration, job.ms);
      return times;
    };
    for (const auto& [workers, most_warm] :
         {std::pair<std::size_t, double>(2, 0.98), {8, 0.85}, {16, 0.85}}) {
      CAPTURE(workers);
      const Ratios cold = ratios(workers, nothing);
      const Ratios warm = ratios(workers, other_times);
      MESSAGE(
          fmt::format("{} workers: {:.2f} of the time (worst {:.2f}) with nothing known before, {:.2f} "
                      "(worst {:.2f}) with other times known",
                      workers, cold.mean, cold.worst, warm.mean, warm.worst));
      CHECK(warm.mean < most_warm);
      CHECK(warm.worst < 1.05);
      CHECK(cold.mean < 1.0);
      CHECK(cold.worst < 1.25);
    }
  }

  TEST_CASE("the pool begins what is expected to take longest, and keeps its order else") {
    test::FakeCompilerLog log;
    log.hold(true);
    compile::CompilePool pool(1, [&] { return std::make_unique<test::FakeCompiler>(log); });
    std::map<compile::CompilePool::Ticket, double> expected_ms;
    pool.submit(test::fake_job("begun"));
    log.wait_for_calls(1);
    pool.submit(test::fake_job("unknown 1"));
    expected_ms[pool.submit(test::fake_job("short"))] = 10;
    expected_ms[pool.submit(test::fake_job("long"))] = 1000;
    pool.submit(test::fake_job("unknown 2"));
    expected_ms[pool.submit(test::fake_job("long too"))] = 1000;
    pool.start_longest_first(expected_ms);
    pool.submit(test::fake_job("later"));
    log.hold(false);
    while (pool.take()) {
    }
    std::string order;
    for (const model::CompileJob& job : log.calls) order += job.source[0].text + ", ";
    CHECK(order == "begun, long, long too, short, unknown 1, unknown 2, later, ");
  }
}
