// Whom a final finds fastest, whom it cannot tell from that, and whom it chooses.
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

namespace {

FinalOutcome final_with_baselines(NoisyGpu& gpu, const std::vector<double>& true_ns,
                                  const std::set<std::size_t>& baselines, std::uint64_t seed = 1) {
  measure::FinalTask task = task_of(true_ns.size(), seed);
  for (const std::size_t i : baselines) task.finalists[i].may_win = false;
  task.sample = [&](std::size_t finalist) { return gpu.sample(true_ns[finalist]); };
  return measure::Final(std::move(task)).run();
}

/// Of two, 0 is chosen by 1 %, too noisily for 1 to leave. Then 1 takes `confirmed_ns`, by turns so much more
/// and less than that, and 0 as long as before: 1 ms.
FinalOutcome contradicted(double confirmed_ns, double wobble_ns) {
  std::vector<int> samples(2);
  return final_of(2, [&](std::size_t finalist) -> Timing {
    const bool choosing = samples[finalist]++ < 40;
    const double sign = samples[finalist] % 2 == 0 ? -1 : 1;
    if (finalist == 0) return {1e6, 0};
    return {choosing ? 1.01e6 + sign * 0.03e6 : confirmed_ns + sign * wobble_ns, 0};
  });
}

/// How many of 100 finals of these two end tied.
int ties(const std::vector<double>& true_ns, const NoisyGpu::Weather& weather, const FinalPolicy& policy) {
  int tied = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    NoisyGpu gpu(seed, weather);
    const FinalOutcome outcome = final_on(gpu, true_ns, policy, seed);
    tied += outcome.standings[1 - outcome.fastest].tied ? 1 : 0;
  }
  return tied;
}

}  // namespace

TEST_SUITE("tuner::measure::Final") {
  TEST_CASE("two alike are tied and 1 % is found, whatever the weather") {
    const NoisyGpu::Weather calm = {.drift = 0, .outlier_share = 0};
    const NoisyGpu::Weather drifting = {.drift = 0.05, .drift_samples = 60, .outlier_share = 0};
    const NoisyGpu::Weather interrupted = {.outlier_share = 0.03};
    const NoisyGpu::Weather throttled = {.throttled_share = 0.05};
    for (const auto& weather : {calm, drifting, interrupted, throttled}) {
      CAPTURE(weather.drift);
      CAPTURE(weather.outlier_share);
      CAPTURE(weather.throttled_share);
      CHECK(ties({1e6, 1e6}, weather, standard()) >= 95);
      CHECK(ties({1e6, 1.01e6}, weather, standard()) <= 5);
      CHECK(ties({1.01e6, 1e6}, weather, standard()) <= 5);
    }
  }

  TEST_CASE("the other policies do not cry wolf either, and thorough finds less than half a percent") {
    CHECK(ties({1e6, 1e6}, {}, measure::policy("quick").final) >= 95);
    CHECK(ties({1e6, 1e6}, {}, measure::policy("thorough").final) >= 95);
    CHECK(ties({1e6, 1.005e6}, {}, measure::policy("thorough").final) <= 5);
  }

  TEST_CASE("of ten alike hardly ever one leaves or is told apart") {
    int left = 0;
    int told_apart = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      NoisyGpu gpu(seed);
      const FinalOutcome outcome = final_on(gpu, std::vector<double>(10, 1e6), standard(), seed);
      const auto& standings = outcome.standings;
      left += std::any_of(standings.begin(), standings.end(),
                          [](const auto& standing) { return standing.measurement.samples_ns.size() != 20; });
      told_apart += std::any_of(standings.begin(), standings.end(),
                                [](const auto& standing) { return !standing.tied; });
    }
    CHECK(left <= 5);
    CHECK(told_apart <= 5);
  }

  TEST_CASE("who is clearly slower leaves at the first look, and the rest is spent on the others") {
    NoisyGpu gpu(3);
    const FinalOutcome outcome = final_on(gpu, {1.08e6, 1.001e6, 1.05e6, 1e6});
    for (const std::size_t slow : {0U, 2U}) {
      CHECK(outcome.standings[slow].measurement.samples_ns.size() == 10);
      CHECK_FALSE(outcome.standings[slow].tied);
      CHECK(outcome.standings[slow].ratio_low > 1.03);
    }
    CHECK(outcome.standings[0].ratio == doctest::Approx(1.08).epsilon(0.01));
    CHECK(outcome.rounds == 60);
    CHECK(gpu.samples == 10 * 4 + 50 * 2);
  }

  TEST_CASE("choosing ends when one is left, which is then confirmed half as often") {
    NoisyGpu gpu(4);
    const FinalOutcome outcome = final_on(gpu, {1e6, 1.1e6, 1.1e6});
    CHECK(outcome.fastest == 0);
    CHECK(outcome.rounds == 10 + 10);
    CHECK(outcome.standings[0].ratio == 1);
    CHECK(outcome.standings[0].tied);
    CHECK(outcome.standings[0].measurement.samples_ns.size() == 10);
  }

  TEST_CASE("the winner's time is not flattered by having won") {
    double winner = 0;
    double lowest = 0;
    constexpr int finals = 100;
    for (std::uint64_t seed = 0; seed < finals; ++seed) {
      NoisyGpu gpu(seed, {.drift = 0, .outlier_share = 0});
      const FinalOutcome outcome = final_on(gpu, std::vector<double>(10, 1e6), standard(), seed);
      winner += outcome.standings[outcome.fastest].measurement.median_ns / 1e6 / finals;
      double least = 2;
      for (const auto& standing : outcome.standings)
        least = std::min(least, standing.measurement.median_ns / 1e6);
      lowest += least / finals;
    }
    CHECK(std::fabs(winner - 1) < 0.001);
    CHECK(lowest < 0.999);  // as taking the best of the same medians would have
  }

  TEST_CASE("where confirming contradicts choosing beyond doubt, it is believed") {
    const FinalOutcome outcome = contradicted(0.95e6, 0.001e6);
    CHECK(outcome.rounds == 60);
    CHECK(outcome.fastest == 1);
    CHECK(outcome.standings[1].ratio == 1);
    CHECK(outcome.standings[1].tied);
    CHECK(outcome.standings[0].ratio == doctest::Approx(1 / 0.95).epsilon(0.001));
    CHECK(outcome.standings[0].ratio_low > 1.05);
    CHECK_FALSE(outcome.standings[0].tied);
  }

  TEST_CASE("who was chosen stays the fastest where another is ahead only by its point estimate") {
    const FinalOutcome outcome = contradicted(0.99e6, 0.03e6);
    CHECK(outcome.standings[1].ratio < 0.995);
    CHECK(outcome.standings[1].ratio_high > 1);
    CHECK(outcome.fastest == 0);
    CHECK(outcome.standings[1].tied);
  }

  TEST_CASE("who may be faster by less than what counts as a difference is not believed either") {
    const FinalOutcome outcome = contradicted(0.9985e6, 0.0015e6);
    CHECK(outcome.standings[1].ratio < 0.999);
    CHECK(outcome.standings[1].ratio_high > 0.999);
    CHECK(outcome.standings[1].ratio_high < 1);
    CHECK(outcome.fastest == 0);
  }

  TEST_CASE("of several that contradict the choice the one that is surely fastest is believed") {
    for (const bool last : {false, true}) {
      std::vector<int> samples(3);
      const FinalOutcome outcome = final_of(3, [&](std::size_t finalist) -> Timing {
        const bool choosing = samples[finalist]++ < 40;
        const double wobble = samples[finalist] % 2 == 0 ? -0.03e6 : 0.03e6;
        if (finalist == 0) return {1e6, 0};
        if (choosing) return {1.01e6 + wobble, 0};
        return {(finalist == 1) == last ? 0.95e6 : 0.9e6, 0};
      });
      CHECK(outcome.fastest == (last ? 2 : 1));
    }
  }

  TEST_CASE("a baseline that is faster than all takes part to the end, and is neither fastest nor tied") {
    NoisyGpu gpu(11, {.drift = 0, .outlier_share = 0});
    const std::vector<double> true_ns = {0.9e6, 1e6, 1.05e6, 1e6, 1.5e6};
    const FinalOutcome outcome = final_with_baselines(gpu, true_ns, {0, 4});
    CHECK((outcome.fastest == 1 || outcome.fastest == 3));
    CHECK(outcome.standings[1].tied);
    CHECK(outcome.standings[3].tied);
    CHECK_FALSE(outcome.standings[0].tied);
    CHECK(outcome.standings[0].ratio == doctest::Approx(0.9).epsilon(0.01));
    for (const std::size_t stays : {0U, 1U, 3U, 4U})
      CHECK(outcome.standings[stays].measurement.samples_ns.size() == 20);
    CHECK(outcome.standings[2].measurement.samples_ns.size() == 10);
  }

  TEST_CASE("a baseline that confirming shows to be faster takes nothing from the winner") {
    std::vector<int> samples(2);
    measure::FinalTask task = task_of(2);
    task.finalists[1].may_win = false;
    task.sample = [&](std::size_t finalist) -> Timing {
      return {finalist == 1 && samples[finalist]++ < 3 ? 1.2e6 : finalist == 1 ? 0.8e6 : 1e6, 0};
    };
    const FinalOutcome outcome = measure::Final(std::move(task)).run();
    CHECK(outcome.fastest == 0);
    CHECK(outcome.standings[1].ratio_high < 0.9);
    CHECK_FALSE(outcome.standings[1].tied);
  }

  TEST_CASE("one rival beside a baseline needs no choosing, and is told apart from it in all rounds") {
    NoisyGpu gpu(12);
    const FinalOutcome outcome = final_with_baselines(gpu, {1e6, 1e6}, {1});
    CHECK(outcome.fastest == 0);
    CHECK(outcome.rounds == 20);
    CHECK(gpu.samples == 2 * 20);
  }

  TEST_CASE("nobody leaves who is slower by no more than what counts as a difference, however surely") {
    const FinalOutcome outcome = final_of(2, [](std::size_t finalist) {
      return Timing{finalist == 0 ? 1e6 : 1.0009e6, 0};
    });
    CHECK(outcome.rounds == 60);
    CHECK(outcome.standings[1].measurement.samples_ns.size() == 20);
    CHECK(outcome.standings[1].tied);
  }

  TEST_CASE("without rounds of choosing the first that may win is held against the others") {
    measure::FinalTask task = task_of(3);
    task.policy.choosing_rounds = 0;
    task.finalists[0].may_win = false;
    task.sample = [](std::size_t) { return Timing{1e6, 0}; };
    const FinalOutcome outcome = measure::Final(std::move(task)).run();
    CHECK(outcome.fastest == 1);
    CHECK(outcome.rounds == 20);
  }

  TEST_CASE("the fastest is who takes least a launch, not who has the shortest samples") {
    measure::FinalTask task = task_of(2);
    task.finalists[0].launches_per_sample = 10;
    task.finalists[1].launches_per_sample = 40;
    int samples = 0;
    task.sample = [&](std::size_t finalist) -> Timing {
      if (finalist == 0) return {1e6, 0};
      return {samples++ < 40 ? 3e6 : 4e6, 0};  // confirming sees no difference, so the choice stands
    };
    const FinalOutcome outcome = measure::Final(std::move(task)).run();
    CHECK(outcome.fastest == 1);
    CHECK_FALSE(outcome.standings[0].tied);
  }

  TEST_CASE("an interval holds for all rivals at once: the more there are the wider it is") {
    const auto width = [](std::size_t finalists) {
      std::vector<int> samples(finalists);
      const FinalOutcome outcome = final_of(finalists, [&](std::size_t finalist) -> Timing {
        const double wobble = 0.001e6 * (samples[finalist]++ * 7 % 20);
        return {1e6 + (finalist == 1 ? wobble : 0), 0};
      });
      return outcome.standings[1].ratio_high - outcome.standings[1].ratio_low;
    };
    CHECK(width(10) > 1.3 * width(2));
  }

  TEST_CASE("whatever the times, a final crowns nobody who is surely slower, and its figures agree") {
    const NoisyGpu::Weather weathers[] = {
        {}, {.drift = 0.05, .drift_samples = 60}, {.outlier_share = 0.03}, {.throttled_share = 0.05}};
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      std::vector<double> true_ns(2 + random() % 8);
      for (double& time : true_ns) time = 1e6 * (1 + 0.002 * static_cast<double>(random() % 40));
      std::set<std::size_t> baselines;
      for (std::size_t i = 1; i < true_ns.size(); ++i)
        if (random() % 4 == 0) baselines.insert(i);
      double best_ns = true_ns[0];
      for (std::size_t i = 0; i < true_ns.size(); ++i)
        if (!baselines.contains(i)) best_ns = std::min(best_ns, true_ns[i]);
      NoisyGpu gpu(seed, weathers[seed % 4]);
      const FinalOutcome outcome = final_with_baselines(gpu, true_ns, baselines, seed);
      REQUIRE(outcome.complete());
      CHECK_FALSE(baselines.contains(outcome.fastest));
      CHECK(true_ns[outcome.fastest] <= 1.01 * best_ns);
      CHECK(outcome.standings[outcome.fastest].ratio == 1);
      for (std::size_t i = 0; i < true_ns.size(); ++i) {
        CAPTURE(i);
        const auto& standing = outcome.standings[i];
        CHECK(standing.ratio_low <= standing.ratio);
        CHECK(standing.ratio_high >= standing.ratio);
        CHECK_FALSE((standing.tied && baselines.contains(i)));
        // 3 % are six standard errors of the ratio, and more.
        if (true_ns[i] > 1.03 * true_ns[outcome.fastest]) CHECK_FALSE(standing.tied);
        CHECK(standing.ratio == doctest::Approx(true_ns[i] / true_ns[outcome.fastest]).epsilon(0.012));
      }
    }
  }
}
