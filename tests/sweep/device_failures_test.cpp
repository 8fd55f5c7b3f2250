// Devices of a sweep that fail: the others go on, and nothing is lost.
#include <algorithm>
#include <atomic>
#include <functional>
#include <string>

#include "tests/support/contains.hpp"
#include "tests/sweep/several_devices.hpp"
#include "tuner/model/error.hpp"

using namespace tuner;
using test::failed_in;
using test::Host;
using test::ok_in;
using test::ScaleRunner;

TEST_SUITE("tuner::sweep, devices that fail") {
  TEST_CASE("a device that fails leaves, what it was at goes to another, and the rest finish") {
    Host host;
    host.devices = 3;
    host.bench.sizes = {512, 1024, 2048};
    std::atomic<int> runs = 0;
    SUBCASE("its process cannot be started any more") {
      host.behave = [&](std::size_t device, int scale, const model::TrialJob&) {
        if (device == 1 && ++runs == 2) throw model::Error("no device cuda:1: it fell off the bus");
        return ok_in(1000.0 / scale);
      };
    }
    SUBCASE("the driver says that the device failed") {
      host.behave = [&](std::size_t device, int scale, const model::TrialJob&) {
        if (device != 1 || ++runs < 2) return ok_in(1000.0 / scale);
        model::TrialOutcome outcome =
            failed_in(model::TrialStatus::crashed, "uncorrectable ECC error: it fell off the bus", true);
        outcome.subject = model::Subject::device;
        return outcome;
      };
    }
    SUBCASE("whenever it is asked") {
      host.behave = [&](std::size_t device, int scale, const model::TrialJob&) {
        if (device == 1) throw model::Error("it fell off the bus");
        return ok_in(1000.0 / scale);
      };
    }
    host.run();
    CHECK(host.summary.ending == sweep::Ending::done);
    CHECK(host.summary.finished == 15);
    CHECK(host.summary.failed == 0);
    CHECK(host.summary.finals == 3);
    CHECK(contains(host.summary.devices[1].left, "it fell off the bus"));
    CHECK(host.summary.devices[0].left.empty());
    CHECK(host.was_told("cuda:1 has left the sweep"));
    for (const auto& [key, record] : host.bench.results.trials())
      CHECK(record.outcome.status == model::TrialStatus::ok);
    const auto& calls = host.bench.results.calls;
    CHECK(std::count_if(calls.begin(), calls.end(), [](const std::string& call) {
            return call.starts_with("record ") && call.ends_with(" ok");
          }) == 15);
  }

  TEST_CASE("a device that fails while another GPU's trial is run here leaves that to the others") {
    Host host;
    host.bench.sizes = {512};
    // A slower GPU of the name, whose database this is, measured the best.
    const auto time_ns = [](int scale) { return scale == 16 ? 1000.0 : scale == 8 ? 1080.0 : 2000.0; };
    std::vector<std::int64_t> scales = {4, 16};
    int finalists = 0;
    host.bench.adjust = [&](sweep::Request& request) {
      test::edit_values(request, scales);
      request.policy.final.finalists = finalists;
    };
    ScaleRunner elsewhere([&](int scale, const model::TrialJob&) { return ok_in(1.3 * time_ns(scale)); }, 7);
    host.bench.run_on(host.bench.request(), {&elsewhere});

    scales = {1, 2, 4, 8, 16};
    finalists = 5;
    std::atomic<int> compared = 0;
    host.behave = [&](std::size_t, int scale, const model::TrialJob&) {
      if (scale == 16 && ++compared == 1) throw model::Error("it fell off the bus");
      return ok_in(time_ns(scale));
    };
    host.run();
    CHECK(host.was_told("has left the sweep"));
    CHECK(host.was_told("another Fake GPU (GPU-7) compared by scale SCALE=16 at 512"));
    CHECK_FALSE(host.was_told("compared without correction"));
  }

  TEST_CASE("a device that fails in a final has it held by another") {
    Host host;
    host.bench.sizes = {512};
    std::atomic<bool> failed = false;
    host.behave = [&](std::size_t, int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); };
    host.bench.adjust = [](sweep::Request&) {};
    // The first to be asked for a final is gone.
    struct Fails final : model::TrialRunner {
      Fails(ScaleRunner& runner, std::atomic<bool>& failed) : inner(runner), has_failed(failed) {}
      const model::DeviceInfo& device() const override { return inner.device(); }
      model::TrialOutcome run(const model::TrialJob& job) override { return inner.run(job); }
      model::FinalOutcome run_final(const model::FinalJob& job) override {
        if (!has_failed.exchange(true)) throw model::Error("gone");
        return inner.run_final(job);
      }
      ScaleRunner& inner;
      std::atomic<bool>& has_failed;
    };
    const auto behave = [](int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); };
    ScaleRunner first(behave, 0);
    ScaleRunner second(behave, 1);
    Fails first_fails(first, failed);
    Fails second_fails(second, failed);
    const sweep::Request request = host.bench.request();
    const sweep::Summary summary = host.bench.run_on(request, {&first_fails, &second_fails});
    CHECK(summary.finals == 1);
    CHECK(host.bench.results.finals.size() == 1);
    CHECK(first.finals.size() + second.finals.size() == 1);
    const std::string& held_on = (first.finals.empty() ? second : first).device().uuid;
    REQUIRE_FALSE(host.bench.results.finals[0].entries.empty());
    for (const model::FinalRecord::Entry& entry : host.bench.results.finals[0].entries)
      CHECK(host.bench.results.trials().at(entry.trial).gpu == held_on);
  }

  TEST_CASE("a final whose only device fails is held by the next sweep, which races nothing again") {
    test::Bench bench;
    bench.doubt = [](model::FinalOutcome&) { throw model::Error("gone"); };
    CHECK_THROWS_WITH_AS(bench.run(), "gone", model::Error);
    CHECK(bench.results.finals.empty());
    CHECK(bench.results.trials().size() == 5);
    bench.doubt = nullptr;
    const sweep::Summary summary = bench.run();
    CHECK(summary.known == 5);
    CHECK(summary.finals == 1);
    CHECK(bench.launched.empty());
    REQUIRE(bench.results.finals.size() == 1);
    for (const model::FinalRecord::Entry& entry : bench.results.finals[0].entries)
      CHECK(bench.results.trials().at(entry.trial).run == bench.results.finals[0].run);
  }

  TEST_CASE("where every device has failed the sweep ends with that error, and keeps what it has") {
    Host host;
    host.bench.sizes = {512, 1024};
    std::atomic<int> runs = 0;
    const bool by_driver = [] {
      bool driver = false;
      SUBCASE("the driver says so") {
        driver = true;
      }
      SUBCASE("the process is gone") {}
      return driver;
    }();
    host.behave = [&](std::size_t, int scale, const model::TrialJob&) {
      if (++runs <= 4) return ok_in(1000.0 / scale);
      if (!by_driver) throw model::Error("fell off the bus");
      model::TrialOutcome outcome = failed_in(model::TrialStatus::crashed, "fell off the bus", true);
      outcome.subject = model::Subject::device;
      return outcome;
    };
    try {
      host.run();
      FAIL("it went on");
    } catch (const model::Error& error) {
      CHECK(contains(error.what(), "fell off the bus"));
    }
    CHECK(host.bench.results.trials().size() == 4);
    CHECK(host.bench.results.calls.back() == "end failed");
    // And the next sweep does the rest.
    host.behave = [](std::size_t, int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); };
    host.run();
    CHECK(host.summary.known == 4);
    CHECK(host.summary.finished == 6);
  }

  TEST_CASE("what had ended before the only device failed is kept") {
    /// Its process is gone before the second trial comes to a launch.
    struct Gone final : model::TrialRunner {
      const model::DeviceInfo& device() const override { return inner.device(); }
      model::TrialOutcome run(const model::TrialJob& job) override { return inner.run(job); }
      model::TrialOutcome run_with_notice(const model::TrialJob& job,
                                          const std::function<void()>& before_launch) override {
        if (++asked > 1) throw model::Error("gone");
        before_launch();
        return inner.run(job);
      }
      model::FinalOutcome run_final(const model::FinalJob& job) override { return inner.run_final(job); }
      ScaleRunner inner{[](int scale, const model::TrialJob&) { return ok_in(1000.0 / scale); }};
      int asked = 0;
    };
    test::Bench bench;
    Gone runner;
    const sweep::Request request = bench.request();
    CHECK_THROWS_WITH_AS(bench.run_on(request, {&runner}), "gone", model::Error);
    REQUIRE(runner.inner.launched.size() == 1);
    CHECK(bench.results.trials().size() == 1);
  }
}
