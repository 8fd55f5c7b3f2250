#include "tuner/measure/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/measure/trial_fixture.hpp"

namespace measure = tuner::measure;
using tests::FakeDevice;
using tests::FakeScript;
using tests::FakeSequence;
using tests::TrialFixture;
using tuner::model::Execution;

namespace {

/// A kernel that does nothing, in the time the script says.
class SamplerFixture {
 public:
  SamplerFixture() {
    script.kernels["kernel"] = [](const tests::FakeArguments&) {};
  }

  measure::Samples sample(double single_ns, double best_ns = 0) {
    FakeDevice device(script);
    tuner::model::Step step;
    step.entry = "kernel";
    FakeSequence sequence(script, {TrialFixture::named("kernel")}, {step}, {}, {});
    measure::SamplingTask task;
    task.policy = policy;
    task.best_ns = best_ns;
    task.warm_runs = {{single_ns, warm_clock_mhz}};
    task.max_sm_clock_mhz = 2000;
    return measure::Sampler(device, sequence, task).run();
  }
  void every_launch_takes(double ns) {
    script.time_ns = [ns](const std::string&, int) { return ns; };
  }

  FakeScript script;
  tuner::model::MeasurePolicy policy;
  double warm_clock_mhz = 0;
};

}  // namespace

TEST_SUITE("tuner::measure::Sampler") {
  TEST_CASE_FIXTURE(SamplerFixture, "long launches are timed singly") {
    every_launch_takes(250'000);
    const auto samples = sample(250'000);
    CHECK(samples.measurement.launches_per_sample == 1);
    CHECK(samples.measurement.samples_ns.size() == 10);
    CHECK(*std::max_element(script.repetitions.begin(), script.repetitions.end()) == 1);
  }

  TEST_CASE_FIXTURE(SamplerFixture,
                    "short launches are timed in batches that last batch_ns, and told per launch") {
    every_launch_takes(8'000);
    const auto samples = sample(14'000);                   // a single run reads latency too
    CHECK(samples.measurement.launches_per_sample == 63);  // 500 us / 8 us
    CHECK(samples.measurement.median_ns == doctest::Approx(8'000));
    CHECK_FALSE(samples.measurement.includes_launch_latency);
    CHECK(std::count(script.repetitions.begin(), script.repetitions.end(), 63) == 11);  // one does not count
  }

  TEST_CASE_FIXTURE(SamplerFixture,
                    "a batch has at most a thousand launches, and such times say what they include") {
    every_launch_takes(200);
    const auto samples = sample(3'000);
    CHECK(samples.measurement.launches_per_sample == 1000);
    CHECK(samples.measurement.includes_launch_latency);
  }

  TEST_CASE_FIXTURE(SamplerFixture,
                    "sampling stops when its time is spent, though not before an interval can be told") {
    every_launch_takes(4e6);
    CHECK(sample(4e6).measurement.samples_ns.size() == 8);
    every_launch_takes(20e6);
    CHECK(sample(20e6).measurement.samples_ns.size() == 6);
    every_launch_takes(0.9e9);
    CHECK(sample(0.9e9).measurement.samples_ns.size() == 3);
    every_launch_takes(9e9);
    CHECK(sample(9e9).measurement.samples_ns.size() == 1);
  }

  TEST_CASE_FIXTURE(
      SamplerFixture,
      "a slow start drops nobody who is within the first cut: the fastest of the first counts") {
    script.time_ns = [](const std::string&, int launch) { return launch == 1 ? 1.1e6 : 5e6; };
    CHECK_FALSE(sample(1.4e6, 1e6).dropped);
    script.launches.clear();
    script.time_ns = [](const std::string&, int) { return 1.3e6; };
    CHECK(sample(1.4e6, 1e6).dropped);
  }

  TEST_CASE_FIXTURE(SamplerFixture,
                    "who is far behind costs one launch, who is behind three, the warm run included") {
    every_launch_takes(1.3e6);
    const auto far = sample(6e6, 1e6);
    CHECK(far.dropped);
    CHECK(script.launches["kernel"] == 0);
    CHECK(far.measurement.samples_ns == std::vector{6e6});
    const auto behind = sample(1.4e6, 1e6);
    CHECK(behind.dropped);
    CHECK(script.launches["kernel"] == 2);
    CHECK(behind.measurement.samples_ns == std::vector{1.4e6, 1.3e6, 1.3e6});
  }

  TEST_CASE_FIXTURE(
      SamplerFixture,
      "in batches too who is behind is dropped, by the time of a launch and not of a warm run") {
    every_launch_takes(8'000);
    const auto far = sample(40'000, 5'000);
    CHECK(far.dropped);
    CHECK(far.measurement.samples_ns.size() == 1);
    CHECK(far.measurement.median_ns == doctest::Approx(8'000));
    CHECK(far.measurement.launches_per_sample == 63);
    const auto behind = sample(40'000, 6'000);
    CHECK(behind.dropped);
    CHECK(behind.measurement.samples_ns.size() == 3);
    CHECK_FALSE(sample(40'000, 7'900).dropped);
    CHECK(sample(40'000, 7'900).measurement.samples_ns.size() == 10);
  }

  TEST_CASE_FIXTURE(SamplerFixture, "what turns out to be long when run back to back is timed singly") {
    every_launch_takes(150'000);
    CHECK(sample(90'000).measurement.launches_per_sample == 1);
    every_launch_takes(100'000);
    CHECK(sample(90'000).measurement.launches_per_sample == 1);
    CHECK(sample(100'000).measurement.launches_per_sample == 1);
    every_launch_takes(99'000);
    CHECK(sample(100'000).measurement.launches_per_sample == 1);
    CHECK(sample(99'000).measurement.launches_per_sample == 6);
    policy.batch_ns = 10'000;
    CHECK(sample(99'000).measurement.launches_per_sample == 2);  // one would be no batch
  }

  TEST_CASE_FIXTURE(SamplerFixture,
                    "throttled samples drop nobody, are told of who is dropped, and take their time") {
    // A throttled warm run and sample, then two that count: the cut after three is not reached.
    warm_clock_mhz = 1400;
    policy.samples = 3;
    script.time_ns = [](const std::string&, int launch) { return launch == 0 ? 5e6 : 1.3e6; };
    script.sm_clock_mhz = [](int run) { return run == 0 ? 1400.0 : 1900.0; };
    const auto dropped = sample(5e6, 1e6);
    CHECK(dropped.dropped);
    CHECK(dropped.measurement.samples_ns == std::vector{1.3e6, 1.3e6, 1.3e6});
    CHECK(dropped.measurement.throttled_samples == 1);
    policy.samples = 10;
    policy.time_limit_ns = 20e6;
    every_launch_takes(2e6);
    const int before = script.count("run");
    script.sm_clock_mhz = [before](int run) { return run < before + 6 ? 1400.0 : 1900.0; };
    const auto late = sample(2e6);
    CHECK(late.measurement.samples_ns.size() == 6);  // the least, though time was spent after four
    CHECK(late.measurement.throttled_samples == 6);
  }

  TEST_CASE_FIXTURE(SamplerFixture, "nothing is dropped without a best or without cuts") {
    every_launch_takes(5e6);
    CHECK_FALSE(sample(5e6, 0).dropped);
    policy.cuts.clear();
    CHECK_FALSE(sample(5e6, 1).dropped);
  }

  TEST_CASE_FIXTURE(SamplerFixture,
                    "behind a flush every sample is a single launch, and warm runs are no samples") {
    policy.flush_l2 = true;
    every_launch_takes(8'000);
    const auto samples = sample(3'000, 1'000);
    CHECK(samples.dropped);
    CHECK(samples.measurement.samples_ns == std::vector{8'000.0});
    CHECK(samples.measurement.includes_launch_latency);
    CHECK(script.count("flush_l2") == 1);
  }

  TEST_CASE_FIXTURE(SamplerFixture, "throttled samples are thrown away, counted and taken again") {
    script.time_ns = [](const std::string&, int launch) { return launch % 4 == 1 ? 1.5e6 : 1e6; };
    script.sm_clock_mhz = [](int run) { return run % 4 == 1 ? 1400.0 : 1900.0 + run; };
    const auto samples = sample(1e6);
    CHECK(samples.measurement.samples_ns == std::vector<double>(10, 1e6));
    CHECK(samples.measurement.throttled_samples == 3);
    CHECK(samples.measurement.sm_clock_mhz == doctest::Approx(1906.5).epsilon(0.001));
  }

  TEST_CASE_FIXTURE(SamplerFixture, "where all are throttled they are kept, and drop nobody") {
    every_launch_takes(5e6);
    script.sm_clock_mhz = [](int) { return 1400.0; };
    warm_clock_mhz = 1400;
    const auto samples = sample(5e6, 1e6);
    CHECK_FALSE(samples.dropped);
    CHECK(samples.measurement.samples_ns == std::vector<double>(10, 5e6));
    CHECK(samples.measurement.throttled_samples == 10);
    CHECK(samples.measurement.sm_clock_mhz == 1400);
  }

  TEST_CASE_FIXTURE(SamplerFixture, "a clock is lowered from under three quarters of the highest on") {
    CHECK(measure::is_throttled({1e6, 1499}, 2000));
    CHECK_FALSE(measure::is_throttled({1e6, 1500}, 2000));
    CHECK_FALSE(measure::is_throttled({1e6, 0}, 2000));
    CHECK_FALSE(measure::is_throttled({1e6, 300}, 0));
  }

  TEST_CASE_FIXTURE(SamplerFixture,
                    "in a stream a sample has gaps, and no more launches than are queued at once") {
    policy.execution = Execution::stream;
    every_launch_takes(200);
    CHECK(sample(3'000).measurement.launches_per_sample == 256);
    CHECK(std::ranges::all_of(script.executions, [](Execution one) { return one == Execution::stream; }));
    every_launch_takes(250'000);  // alone, it would have no gap beside it
    CHECK(sample(250'000).measurement.launches_per_sample == 2);
    every_launch_takes(600'000);
    CHECK(sample(600'000).measurement.launches_per_sample == 1);
  }

  TEST_CASE_FIXTURE(SamplerFixture,
                    "by the host's clock nothing is dropped, or kept, of what another clock took") {
    policy.execution = Execution::eager;
    every_launch_takes(250'000);
    CHECK(sample(900'000, 240'000).measurement.samples_ns.size() == 10);
    CHECK(sample(100'000, 100'000).measurement.samples_ns == std::vector<double>{250'000});
    CHECK(std::ranges::all_of(script.executions, [](Execution one) { return one == Execution::eager; }));
  }

  TEST_CASE("of a sequence its launches are counted, each as often as it is repeated, and no copies") {
    tuner::model::Step upload;
    upload.kind = tuner::model::Step::Kind::upload;
    tuner::model::Step launch;
    CHECK(measure::count_kernels({upload, launch}) == 1);
    CHECK(measure::count_kernels({upload}) == 0);
    launch.repeat = 5;
    CHECK(measure::count_kernels({upload, launch, upload}) == 5);
  }

  TEST_CASE("the summary keeps the samples in the order taken") {
    const auto measurement = measure::summarise({{120, 1800}, {40, 0}, {80, 1900}}, 4, 1);
    CHECK(measurement.samples_ns == std::vector{30.0, 10.0, 20.0});
    CHECK(measurement.sm_clock_mhz == 1850);  // over those that are known
    CHECK(measurement.median_ns == 20);
    CHECK(measurement.min_ns == 10);
    CHECK(measurement.low_ns == 10);
    CHECK(measurement.high_ns == 30);
  }

  TEST_CASE("the time of several kernels must be that much longer to be theirs alone") {
    CHECK_FALSE(measure::includes_launch_latency(6'000, 1, 100));
    CHECK(measure::includes_launch_latency(6'000, 2, 100));
    CHECK(measure::includes_launch_latency(4'900, 1, 2));
    CHECK_FALSE(measure::includes_launch_latency(5'000, 1, 2));
    CHECK(measure::includes_launch_latency(4'900, 0, 2));  // a copy alone
    CHECK(measure::includes_launch_latency(15'000, 1, 1));
    CHECK_FALSE(measure::includes_launch_latency(20'000, 1, 1));
    CHECK_FALSE(measure::includes_launch_latency(25'000, 1, 1));
  }
}
