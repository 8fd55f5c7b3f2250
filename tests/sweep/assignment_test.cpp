// Which device works at which problem.
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "tests/sweep/scripted_strategy.hpp"
#include "tests/sweep/several_devices.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using test::Host;
using test::many_sizes;
using test::ok_in;

namespace {

/// Each problem has candidates of its own: of 512 the first two, of others the rest. Either one by one, or
/// all at once where the problem is not 512.
struct Apart final : search::Strategy {
  Apart(const search::SearchSpace& space, bool one_by_one)
      : is_small(space.problem.sizes.at(0).value == 512),
        given(is_small ? 0 : 1),
        end(is_small ? 2 : 5),
        ahead(is_small || one_by_one ? 1 : 5) {}
  std::optional<search::Proposal> next() override {
    if (given == end) return std::nullopt;
    return search::Proposal{given++, "apart"};
  }
  void report(std::size_t, const search::Result&) override {}
  std::size_t lookahead() const override { return ahead; }
  bool is_small;
  std::size_t given;
  std::size_t end;
  std::size_t ahead;
};

/// A sweep of 512 and 1024 by it, without finals.
template <bool one_by_one>
void search_apart(Host& host) {
  host.bench.sizes = {512, 1024};
  search::StrategyKind kind = test::scripted_kind("apart");
  kind.make = [](const search::SearchSpace& space, std::uint64_t,
                 const search::Settings&) -> std::unique_ptr<search::Strategy> {
    return std::make_unique<Apart>(space, one_by_one);
  };
  host.bench.strategies = {kind};
  host.bench.adjust = [](sweep::Request& request) {
    request.strategy = "apart";
    request.policy.final.finalists = 0;
  };
}

}  // namespace

TEST_SUITE("tuner::sweep, several devices") {
  TEST_CASE("devices begin with problems of their own, and share what is left") {
    Host host;
    SUBCASE("several problems") {
      host.bench.sizes = {512, 1024, 2048, 4096};
      std::mutex mutex;
      std::map<std::size_t, std::vector<std::string>> inputs;
      host.behave = [&](std::size_t device, int scale, const model::TrialJob& job) {
        const std::lock_guard lock(mutex);
        inputs[device].push_back(std::to_string(job.plan.steps.at(0).grid.x * scale));
        return ok_in(1000.0 / scale);
      };
      host.run();
      REQUIRE(inputs.size() == 2);
      CHECK(inputs[0].front() != inputs[1].front());
    }
    SUBCASE("one problem") {
      host.bench.sizes = {1024};
      host.behave = [](std::size_t, int scale, const model::TrialJob&) {
        std::this_thread::sleep_for(5ms);
        return ok_in(1000.0 / scale);
      };
      host.run();
      CHECK(host.summary.devices[0].trials > 0);
      CHECK(host.summary.devices[1].trials > 0);
      CHECK(host.summary.finals == 1);
    }
  }

  TEST_CASE("inputs of a problem are made on one device as long as each has problems of its own") {
    Host host;
    host.bench.sizes = many_sizes();
    SUBCASE("proposed all at once") {}
    SUBCASE("proposed one by one") {
      test::script = {};
      host.bench.strategies = {test::scripted_kind()};
      host.bench.adjust = [](sweep::Request& request) { request.strategy = "scripted"; };
    }
    SUBCASE("with a budget of trials") {
      host.bench.adjust = [](sweep::Request& request) { request.budget.trials = 4 * 25; };
    }
    std::mutex mutex;
    std::map<std::int64_t, std::set<std::size_t>> made;  // by size
    host.behave = [&](std::size_t device, int scale, const model::TrialJob& job) {
      const std::lock_guard lock(mutex);
      made[job.plan.buffers.at(0).elements].insert(device);
      return ok_in(1000.0 / scale);
    };
    host.run();
    CHECK(host.summary.finals >= 25);
    CHECK(made.size() == 25);
    std::size_t twice = 0;
    for (const auto& [elements, devices] : made) twice += devices.size() - 1;
    CHECK(twice <= 4);  // that by which the devices are compared, and what is shared at the end
    CHECK(host.summary.devices[0].trials > 25);
    CHECK(host.summary.devices[1].trials > 25);
  }

  TEST_CASE("a device whose own problem still compiles leaves another's alone") {
    Host host;
    search_apart<false>(host);
    std::mutex mutex;
    std::set<model::Digest> raced;
    const auto others_are_raced = [&] {
      const std::lock_guard lock(mutex);
      return raced.size() >= 4;
    };
    host.bench.on_compile = [&](int scale) {
      for (int waited = 0; scale == 1 && !others_are_raced() && waited < 5000; ++waited)
        std::this_thread::sleep_for(1ms);
    };
    host.behave = [&](std::size_t, int scale, const model::TrialJob& job) {
      std::this_thread::sleep_for(5ms);
      const std::lock_guard lock(mutex);
      raced.insert(job.key);
      return ok_in(1000.0 / scale);
    };
    host.run();
    CHECK(raced.size() >= 6);
    std::map<std::string, std::set<std::string>> gpus;  // by size
    for (const auto& [key, record] : host.bench.results.trials())
      gpus[record.problem.size_text()].insert(record.gpu);
    CHECK(gpus["1024"].size() == 1);
  }

  TEST_CASE("a problem that nobody has yet is left to a device without one") {
    Host host;
    search_apart<true>(host);
    std::mutex mutex;
    std::set<int> raced;
    const auto is_raced = [&](int scale) {
      const std::lock_guard lock(mutex);
      return raced.contains(scale);
    };
    // 512 has nothing to run until the first of 1024 has ended, and that nothing more before 512 has begun.
    host.bench.on_compile = [&](int scale) {
      const int other = scale == 1 ? 2 : scale == 4 ? 1 : 0;
      for (int waited = 0; other != 0 && !is_raced(other) && waited < 5000; ++waited)
        std::this_thread::sleep_for(1ms);
      if (scale == 1) std::this_thread::sleep_for(30ms);  // now both devices are idle
    };
    host.behave = [&](std::size_t, int scale, const model::TrialJob&) {
      const std::lock_guard lock(mutex);
      raced.insert(scale);
      return ok_in(1000.0 / scale);
    };
    host.run();
    std::map<std::string, std::string> gpus;  // of the first trial of each
    for (const auto& [key, record] : host.bench.results.trials())
      if (record.configuration.text() == (record.problem.size_text() == "512" ? "SCALE=1" : "SCALE=2"))
        gpus[record.problem.size_text()] = record.gpu;
    REQUIRE(gpus.size() == 2);
    CHECK(gpus["512"] != gpus["1024"]);
  }
}
