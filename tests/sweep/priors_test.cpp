#include <doctest/doctest.h>

#include "tests/support/contains.hpp"
#include "tests/sweep/scale_bench.hpp"
#include "tests/sweep/scripted_strategy.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

struct Learning : Bench {
  Learning() {
    script = {};
    strategies = {scripted_kind()};
    adjust = [this](sweep::Request& request) {
      request.strategy = "scripted";
      if (further) further(request);
    };
  }
  std::function<void(sweep::Request&)> further;
};

/// `1024 float: 5, Other GPU: 3`: the priors of the search that began last, and how many results each has.
std::string last_priors() {
  std::string text;
  for (const auto& prior : script.seen.back().priors) {
    const std::size_t known = prior.results.count();
    text += (text.empty() ? "" : ", ") + prior.origin + ": " + std::to_string(known);
  }
  return text;
}

}  // namespace

TEST_SUITE("tuner::sweep priors") {
  TEST_CASE("other sizes of the sweep, and of earlier sweeps, are priors of a size, the nearest first") {
    Learning bench;
    bench.sizes = {1024};
    bench.run();
    CHECK(last_priors().empty());
    bench.sizes = {4096};
    bench.run();
    CHECK(last_priors() == "1024 float: 5");
    bench.sizes = {2048, 8192};
    bench.run();
    // The other size of this sweep is searched before this one is begun.
    CHECK(last_priors() == "2048 float: 5, 4096 float: 5, 1024 float: 5");
    const auto& prior = script.seen.back().priors.back();
    CHECK(prior.same_environment);
    CHECK(prior.problem.sizes[0].value == 1024);
    CHECK(prior.results[0]->time_ns == 1000.0);  // SCALE=1
    CHECK(prior.results[4]->time_ns == 62.5);
  }

  TEST_CASE("another GPU, driver, toolkit or way of measuring is a prior, and is named by what differs") {
    const auto origin = [](const std::function<void(sweep::Request&)>& elsewhere) {
      Learning bench;
      bench.further = elsewhere;
      bench.run();
      bench.further = nullptr;
      bench.run();
      REQUIRE(script.seen.back().priors.size() == 1);
      CHECK_FALSE(script.seen.back().priors[0].same_environment);
      return last_priors();
    };
    CHECK(origin([](sweep::Request& request) { request.device.name = "NVIDIA A100"; }) == "NVIDIA A100: 5");
    CHECK(origin([](sweep::Request& request) { request.device.driver = "535.54"; }) == "driver 535.54: 5");
    CHECK(origin([](sweep::Request& request) { request.compiler = "nvrtc 12.4"; }) == "nvrtc 12.4: 5");
    CHECK(origin([](sweep::Request& request) { request.policy.flush_l2 = true; }) == "L2 cold: 5");
    CHECK(origin([](sweep::Request& request) { request.policy.name = "quick-1"; }) == "quick-1: 5");
  }

  TEST_CASE("another size of another GPU is named by both") {
    Learning bench;
    bench.further = [](sweep::Request& request) { request.device.name = "NVIDIA A100"; };
    bench.run();
    bench.further = nullptr;
    bench.sizes = {2048};
    bench.run();
    CHECK(last_priors() == "NVIDIA A100 at 1024 float: 5");
  }

  TEST_CASE("of a kernel whose values changed, what still exists is a prior") {
    Learning bench;
    bench.run();
    bench.sizes = {2048};
    bench.further = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      spec.parameters[0].values = {model::Value(64), model::Value(16), model::Value(2)};
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.run();
    // 2 and 16 are still described; what is not any more maps to nothing.
    CHECK(last_priors() == "1024 float: 2");
    CHECK(script.seen.back().priors[0].results[1]->time_ns == 62.5);
    CHECK(bench.watcher.notices.empty());
  }

  TEST_CASE("of a kernel whose program changed, what it was before is a prior, here too") {
    Learning bench;
    bench.run();
    bench.further = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      spec.source[0].text += "\n// faster now";
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.run();
    CHECK(script.seen.back().reported.size() == 5);
    CHECK(last_priors() == "1024 float before an edit: 5");
  }

  TEST_CASE("a kernel whose parameters are others has no prior, which is said once") {
    Learning bench;
    bench.run();
    bench.further = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      model::ParameterSpec added;
      added.name = "PAD";
      added.values = {model::Value(0)};
      spec.parameters.push_back(added);
      request.work[0].kernel = space::KernelSpace(spec);
    };
    bench.sizes = {2048, 4096};
    bench.run();
    CHECK(script.seen[script.seen.size() - 2].priors.empty());
    REQUIRE(bench.watcher.notices.size() == 1);
    CHECK(contains(bench.watcher.notices[0], "stored results of scale from elsewhere"));
  }

  TEST_CASE("failures are known elsewhere too, and baselines are nobody's prior") {
    Learning bench;
    bench.broken = {"4"};
    bench.run();
    bench.sizes = {2048};
    bench.run();
    CHECK(script.seen.back().priors.at(0).results[2]->status == model::TrialStatus::compile_error);
    CHECK_FALSE(script.seen.back().priors.at(0).results[2]->time_ns.has_value());
  }

  TEST_CASE("where a strategy learns, sizes are searched from the middle on, each next to one before") {
    Learning bench;
    const auto order = [&] {
      std::string text;
      for (const sweep::Group& group : sweep::list_trials(bench.request(), bench.results).groups)
        text += (text.empty() ? "" : " ") + group.problem.size_text();
      return text;
    };
    bench.sizes = {512, 1024, 2048, 4096, 8192};
    CHECK(order() == "512 1024 2048 4096 8192");
    bench.strategies = {scripted_kind("scripted", true)};
    CHECK(order() == "2048 1024 512 4096 8192");
    bench.sizes = {8192};
    bench.run();
    bench.sizes = {512, 1024, 2048, 4096, 8192};
    CHECK(order() == "8192 4096 2048 1024 512");
    // What is found does not depend on it.
    bench.run();
    Learning unordered;
    unordered.sizes = bench.sizes;
    unordered.run();
    const auto trials = bench.results.trials();
    CHECK(trials.size() == 25);
    for (const auto& [key, record] : unordered.results.trials()) {
      REQUIRE(trials.contains(key));
      CHECK(trials.at(key).outcome == record.outcome);
    }
  }

  TEST_CASE("the database is not asked where the strategy does not ask") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) { request.strategy = "random"; };
    bench.sizes = {1024, 2048};
    bench.run();
    const auto& calls = bench.results.calls;
    CHECK(std::find(calls.begin(), calls.end(), "elsewhere") == calls.end());
  }
}
