#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/measure/trial_fixture.hpp"
#include "tuner/measure/sampler.hpp"

using tests::TrialFixture;
using tuner::measure::EnergyMeter;
using tuner::model::Energy;
using tuner::model::Objective;
using tuner::model::TrialPhase;
using tuner::model::TrialStatus;

namespace {

constexpr double idle_w = 80;

/// A device on which each kernel draws a power of its own while it runs. Its counter changes only every
/// 20 ms.
struct Powered : TrialFixture {
  Powered() {
    joules = [this]() -> std::optional<double> {
      script.clock_ns += answer_ns;
      const double now = script.clock_ns * 1e-9 * idle_w + above_idle_j;
      const auto step = static_cast<int>(script.clock_ns / 20e6);
      if (step != m_step && !is_stuck) m_seen = now;
      m_step = step;
      return m_seen;
    };
    script.time_ns = [this](const std::string& symbol, int) {
      const double ns = times_ns.contains(symbol) ? times_ns.at(symbol) : 1e6;
      const double drawn_w = watts.contains(symbol) ? watts.at(symbol) : 400;
      above_idle_j += ns * 1e-9 * (drawn_w - idle_w);
      script.clock_ns += host_ns;
      return ns;
    };
    script.sm_clock_mhz = [](int) { return 1500; };
    for (const std::string name : {"fast", "thrifty"}) script.kernels[name] = twice;
    times_ns["thrifty"] = 1.05e6;
    watts["thrifty"] = 300;
  }

  tuner::model::FinalJob final_job() {
    tuner::model::FinalJob final;
    for (const std::string name : {"fast", "thrifty"}) {
      auto trial = job();
      trial.kernels[0].symbol = name;
      trial.policy.energy = true;
      final.trials.push_back(trial);
    }
    return final;
  }
  static tuner::model::TrialJob job_by(Objective objective) {
    auto trial = job();
    trial.policy.objective = objective;
    return trial;
  }

  std::map<std::string, double> times_ns;
  std::map<std::string, double> watts;
  double above_idle_j = 0;
  bool is_stuck = false;
  double answer_ns = 0;  ///< that asking the counter takes
  double host_ns = 0;    ///< that the host takes between launches

 private:
  double m_seen = 0;
  int m_step = -1;
};

}  // namespace

TEST_SUITE("tuner::measure energy") {
  TEST_CASE_FIXTURE(Powered, "finalists' energy is measured in turn, with its interval and the idle power") {
    const auto outcome = runner().run_final(final_job());
    REQUIRE(outcome.complete());
    CHECK(outcome.fastest == 0);
    const auto& fast = outcome.standings[0].energy;
    const auto& thrifty = outcome.standings[1].energy;
    REQUIRE(fast);
    REQUIRE(thrifty);
    CHECK(fast->mean_j == doctest::Approx(0.4).epsilon(0.02));
    CHECK(thrifty->mean_j == doctest::Approx(0.315).epsilon(0.02));
    CHECK(fast->idle_w == doctest::Approx(idle_w).epsilon(0.02));
    CHECK(fast->mean_ns == doctest::Approx(1e6));
    CHECK(fast->watts() == doctest::Approx(400).epsilon(0.02));
    CHECK(fast->clock_mhz == doctest::Approx(1500));
    CHECK(fast->runs == EnergyMeter::runs);
    CHECK(fast->low_j <= fast->mean_j);
    CHECK(fast->high_j >= fast->mean_j);
    CHECK(thrifty->high_j < fast->low_j);
  }

  TEST_CASE_FIXTURE(Powered, "what the device takes while it waits for the host is not the kernel's") {
    answer_ns = 1e6;
    host_ns = 0.5e6;
    const auto outcome = runner().run_final(final_job());
    REQUIRE(outcome.standings[0].energy);
    CHECK(outcome.standings[0].energy->mean_j == doctest::Approx(0.4).epsilon(0.01));
    CHECK(outcome.standings[1].energy->mean_j == doctest::Approx(0.315).epsilon(0.01));
  }

  TEST_CASE_FIXTURE(Powered, "what comes to less than the waiting device drew is no energy") {
    host_ns = 2e6;
    watts["thrifty"] = -20;
    const auto outcome = runner().run_final(final_job());
    CHECK(outcome.standings[0].energy);
    CHECK_FALSE(outcome.standings[1].energy);
  }

  TEST_CASE_FIXTURE(Powered, "nobody measures energy unasked") {
    auto final = final_job();
    for (auto& trial : final.trials) trial.policy.energy = false;
    const double before_ns = script.clock_ns;
    const auto outcome = runner().run_final(final);
    CHECK_FALSE(outcome.standings[0].energy);
    CHECK(script.clock_ns - before_ns < EnergyMeter::least_ns);
    CHECK_FALSE(run().energy);
  }

  TEST_CASE_FIXTURE(Powered, "with another objective than time each trial is run once for its energy") {
    const auto outcome = run(job_by(Objective::energy));
    REQUIRE(outcome.status == TrialStatus::ok);
    REQUIRE(outcome.energy);
    CHECK(outcome.energy->mean_j == doctest::Approx(0.4).epsilon(0.03));
    CHECK(outcome.energy->runs == 1);
    CHECK(outcome.energy->low_j == 0);
  }

  TEST_CASE_FIXTURE(Powered, "a trial that is dropped is not run for its energy") {
    auto trial = job_by(Objective::energy);
    trial.best_ns = 1e5;
    const auto outcome = run(trial);
    CHECK(outcome.status == TrialStatus::dropped);
    CHECK_FALSE(outcome.energy);
  }

  TEST_CASE_FIXTURE(Powered, "a launch that takes longer than a run makes a run alone") {
    times_ns["kernel"] = 700e6;
    const auto outcome = run(job_by(Objective::edp));
    REQUIRE(outcome.energy);
    CHECK(outcome.energy->mean_j == doctest::Approx(280).epsilon(0.01));
    CHECK(script.launches["kernel"] < 20);
  }

  TEST_CASE_FIXTURE(Powered,
                    "a counter that never changes ends the wait, and the trial is ok without energy") {
    is_stuck = true;
    const auto outcome = run(job_by(Objective::energy));
    CHECK(outcome.status == TrialStatus::ok);
    CHECK_FALSE(outcome.energy);
    const auto final = runner().run_final(final_job());
    REQUIRE(final.complete());
    CHECK_FALSE(final.standings[0].energy);
    CHECK(script.clock_ns < 10e9);
  }

  TEST_CASE_FIXTURE(Powered, "what runs between launches beside the kernel leaves its energy untold") {
    auto cold = job_by(Objective::energy);
    cold.policy.flush_l2 = true;
    CHECK_FALSE(run(cold).energy);
    auto restoring = job_by(Objective::energy);
    restoring.plan.buffers[1].restored = true;
    CHECK_FALSE(run(restoring).energy);
    auto final = final_job();
    final.trials[0].plan.buffers[1].restored = true;
    const auto outcome = runner().run_final(final);
    REQUIRE(outcome.complete());
    CHECK_FALSE(outcome.standings[0].energy);
    CHECK(outcome.standings[1].energy);
  }

  TEST_CASE_FIXTURE(Powered,
                    "each launch and each pause enters the timing phase, so that a deadline starts anew") {
    double last_ns = 0;
    double longest_ns = 0;
    runner().report_phases_to([&](TrialPhase) {
      longest_ns = std::max(longest_ns, script.clock_ns - last_ns);
      last_ns = script.clock_ns;
    });
    run(job_by(Objective::energy));
    CHECK(longest_ns < 60e6);
  }

  TEST_CASE_FIXTURE(Powered, "at a locked clock no sample counts as throttled") {
    script.sm_clock_mhz = [](int) { return 1200; };
    auto locked = job();
    CHECK(run(locked).measurement->throttled_samples > 0);
    locked.policy.clock_mhz = 1200;
    CHECK(run(locked).measurement->throttled_samples == 0);
  }

  TEST_CASE("the interval of a mean is Student's") {
    const std::vector<double> samples = {9, 10, 11, 10, 10};
    const auto interval = tuner::measure::mean_interval(samples);
    CHECK(10 - interval.low == doctest::Approx(2.776445 * std::sqrt(0.1)).epsilon(1e-6));
    CHECK(interval.high - 10 == doctest::Approx(2.776445 * std::sqrt(0.1)).epsilon(1e-6));
    const auto of_four = tuner::measure::mean_interval(std::vector<double>{9, 9, 11, 11});
    CHECK(of_four.high - 10 == doctest::Approx(3.182446 / std::sqrt(3.0)).epsilon(1e-6));
    const auto of_three = tuner::measure::mean_interval(std::vector<double>{9, 10, 11});
    CHECK(of_three.high == doctest::Approx(10 + 4.3027 / std::sqrt(3.0)).epsilon(1e-4));
    const auto of_two = tuner::measure::mean_interval(std::vector<double>{9, 11});
    CHECK(of_two.high == doctest::Approx(10 + 12.7062).epsilon(1e-4));
  }

  TEST_CASE("from some time on a trial cannot be better, whatever it does") {
    using tuner::model::time_bound_ns;
    CHECK(time_bound_ns(Objective::energy, 0.4, 80) == doctest::Approx(5e6));
    CHECK(time_bound_ns(Objective::edp, 0.4e-3, 100) == doctest::Approx(2e6));
    CHECK(std::isinf(time_bound_ns(Objective::energy, 0.4, 0)));
  }
}
