#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include "db/best.hpp"
#include "tests/support/contains.hpp"
#include "tests/sweep/saved.hpp"
#include "tuner/util/files.hpp"

namespace tuner::test {
namespace {

/// SCALE and seven parameters of ten values: 5 * 10^7 configurations, nine tenths of them valid; blocks of
/// more than 1024 threads cannot be launched.
void enlarge(sweep::Request& request) {
  model::KernelSpec spec = scale_spec();
  for (int i = 0; i < 7; ++i) {
    model::ParameterSpec parameter;
    parameter.name = "P" + std::to_string(i);
    for (std::int64_t value = 1; value <= 10; ++value) parameter.values.emplace_back(value);
    spec.parameters.push_back(parameter);
  }
  spec.constraints = {{"(P0 + P6) % 10 != 0", {}}};
  spec.steps[0].block = {{"16 * P1 * P2", {}}};
  request.work[0].kernel = space::KernelSpace(spec);
}

constexpr std::int64_t valid = 45'000'000;

bool is_launchable(const model::Configuration& configuration) {
  return 16 * configuration.find("P1")->code() * configuration.find("P2")->code() <= 1024;
}

struct Large : Bench {
  explicit Large(const std::string& strategy, std::int64_t trials = 30) {
    adjust = [this, strategy, trials](sweep::Request& request) {
      enlarge(request);
      request.strategy = strategy;
      request.budget.trials = trials;
      request.shard = shard;
      request.seed = seed++;
    };
    behave = [](int scale, const model::TrialJob& job) {
      return ok_in(1000.0 / scale + static_cast<double>(job.plan.steps[0].block.x));
    };
  }
  std::optional<sweep::Shard> shard;
  std::uint64_t seed = 7;
};

}  // namespace

TEST_SUITE("tuner::sweep large spaces") {
  TEST_CASE("a space that looks the same at all sizes is looked through once, however irregular") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      std::string mixed = "1";
      for (int i = 0; i < 8; ++i) {
        model::ParameterSpec parameter;
        parameter.name = "P" + std::to_string(i);
        for (std::int64_t value = 1; value <= 64; ++value) parameter.values.emplace_back(value);
        spec.parameters.push_back(parameter);
        mixed = "(" + mixed + " * 31 + P" + std::to_string(i) + ")";
      }
      spec.constraints = {{mixed + " % 3 != 0", {}}};
      request.work[0].kernel = space::KernelSpace(spec);
    };
    const auto looks_at = [&](const std::vector<std::int64_t>& sizes) {
      bench.sizes = sizes;
      int looks = 0;
      const sweep::TrialList list =
          sweep::list_trials(bench.request(), bench.results, [&] { return ++looks < 50; });
      CHECK(list.groups.size() == sizes.size());
      CHECK(list.notices.size() == 1);
      return looks;
    };
    const int at_one = looks_at({1024});
    CHECK(looks_at({1024, 2048, 4096, 8192, 16384}) == at_one);
  }

  TEST_CASE("the search of a random draw is not remembered as one of the space") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      std::string sum = "0";
      for (int i = 0; i < 8; ++i) {
        model::ParameterSpec parameter;
        parameter.name = "P" + std::to_string(i);
        for (std::int64_t value = 0; value < 20; ++value) parameter.values.emplace_back(value);
        spec.parameters.push_back(parameter);
        sum +=
            " + P" + std::to_string(i) + " * P" + std::to_string((i + 3) % 8) + " * " + std::to_string(i + 1);
      }
      spec.constraints = {{sum + " == 9500", {}}};
      request.work[0].kernel = space::KernelSpace(spec);
      request.policy.final.finalists = 0;
    };
    const sweep::Request request = bench.request();
    REQUIRE(sweep::list_trials(request, bench.results).groups.at(0).lists.at(0).is_sample());
    CHECK(bench.run().finished > 0);
    CHECK(bench.watcher.searches.empty());
    const model::Problem& problem = request.work[0].problems[0];
    CHECK_FALSE(bench.results.searched(problem, sweep::environment(request, problem.type)));
  }

  TEST_CASE("where nothing of a large space can be launched no strategy walks through it") {
    for (const char* strategy : {"random", "local", "genetic", "learn"}) {
      CAPTURE(strategy);
      Bench bench;
      bench.adjust = [&](sweep::Request& request) {
        enlarge(request);
        model::KernelSpec spec = request.work[0].kernel.spec();
        spec.steps[0].block = {{"1025 * P1", {}}};
        request.work[0].kernel = space::KernelSpace(spec);
        request.strategy = strategy;
      };
      const auto begin = std::chrono::steady_clock::now();
      CHECK(bench.run().finished == 0);
      CHECK(sweep::list_trials(bench.request(), bench.results).total() == 1);  // nobody knows that none is
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      CHECK(took.count() < 60);
    }
  }

  TEST_CASE("what nobody had time to look at is left out, and says so") {
    Bench bench;
    bench.adjust = enlarge;
    bench.sizes = {1024, 2048};
    const sweep::TrialList list = sweep::list_trials(bench.request(), bench.results, [] { return false; });
    CHECK(list.groups.empty());
    REQUIRE(list.excluded.size() == 2);
    CHECK(contains(list.excluded[0].reason, "the budget has to measure, too"));
  }

  TEST_CASE("all lists of a sweep together are as long as one may be; longer ones are counted") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      for (const char* name : {"A", "B", "C", "D"}) {
        model::ParameterSpec parameter;
        parameter.name = name;
        for (std::int64_t value = 1; value <= 10; ++value) parameter.values.emplace_back(value);
        spec.parameters.push_back(parameter);
      }
      request.work[0].kernel = space::KernelSpace(spec);
    };
    const sweep::TrialList one = sweep::list_trials(bench.request(), bench.results);
    CHECK(one.groups.at(0).lists.at(0).counted() == nullptr);
    bench.sizes.clear();
    for (std::int64_t size = 1; size <= 49; ++size) bench.sizes.push_back(100 * size);
    const sweep::TrialList many = sweep::list_trials(bench.request(), bench.results);
    CHECK(many.groups.size() == 49);
    CHECK(many.groups.at(0).lists.at(0).counted() != nullptr);
    CHECK(many.total() == 49 * one.total());
  }

  TEST_CASE("every strategy goes on where it was in a space too large to be listed") {
    for (const char* strategy : {"auto", "learn", "random", "local", "genetic", "exhaustive"}) {
      CAPTURE(strategy);
      Large bench(strategy);
      const auto begin = std::chrono::steady_clock::now();
      const sweep::Summary first = bench.run();
      CHECK(static_cast<double>(first.planned) == doctest::Approx(0.91 * valid).epsilon(0.06));
      CHECK(first.known == 0);
      CHECK(first.finished == 30);
      CHECK(first.ending == sweep::Ending::budget_spent);
      const sweep::Summary second = bench.run();
      CHECK(second.known == 30);
      CHECK(second.finished == 30);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      CHECK(took.count() < 60);  // two searches, in a debug build under load
      const auto trials = bench.results.trials();
      CHECK(trials.size() == 60);
      for (const auto& [key, trial] : trials) CHECK(is_launchable(trial.configuration));
      REQUIRE_FALSE(bench.watcher.searches.empty());
      const model::SearchRecord& search = bench.watcher.searches.back();
      CHECK(search.parts.at(0).candidates == valid);
      CHECK(search.tried == 60);
      CHECK(search.ending == model::SearchEnding::budget);
    }
  }

  TEST_CASE("what cannot be launched of a large space is told by a sample, as about") {
    Large bench("random");
    const sweep::Request request = bench.request();
    const sweep::TrialList list = sweep::list_trials(request, bench.results);
    REQUIRE(list.unlaunchable.size() == 1);
    CHECK(list.unlaunchable[0].is_about);
    CHECK(list.unlaunchable[0].of == valid);
    // 9 of the 100 products of two numbers up to ten are above 64.
    const double share = static_cast<double>(list.unlaunchable[0].configurations) / valid;
    CHECK(share == doctest::Approx(0.09).epsilon(0.6));
    CHECK(contains(list.unlaunchable[0].example, "1024"));
    CHECK(list.total() == valid - list.unlaunchable[0].configurations);
  }

  TEST_CASE("shards of a large space share it, and merge into one") {
    Large whole("random", 20);
    const std::int64_t all = sweep::list_trials(whole.request(), whole.results).total();
    std::set<std::string> seen;
    for (int number = 1; number <= 3; ++number) {
      Large bench("random", 20);
      bench.shard = sweep::Shard{number, 3};
      CHECK(std::abs(bench.run().planned - all / 3) <= 1);
      for (const auto& [key, trial] : bench.results.trials()) {
        CHECK(bench.shard->has("scale", trial.configuration));
        CHECK(seen.insert(trial.configuration.text()).second);
        whole.results.store.record(trial);
      }
      REQUIRE(bench.watcher.searches.size() == 1);
      CHECK_FALSE(bench.watcher.searches[0].outlook.has_value());
    }
    const sweep::Summary summary = whole.run();
    CHECK(summary.known == 60);
    CHECK(summary.finished == 20);
  }

  TEST_CASE("searches of a large space in several databases, merged in any order, are one search") {
    const util::TemporaryFolder folder;
    std::set<std::string> seen;
    std::vector<std::filesystem::path> files;
    for (const std::uint64_t seed : {1, 2, 3}) {
      Large bench("random", 20);
      bench.seed = seed;
      bench.run();
      for (const auto& [key, trial] : bench.results.trials()) seen.insert(trial.configuration.text());
      files.push_back(folder.path() / (std::to_string(seed) + ".db"));
      save(bench, files.back());
    }
    for (int order = 0; order < 2; ++order) {
      Large merged("random", 20);
      for (const auto& file : files) merge(merged, file);
      merge(merged, files.front());  // again
      const auto answers = db::best_of_each(merged.results.store.connection(), {});
      REQUIRE(answers.size() == 1);
      REQUIRE(answers[0].searched);
      CHECK(answers[0].searched->candidates == valid);
      CHECK(answers[0].searched->tried == static_cast<std::int64_t>(seen.size()));
      const sweep::Summary summary = merged.run();
      CHECK(static_cast<double>(summary.planned) == doctest::Approx(0.91 * valid).epsilon(0.06));
      CHECK(summary.known == static_cast<std::int64_t>(seen.size()));
      CHECK(summary.finished == 20);
      CHECK(merged.results.trials().size() == seen.size() + 20);
      std::reverse(files.begin(), files.end());
    }
  }

  TEST_CASE("what is known of a large space on one size guides its search on the next") {
    Large bench("learn", 200);
    bench.sizes = {1024, 2048};
    bench.adjust = [](sweep::Request& request) {
      enlarge(request);
      request.strategy = "learn";
      request.budget.trials = 60;
    };
    bench.run();
    bench.run();
    std::set<std::string> origins;
    for (const auto& [key, trial] : bench.results.trials()) origins.insert(trial.origin);
    CHECK(bench.results.trials().size() == 120);
  }

  TEST_CASE("a space that nobody finds a configuration of is left out, as one that may have none") {
    Bench bench;
    bench.adjust = [](sweep::Request& request) {
      model::KernelSpec spec = scale_spec();
      std::string sum = "SCALE";
      for (int i = 0; i < 12; ++i) {
        model::ParameterSpec parameter;
        parameter.name = "P" + std::to_string(i);
        for (std::int64_t value = 1; value <= 100; ++value) parameter.values.emplace_back(value);
        spec.parameters.push_back(parameter);
        sum = "(" + sum + ") * 3 + " + parameter.name;
      }
      spec.constraints = {{sum + " == 0", {}}};
      request.work[0].kernel = space::KernelSpace(spec);
    };
    int asked = 0;
    const sweep::TrialList list =
        sweep::list_trials(bench.request(), bench.results, [&] { return ++asked < 4; });
    CHECK(list.groups.empty());
    REQUIRE(list.excluded.size() == 1);
    CHECK(contains(list.excluded[0].reason, "no valid configuration was found"));
  }
}

}  // namespace tuner::test
