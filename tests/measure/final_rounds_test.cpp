// The rounds of a final: their order, their clock and their end.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

#include "tests/measure/finals.hpp"

namespace measure = tuner::measure;
using tests::final_of;
using tests::final_on;
using tests::NoisyGpu;
using tests::standard;
using tests::task_of;
using tuner::device::Timing;
using tuner::model::FinalOutcome;
using tuner::model::FinalPolicy;

TEST_SUITE("tuner::measure::Final, rounds") {
  TEST_CASE("looks come after the 10th round, after each 5th behind it, and after the last") {
    const auto rounds_until_it_leaves = [](int choosing_rounds) {
      FinalPolicy policy = standard();
      policy.choosing_rounds = choosing_rounds;
      int samples = 0;
      const FinalOutcome outcome = final_of(
          2,
          [&](std::size_t finalist) -> Timing {
            if (finalist == 0) return {1e6, 0};
            // 3 % slower by six standard errors from the 12th round on, not from the 10th.
            return {1.03e6 + (samples++ % 2 == 0 ? 9150 : -9150), 0};
          },
          policy);
      return outcome.standings[1].measurement.samples_ns.size();
    };
    CHECK(rounds_until_it_leaves(40) == 15);
    CHECK(rounds_until_it_leaves(12) == 12);
  }

  TEST_CASE("who is alone is sampled half as often, yet often enough for an interval") {
    const auto rounds = [](const FinalPolicy& policy) {
      return final_of(
                 1,
                 [](std::size_t) {
                   return Timing{1e6, 0};
                 },
                 policy)
          .rounds;
    };
    CHECK(rounds(standard()) == 10);
    CHECK(rounds(measure::policy("quick").final) == 6);
    CHECK(rounds(measure::policy("thorough").final) == 30);
  }

  TEST_CASE("two finalists do not always change places: who went first may go first again") {
    std::vector<std::size_t> first;
    bool is_new = false;
    measure::FinalTask task = task_of(2);
    task.begin_round = [&] { is_new = true; };
    task.sample = [&](std::size_t finalist) {
      if (std::exchange(is_new, false)) first.push_back(finalist);
      return Timing{1e6, 0};
    };
    measure::Final(std::move(task)).run();
    int same = 0;
    for (std::size_t i = 1; i < first.size(); ++i) same += first[i] == first[i - 1] ? 1 : 0;
    CHECK(same > 10);
    CHECK(same < 50);
  }

  TEST_CASE("each round has everyone once, in an order of its own, and is announced") {
    std::vector<std::vector<std::size_t>> rounds;
    measure::FinalTask task;
    task.policy.choosing_rounds = 9;
    task.finalists.resize(5);
    task.begin_round = [&] { rounds.emplace_back(); };
    task.sample = [&](std::size_t finalist) {
      rounds.back().push_back(finalist);
      return Timing{1e6, 0};
    };
    CHECK(measure::Final(std::move(task)).run().rounds == 29);
    CHECK(rounds.size() == 29);
    std::set<std::vector<std::size_t>> orders(rounds.begin(), rounds.end());
    CHECK(orders.size() > 20);
    for (const auto& round : rounds) CHECK(std::set<std::size_t>(round.begin(), round.end()).size() == 5);
  }

  TEST_CASE("times are told per launch, though a sample has many") {
    measure::FinalTask task;
    task.finalists = {{50, 1}, {40, 2}};
    task.sample = [](std::size_t finalist) { return Timing{finalist == 0 ? 500e3 : 480e3, 1900}; };
    const FinalOutcome outcome = measure::Final(std::move(task)).run();
    CHECK(outcome.fastest == 0);
    CHECK(outcome.standings[0].measurement.median_ns == doctest::Approx(10e3));
    CHECK(outcome.standings[0].measurement.launches_per_sample == 50);
    CHECK(outcome.standings[0].measurement.sm_clock_mhz == 1900);
    CHECK(outcome.standings[1].measurement.median_ns == doctest::Approx(12e3));
    CHECK(outcome.standings[1].ratio == doctest::Approx(1.2));
  }

  TEST_CASE("a throttled sample costs its round, and nobody's figures have it") {
    NoisyGpu gpu(5, {.throttled_share = 0.05});
    const FinalOutcome outcome = final_on(gpu, {1e6, 1e6});
    CHECK(outcome.throttled_rounds > 0);
    CHECK(outcome.rounds == 60);
    int counted = 0;
    for (const auto& standing : outcome.standings) {
      const auto& samples = standing.measurement.samples_ns;
      CHECK(*std::max_element(samples.begin(), samples.end()) < 1.5e6);
      CHECK(standing.measurement.sm_clock_mhz == doctest::Approx(0.95 * NoisyGpu::max_clock_mhz));
      counted += standing.measurement.throttled_samples;
    }
    CHECK(counted >= outcome.throttled_rounds);
  }

  TEST_CASE("a winner that runs alone at a lower clock than it won with rests, and is timed at that again") {
    int samples = 0;
    int rested = 0;
    int most_rests = 3;
    measure::FinalTask task = task_of(2);
    task.sample = [&](std::size_t finalist) -> Timing {
      const bool alone = ++samples > 2 * 10;
      const double clock = alone && rested < most_rests ? 0.82 : 1;
      const double true_ns = finalist == 0 ? 1e6 : 1.2e6;
      return {true_ns * (1 + 1e-4 * (samples % 7)) / clock, clock * 0.99 * NoisyGpu::max_clock_mhz};
    };
    task.rest = [&] { ++rested; };
    SUBCASE("it recovers") {
      const FinalOutcome outcome = measure::Final(std::move(task)).run();
      CHECK(rested == 3);
      CHECK(outcome.throttled_rounds == 3);
      CHECK(outcome.standings[0].measurement.median_ns == doctest::Approx(1e6).epsilon(0.01));
    }
    SUBCASE("it does not, and there is an end all the same") {
      most_rests = 1000;
      const FinalOutcome outcome = measure::Final(std::move(task)).run();
      CHECK(rested == standard().confirming_rounds);
      CHECK(outcome.standings[0].measurement.median_ns == doctest::Approx(1e6 / 0.82).epsilon(0.01));
      CHECK(outcome.standings[0].measurement.throttled_samples > 0);
    }
  }

  TEST_CASE("where every sample is throttled there is an end, and what there is is told") {
    NoisyGpu gpu(6, {.throttled_share = 1});
    const FinalOutcome outcome = final_on(gpu, {1e6, 1e6});
    CHECK(outcome.complete());
    CHECK(outcome.throttled_rounds == 20);
    CHECK(outcome.rounds == 60);
    CHECK(outcome.standings[0].measurement.samples_ns.size() == 20);
    CHECK(outcome.standings[0].measurement.throttled_samples == 80);
  }

  TEST_CASE("each part ends when its time is spent, confirming not before it can tell two apart") {
    FinalPolicy policy = standard();
    policy.time_limit_ns = 25e6;
    const auto constant = [](double ns) { return [ns](std::size_t) { return Timing{ns, 0}; }; };
    CHECK(final_of(2, constant(1e6), policy).rounds == 13 + 13);
    CHECK(final_of(2, constant(10e6), policy).rounds == 2 + 6);
    CHECK(final_of(2, constant(1e9), policy).rounds == 1 + 6);
    CHECK(final_of(1, constant(10e6), policy).rounds == 3);
    CHECK(final_of(1, constant(1e9), policy).rounds == 1);
  }

  TEST_CASE("one finalist is the fastest, and gets its figures") {
    NoisyGpu gpu(7);
    const FinalOutcome outcome = final_on(gpu, {1e6});
    CHECK(outcome.rounds == 10);
    CHECK(outcome.standings.size() == 1);
    CHECK(outcome.standings[0].tied);
  }

  TEST_CASE("the same seed and times give the same outcome") {
    std::map<std::uint64_t, double> lows;
    for (const std::uint64_t seed : {8U, 8U, 9U}) {
      NoisyGpu gpu(10);
      const FinalOutcome outcome = final_on(gpu, {1e6, 1.002e6}, standard(), seed);
      const double low = outcome.standings[1].ratio_low + outcome.standings[0].ratio_low;
      const auto [known, is_new] = lows.emplace(seed, low);
      if (!is_new) CHECK(known->second == low);
    }
    CHECK(lows[8] != lows[9]);
  }

  TEST_CASE("what a sample throws ends the final") {
    CHECK_THROWS_AS(final_of(2, [](std::size_t) -> Timing { throw std::runtime_error("lost"); }),
                    std::runtime_error);
  }
}
