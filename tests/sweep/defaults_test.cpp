#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/sweep/scale_bench.hpp"
#include "tuner/search/strategies.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// A bench whose spec's default is SCALE=`scale`, the slowest of all but one, of which `trials` are tried.
struct Defaults : Bench {
  explicit Defaults(std::int64_t scale = 2, std::optional<std::int64_t> trials = std::nullopt) {
    adjust = [this, scale, trials](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      spec.defaults = {{"SCALE", scale}};
      if (edit) edit(spec);
      request.work[0].kernel = space::KernelSpace(spec);
      request.strategy = strategy;
      request.budget.trials = trials;
      request.shard = shard;
    };
  }
  std::string strategy = "random";
  std::optional<sweep::Shard> shard;
  std::function<void(model::KernelSpec&)> edit;
};

void add_values(model::KernelSpec& spec) {
  model::ParameterSpec parameter;
  parameter.name = "OTHER";
  for (std::int64_t value = 1; value <= 20; ++value) parameter.values.emplace_back(value);
  spec.parameters.push_back(parameter);
  spec.defaults.push_back({"OTHER", std::int64_t{13}});
}

/// Eight parameters of ten values: too many to be listed.
void make_large(model::KernelSpec& spec) {
  for (int i = 0; i < 8; ++i) {
    model::ParameterSpec parameter;
    parameter.name = "P" + std::to_string(i);
    for (std::int64_t value = 1; value <= 10; ++value) parameter.values.emplace_back(value);
    spec.parameters.push_back(parameter);
    spec.defaults.push_back({parameter.name, std::int64_t{i + 2}});
  }
}

}  // namespace

TEST_SUITE("tuner::sweep defaults") {
  TEST_CASE("whatever the strategy, each problem begins with the default") {
    for (const search::StrategyKind& kind : search::strategies()) {
      for (const auto& edit : {std::function<void(model::KernelSpec&)>(add_values), {make_large}}) {
        CAPTURE(kind.name);
        Defaults bench(4, 2);
        bench.strategy = kind.name;
        bench.edit = edit;
        bench.sizes = {1024, 2048};
        std::vector<model::TrialRecord> first;
        bench.watcher.on_finished = [&](const model::TrialRecord& trial) { first.push_back(trial); };
        bench.run();
        REQUIRE(first.size() == 2);
        for (const model::TrialRecord& trial : first) {
          CHECK(trial.is_default);
          CHECK(trial.origin == "default");
        }
        CHECK(first[0].problem != first[1].problem);
      }
    }
  }

  TEST_CASE("a sweep to the end tries the default once, and what it tries next is the strategy's") {
    for (const search::StrategyKind& kind : search::strategies()) {
      CAPTURE(kind.name);
      Defaults bench(4);
      bench.strategy = std::string(kind.name);
      CHECK(bench.run().finished == 5);
      CHECK(bench.launched.front() == 4);
      std::vector<int> tried = bench.launched;
      std::ranges::sort(tried);
      CHECK(tried == std::vector{1, 2, 4, 8, 16});
      CHECK(bench.trial("SCALE=8").origin != "default");
      CHECK(bench.watcher.searches.at(0).ending == model::SearchEnding::exhausted);
      CHECK(bench.run().finished == 0);
    }
  }

  TEST_CASE("a default that is known, excluded or another shard's is not tried") {
    Defaults bench(4, 1);
    SUBCASE("known") {
      bench.run();
      bench.run();
      CHECK(bench.trial("SCALE=4").origin == "default");
      CHECK(bench.launched != std::vector{4});
    }
    SUBCASE("excluded") {
      bench.edit = [](model::KernelSpec& spec) { spec.constraints = {{"SCALE != 4", {}}}; };
      bench.run();
      CHECK(bench.launched != std::vector{4});
    }
    SUBCASE("another shard's") {
      int began_with_it = 0;
      for (const int number : {1, 2, 3}) {
        Defaults part(4);
        part.shard = sweep::Shard{number, 3};
        part.run();
        if (!part.launched.empty() && part.launched.front() == 4) ++began_with_it;
        CHECK(std::ranges::count(part.launched, 4) <= 1);
      }
      CHECK(began_with_it == 1);
    }
    CHECK(bench.launched.size() <= 1);
  }

  TEST_CASE("rivals begin with their defaults each, libraries come before") {
    Defaults bench(16, 3);
    const auto one = bench.adjust;
    bench.adjust = [&](sweep::Request& request) {
      one(request);
      model::KernelSpec rival = scale_spec();
      rival.name = "rival";
      rival.defaults = {{"SCALE", std::int64_t{8}}};
      request.work.push_back({space::KernelSpace(rival), request.work.front().problems});
      add_library(request);
    };
    bench.run();
    std::ranges::sort(bench.launched);
    CHECK(bench.launched == std::vector{8, 16, library_scale});
  }

  TEST_CASE("a default that does not compile leaves the search to its strategy") {
    Defaults bench(4);
    bench.broken = {"4"};
    bench.run();
    CHECK(bench.trial("SCALE=4").outcome.status == model::TrialStatus::compile_error);
    CHECK(bench.launched.size() == 4);
  }
}
