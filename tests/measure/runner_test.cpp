#include "tuner/measure/runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/measure/trial_fixture.hpp"

using tests::FakeArguments;
using tests::FakeScript;
using tests::TrialFixture;
using tuner::model::Access;
using tuner::model::BitsRelation;
using tuner::model::ElementType;
using tuner::model::Init;
using tuner::model::TrialPhase;
using tuner::model::TrialStatus;

TEST_SUITE("tuner::measure::DeviceTrialRunner") {
  TEST_CASE_FIXTURE(TrialFixture, "a good kernel is verified, then timed") {
    const auto outcome = run();
    CHECK(outcome.status == TrialStatus::ok);
    CHECK(outcome.detail.empty());
    CHECK(outcome.verification.checked);
    CHECK(outcome.verification.wrong_elements == 0);
    CHECK(outcome.verification.error_ratio == 0);
    CHECK(outcome.verification.buffer == "y");
    CHECK(outcome.driver_blocks_per_multiprocessor == 4);
    REQUIRE(outcome.measurement);
    CHECK(outcome.measurement->samples_ns.size() == 10);
    CHECK(outcome.measurement->median_ns == 1e6);
    CHECK(outcome.measurement->sm_clock_mhz == 1755);
    CHECK(outcome.measurement->temperature_c == 51);
    CHECK(outcome.measurement->power_w == 333);
    CHECK_FALSE(outcome.measurement->includes_launch_latency);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a buffer to be restored is as it was at first before every run, timed or not") {
    int dirty = 0;
    int runs = 0;
    script.time_ns = [](const std::string&, int) { return 1e3; };
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      ++runs;
      dirty += arguments.pointer<float>(1)[3] != 0 || arguments.pointer<int>(2)[5] != 9 ? 1 : 0;
      for (std::int64_t i = 0; i < arguments.integer(3); ++i)
        arguments.pointer<float>(1)[i] += 2 * arguments.pointer<float>(0)[i];
      arguments.pointer<int>(2)[5] = 1;
    };
    auto counting = job();
    counting.plan.buffers[1].access = Access::inout;
    counting.plan.buffers[1].init = {Init::Kind::constant, 0, 0};
    counting.plan.buffers[1].restored = true;
    counting.plan.buffers[2].init = {Init::Kind::constant, 9, 0};
    counting.plan.buffers[2].restored = true;
    counting.policy.batch_below_ns = 1e5;
    const auto outcome = run(counting);
    CHECK(outcome.status == TrialStatus::ok);
    REQUIRE(outcome.measurement);
    CHECK(outcome.measurement->launches_per_sample == 1);
    CHECK(outcome.measurement->includes_launch_latency);
    CHECK(outcome.measurement->median_ns == 1e3);
    CHECK(dirty == 0);
    CHECK(runs > 10);
    counting.plan.buffers[1].restored = counting.plan.buffers[2].restored = false;
    CHECK(run(counting).measurement->launches_per_sample > 1);
    CHECK(dirty > 0);
  }

  TEST_CASE_FIXTURE(TrialFixture, "kernels that give the same bits on both input sets are told from others") {
    auto lenient = job();
    lenient.plan.verify.rounding_terms = 8;
    const auto bits = [&](const FakeScript::Kernel& kernel) {
      script.kernels["kernel"] = kernel;
      return run(lenient).output_bits;
    };
    const auto twice = bits(TrialFixture::twice);
    REQUIRE(twice);
    CHECK(twice == bits(TrialFixture::twice));
    const auto nearly = bits([](const FakeArguments& arguments) {
      TrialFixture::twice(arguments);
      float& one = arguments.pointer<float>(1)[3];
      one = std::nextafter(one, 9.0F);
    });
    CHECK(compare_bits(twice, nearly) == BitsRelation::other);
    auto other_seed = job();
    other_seed.seed = 8;
    script.kernels["kernel"] = TrialFixture::twice;
    CHECK(compare_bits(twice, run(other_seed).output_bits) == BitsRelation::unknown);
    auto renamed = job();
    renamed.plan.buffers[0].name = "input";
    renamed.plan.buffers.pop_back();
    renamed.plan.steps[0].operands[2] = renamed.plan.steps[0].operands[0];
    CHECK(compare_bits(twice, run(renamed).output_bits) == BitsRelation::same);
    auto atomic = job();
    atomic.plan.deterministic = false;
    CHECK_FALSE(run(atomic).output_bits);
    int runs = 0;
    // Declared deterministic, and it is not.
    CHECK_FALSE(bits([&](const FakeArguments& arguments) {
      TrialFixture::twice(arguments);
      arguments.pointer<float>(1)[3] =
          std::nextafter(arguments.pointer<float>(1)[3], ++runs <= 2 ? 9.0F : -9.0F);
    }));
  }

  TEST_CASE_FIXTURE(TrialFixture, "a loop is timed as a whole, each of its launches counted") {
    auto looped = job();
    looped.plan.steps[0].repeat = 5;
    const auto outcome = run(looped);
    CHECK(outcome.status == TrialStatus::ok);
    CHECK(outcome.measurement->median_ns == 5e6);
    script.time_ns = [](const std::string&, int) { return 10e3; };  // 50 µs in all: singly too little for 5
    CHECK(run(looped).measurement->median_ns == 50e3);
  }

  TEST_CASE_FIXTURE(TrialFixture, "phases are told in order") {
    std::vector<TrialPhase> phases;
    runner().report_phases_to([&](TrialPhase phase) { phases.push_back(phase); });
    run();
    CHECK(std::is_sorted(phases.begin(), phases.end()));
    phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
    CHECK(phases ==
          std::vector{TrialPhase::preparing, TrialPhase::loading, TrialPhase::verifying, TrialPhase::timing});
  }

  TEST_CASE_FIXTURE(TrialFixture, "timing is told before each sample whose buffers are filled again") {
    int told = 0;
    runner().report_phases_to([&](TrialPhase phase) { told += phase == TrialPhase::timing ? 1 : 0; });
    const auto plain = run();
    const int of_plain = told;
    auto restoring = job();
    restoring.plan.buffers[1].access = tuner::model::Access::inout;
    restoring.plan.buffers[1].init = {tuner::model::Init::Kind::constant, 1, 0};
    restoring.plan.buffers[1].restored = true;
    told = 0;
    const auto restored = run(restoring);
    REQUIRE(restored.status == TrialStatus::ok);
    CHECK(told == of_plain + static_cast<int>(restored.measurement->samples_ns.size()));
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a phase is told before each launch of verifying, so that each has its time") {
    int launches = 0;
    int most = 0;
    bool verifying = false;
    runner().report_phases_to([&](TrialPhase phase) {
      verifying = phase == TrialPhase::verifying;
      launches = 0;
    });
    double time_ns = 0;
    script.time_ns = [&](const std::string& name, int) {
      if (verifying && name == "kernel") most = std::max(most, ++launches);
      return time_ns;
    };
    for (const double each : {6e9, 0.3e9, 0.3e9}) {  // the last on a device that is warm
      time_ns = each;
      CHECK(run().status == TrialStatus::ok);
    }
    CHECK(most == 1);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "rounding within the bound is no error, and its share of the bound is told") {
    script.kernels["kernel"] = [](const FakeArguments& arguments) {
      twice(arguments);
      float& y = arguments.pointer<float>(1)[5];
      y = std::nextafter(y, 10.0F);  // an error of 1 to 2 units roundoff
    };
    auto tolerant = job();
    tolerant.plan.verify.rounding_terms = 4;
    const auto outcome = run(tolerant);
    CHECK(outcome.status == TrialStatus::ok);
    CHECK(outcome.verification.error_ulp_scale >= 1);
    CHECK(outcome.verification.error_ulp_scale <= 2);
    CHECK(outcome.verification.error_ratio == doctest::Approx(outcome.verification.error_ulp_scale / 4));
  }

  TEST_CASE_FIXTURE(TrialFixture, "configurations of one problem share inputs and reference") {
    run();
    auto other = job(elements, 64);  // another configuration needs a larger workspace
    other.plan.steps[0].block.x = 128;
    run(other);
    CHECK(script.launches["reference"] == 2);  // once an input set
    run(job(500));
    CHECK(script.launches["reference"] == 4);
    run();
    CHECK(script.launches["reference"] == 4);
  }

  TEST_CASE_FIXTURE(TrialFixture, "another seed is another input") {
    float first = 0;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      first = arguments.pointer<float>(0)[0];
    };
    run();
    const float with_seed_7 = first;
    auto other = job();
    other.seed = 8;
    CHECK(run(other).status == TrialStatus::ok);
    CHECK(first != with_seed_7);
  }

  TEST_CASE_FIXTURE(TrialFixture, "the second input set has other inputs, and those the plan names for it") {
    std::vector<float> seen;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      seen.push_back(arguments.pointer<float>(0)[0]);
    };
    CHECK(run().status == TrialStatus::ok);
    CHECK(seen.at(0) != seen.at(1));
    CHECK(seen.back() == seen.at(1));  // all after the first run are on the first input set
    seen.clear();
    auto named = job();
    named.plan.buffers[0].second_init = {Init::Kind::constant, 3, 0};
    CHECK(run(named).status == TrialStatus::ok);
    CHECK(seen.at(0) == 3);
    CHECK(seen.at(1) != 3);
  }

  TEST_CASE_FIXTURE(TrialFixture, "verification costs one run on each input set, besides the samples") {
    auto quick = job();
    quick.policy.cuts.clear();
    quick.policy.samples = 5;
    run(quick);  // warms the clocks
    const int before = script.launches["kernel"];
    const auto outcome = run(quick);
    CHECK(outcome.status == TrialStatus::ok);
    REQUIRE(outcome.measurement);
    CHECK(outcome.measurement->launches_per_sample == 1);
    CHECK(outcome.measurement->samples_ns.size() == 5);
    CHECK(script.launches["kernel"] - before <= 5 + 2);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "probes run before the trial, on their own inputs, and leave no trace in it") {
    std::vector<std::int64_t> sizes;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      sizes.push_back(arguments.integer(3));
    };
    auto probed = job();
    probed.probes = {job(33).plan, job(71).plan};
    const auto outcome = run(probed);
    CHECK(outcome.status == TrialStatus::ok);
    CHECK(outcome.measurement);
    CHECK(outcome.verification.wrong_elements == 0);
    CHECK(sizes.front() == 33);
    CHECK(std::is_sorted(sizes.begin(), sizes.end()));
    CHECK(sizes.back() == elements);
    CHECK(std::count(sizes.begin(), sizes.end(), 71) == 2);  // one an input set
    CHECK(script.launches["reference"] == 6);
    run(probed);
    CHECK(script.launches["reference"] == 6);
  }

  TEST_CASE_FIXTURE(TrialFixture, "what a trial says of probes is what it ran") {
    CHECK_FALSE(run().probes_passed);
    auto probed = job();
    probed.probes = {job(33).plan};
    std::vector<TrialPhase> phases;
    runner().report_phases_to([&](TrialPhase phase) { phases.push_back(phase); });
    const auto passed = run(probed);
    CHECK(passed.probes_passed);
    CHECK(passed.subject == tuner::model::Subject::trial);
    CHECK(std::count(phases.begin(), phases.end(), TrialPhase::probing) ==
          3);  // loads it, runs on each input set
    CHECK(phases.back() == TrialPhase::timing);
    script.kernels["kernel"] = [](const FakeArguments&) {};
    const auto failed = run(probed);
    CHECK(failed.status == TrialStatus::wrong_result);
    CHECK(failed.subject == tuner::model::Subject::binary);
    CHECK_FALSE(failed.probes_passed);
    script.kernels["kernel"] = twice;
    script.faults = {{"run", script.count("run") + 1, TrialStatus::launch_error, false}};
    CHECK(run(probed).subject == tuner::model::Subject::binary);
    for (const auto& next : {run(), run(probed)}) {
      CHECK(next.status == TrialStatus::ok);
      CHECK(next.subject == tuner::model::Subject::trial);
    }
    phases.clear();
    run();
    CHECK(std::count(phases.begin(), phases.end(), TrialPhase::probing) == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a verified run finds its workspaces poisoned, whatever the last one left") {
    run();
    int launches = 0;
    int stale = 0;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      twice(arguments);
      if (++launches <= 2) stale += arguments.pointer<int>(2)[5] == 1 ? 1 : 0;
      arguments.pointer<int>(2)[5] = 1;
    };
    CHECK(run().status == TrialStatus::ok);
    CHECK(stale == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture, "buffers of one trial are filled differently") {
    auto both = job();
    both.plan.buffers[1] = {"y",           ElementType::float32,         elements,
                            Access::inout, {Init::Kind::uniform, -1, 1}, {}};
    bool same = false;
    int launches = 0;
    script.kernels["kernel"] = [&](const FakeArguments& arguments) {
      if (++launches == 1) same = arguments.pointer<float>(0)[0] == arguments.pointer<float>(1)[0];
      twice(arguments);
    };
    CHECK(run(both).status == TrialStatus::ok);
    CHECK_FALSE(same);
  }

  TEST_CASE_FIXTURE(TrialFixture,
                    "a kernel may read what it writes, and finds it filled before each verified run") {
    auto accumulate = job();
    accumulate.plan.buffers[1] = {"y",           ElementType::float32,         elements,
                                  Access::inout, {Init::Kind::constant, 3, 0}, {}};
    script.kernels["reference"] = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < arguments.integer(3); ++i) {
        arguments.pointer<double>(1)[i] = 4;
        arguments.pointer<double>(2)[i] = 4;
      }
    };
    script.kernels["kernel"] = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < arguments.integer(3); ++i) arguments.pointer<float>(1)[i] += 1;
    };
    const auto outcome = run(accumulate);
    CHECK(outcome.status == TrialStatus::ok);
    CHECK(outcome.verification.wrong_elements == 0);
  }

  TEST_CASE_FIXTURE(TrialFixture, "elements the reference leaves alone must be left alone") {
    script.kernels["reference"] = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < arguments.integer(3); i += 2) {
        arguments.pointer<double>(1)[i] = 2.0 * static_cast<double>(arguments.pointer<float>(0)[i]);
        arguments.pointer<double>(2)[i] = 2;
      }
    };
    const auto every_second = [](const FakeArguments& arguments) {
      for (std::int64_t i = 0; i < arguments.integer(3); i += 2) {
        arguments.pointer<float>(1)[i] = 2 * arguments.pointer<float>(0)[i];
      }
    };
    CHECK(run_kernel(every_second).status == TrialStatus::ok);
    const auto all = run_kernel(twice);
    CHECK(all.status == TrialStatus::wrong_result);
    CHECK(all.verification.wrong_elements == elements / 2);
    CHECK(all.verification.first_wrong == 1);
  }

  TEST_CASE_FIXTURE(TrialFixture, "without a reference fences and inputs are checked all the same") {
    auto unjudged = job();
    unjudged.plan.verify = {};
    const auto outcome = run(unjudged);
    CHECK(outcome.status == TrialStatus::ok);
    CHECK_FALSE(outcome.verification.checked);
    script.kernels["kernel"] = [](const FakeArguments& arguments) { arguments.pointer<float>(0)[0] = 9; };
    CHECK(run(unjudged).status == TrialStatus::input_modified);
  }
}
