// Sweeps whose objective is made of energy.
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>
#include <vector>

#include "db/best.hpp"
#include "tests/sweep/scale_bench.hpp"
#include "tests/sweep/scripted_strategy.hpp"
#include "tests/sweep/several_devices.hpp"
#include "tuner/sweep/trial_list.hpp"

using namespace tuner;
using model::Objective;
using model::TrialStatus;

namespace {

constexpr double idle_w = 100;

/// The fastest draws most. Where 0.29 J is known, no trial of more than 2.9 ms can take less.
struct EnergyBench : test::Bench {
  EnergyBench() {
    adjust = [this](sweep::Request& request) {
      request.policy.objective = objective;
      request.policy.energy = energy || objective != Objective::time;
      test::edit_values(request, values);
      if (!strategies.empty()) request.strategy = strategies.front().name;
    };
    behave = [this](int scale, const model::TrialJob& job) {
      best_ns[scale] = job.best_ns;
      model::TrialOutcome outcome = test::ok_in(times_ns.at(scale));
      if (job.best_ns > 0 && times_ns.at(scale) > 1.15 * job.best_ns)
        outcome.status = TrialStatus::dropped;
      else if (job.policy.objective != Objective::time)
        outcome.energy = energy_of(scale, 1);
      return outcome;
    };
    doubt = [this](model::FinalOutcome& outcome) {
      for (model::Standing& standing : outcome.standings)
        for (const auto& [scale, ns] : times_ns)
          if (energy && ns == standing.measurement.median_ns) standing.energy = energy_of(scale, 5);
    };
  }
  model::Energy energy_of(int scale, int runs) const {
    const double j = joules.at(scale);
    return {j, runs > 1 ? j * 0.99 : 0, runs > 1 ? j * 1.01 : 0, times_ns.at(scale), idle_w, 1500, runs, 0};
  }
  std::vector<int> run_by(Objective what) {
    objective = what;
    energy = what != Objective::time;
    Bench::run();
    std::sort(launched.begin(), launched.end());
    for (auto& final : finals) std::sort(final.begin(), final.end());
    return launched;
  }
  std::string best() const {
    return db::best(results.store.connection(), {}).at(0).winner.configuration.text();
  }

  std::map<int, double> times_ns = {{1, 1e6}, {2, 1.04e6}, {4, 1.5e6}, {8, 2e6}, {16, 4e6}};
  std::map<int, double> joules = {{1, 0.5}, {2, 0.45}, {4, 0.3}, {8, 0.29}, {16, 0.8}};
  std::vector<std::int64_t> values = {1, 2, 4, 8, 16};
  Objective objective = Objective::time;
  bool energy = false;
  std::map<int, double> best_ns;  ///< of the job, by scale
};

}  // namespace

TEST_SUITE("tuner::sweep by energy") {
  TEST_CASE_FIXTURE(EnergyBench,
                    "the final is between the best by time and the best by energy, and tells of both") {
    CHECK(run_by(Objective::energy).size() == 5);
    REQUIRE(finals.size() == 1);
    CHECK(finals[0] == std::vector<int>{1, 2, 4, 8});
    CHECK(trial("SCALE=8").outcome.energy->low_j > 0);
    CHECK(best() == "SCALE=1");  // by time
    CHECK(run_by(Objective::energy).empty());
    CHECK(finals.empty());
    CHECK(run_by(Objective::time).empty());
    CHECK(finals.empty());
  }

  TEST_CASE_FIXTURE(EnergyBench, "a trial is dropped for its time only where it cannot be better by energy") {
    values = {1, 2, 4, 8};
    run_by(Objective::energy);
    values = {1, 2, 4, 8, 16};
    CHECK(run_by(Objective::energy) == std::vector<int>{16});
    CHECK(best_ns[16] == doctest::Approx(0.29 / idle_w * 1e9));
    CHECK(trial("SCALE=16").outcome.status == TrialStatus::dropped);
    CHECK(run_by(Objective::energy).empty());
  }

  TEST_CASE_FIXTURE(EnergyBench, "by energy times time the bound is another") {
    values = {1, 2};
    run_by(Objective::edp);  // 0.45 J in 1.04 ms
    values = {1, 2, 16};
    run_by(Objective::edp);
    CHECK(best_ns[16] == doctest::Approx(std::sqrt(0.45 * 1.04e-3 / idle_w) * 1e9));
  }

  TEST_CASE_FIXTURE(EnergyBench,
                    "what a search for time has dropped is measured again where it may save energy") {
    run_by(Objective::time);
    CHECK(trial("SCALE=16").outcome.status == TrialStatus::dropped);
    CHECK(run_by(Objective::energy).size() == 5);
    CHECK(trial("SCALE=8").outcome.energy);
    CHECK(run_by(Objective::energy).empty());
  }

  TEST_CASE_FIXTURE(EnergyBench, "what is known to be too slow to save energy is not measured for it") {
    values = {1, 16};
    run_by(Objective::time);
    values = {8};
    run_by(Objective::energy);  // 0.29 J
    values = {1, 8, 16};
    CHECK(run_by(Objective::energy) == std::vector<int>{1});
  }

  TEST_CASE_FIXTURE(EnergyBench, "asked for beside times, energy is measured in finals alone, once") {
    run_by(Objective::time);
    REQUIRE(finals.size() == 1);
    CHECK_FALSE(trial("SCALE=1").outcome.energy);
    objective = Objective::time;
    energy = true;
    Bench::run();
    CHECK(launched.empty());
    REQUIRE(finals.size() == 1);
    CHECK(trial("SCALE=1").outcome.energy->mean_j == 0.5);
    CHECK_FALSE(trial("SCALE=8").outcome.energy);
    Bench::run();
    CHECK(finals.empty());
  }

  TEST_CASE_FIXTURE(EnergyBench,
                    "a strategy sees energies, and of what was dropped a guess that is worse than the best") {
    test::script = {};
    strategies = {test::scripted_kind()};
    run_by(Objective::energy);
    REQUIRE(test::script.seen.size() == 1);
    const auto& reported = test::script.seen[0].reported;
    CHECK(reported.at(0).time_ns == 0.5);
    CHECK(reported.at(3).time_ns == 0.29);
    CHECK(reported.at(4).status == TrialStatus::dropped);
    CHECK(*reported.at(4).time_ns == doctest::Approx(4e-3 * 0.29 / 2e-3));
  }

  TEST_CASE("energies that two GPUs measured are compared as one of them would draw") {
    // Only the fastest is near the best by time; by energy all are, the same on each GPU.
    const std::map<int, double> times = {{1, 1e6}, {2, 2e6}, {4, 3e6}, {8, 4e6}, {16, 5e6}};
    test::Host host;
    host.bench.sizes = {512};
    host.bench.adjust = [](sweep::Request& request) {
      request.policy.objective = Objective::energy;
      request.policy.energy = true;
    };
    std::atomic<bool> at_work[2] = {false, false};
    host.behave = [&](std::size_t device, int scale, const model::TrialJob&) {
      at_work[device] = true;
      for (int waited = 0; !(at_work[0] && at_work[1]) && waited < 10000; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      model::TrialOutcome outcome = test::ok_in(times.at(scale));
      const double j = (0.3 + scale * 1e-4) * (device == 1 ? 1.3 : 1);
      outcome.energy = model::Energy{j, 0, 0, times.at(scale), 1, 1500, 1, 0};
      return outcome;
    };
    host.run();
    for (const sweep::Summary::Device& device : host.summary.devices) CHECK(device.trials > 0);
    REQUIRE(host.bench.results.finals.size() == 1);
    CHECK(host.bench.results.finals[0].entries.size() == 5);
  }

  TEST_CASE(
      "a bound by energy speaks of the GPU that measured it: others' times are held against it as its own") {
    model::TrialOutcome outcome = test::ok_in(2e6);
    outcome.energy = model::Energy{0.3, 0, 0, 2e6, idle_w, 1500, 1, 0};
    sweep::BestByEnergy best(Objective::energy);
    best.learn(outcome, 1.5);  // by a slow GPU
    CHECK(best.bound_ns() == doctest::Approx(0.3 / idle_w * 1e9 / 1.5));
  }

  TEST_CASE_FIXTURE(EnergyBench,
                    "a GPU of before that nobody compared with this one may be that much faster") {
    values = {1, 2, 4, 8};
    run_by(Objective::energy);
    values = {1, 2, 4, 8, 16};
    test::ScaleRunner other(behave);
    other.rename("GPU-of another host");
    run_on(request(), {&other});
    CHECK(best_ns[16] == doctest::Approx(0.29 / idle_w * 1e9 * sweep::DeviceSpread::unlike));
  }

  TEST_CASE_FIXTURE(EnergyBench,
                    "where the device does not tell, trials are ok and nothing is measured for ever") {
    behave = [this](int scale, const model::TrialJob&) { return test::ok_in(times_ns.at(scale)); };
    doubt = nullptr;
    CHECK(run_by(Objective::energy).size() == 5);
    CHECK(best() == "SCALE=1");
  }
}
