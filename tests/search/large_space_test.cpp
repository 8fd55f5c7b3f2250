#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <set>
#include <string>

#include "tests/space/spec_builder.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/space/kernel_space.hpp"

namespace tuner::search {
namespace {

/// Eight parameters of ten values, a tenth of it excluded: 9 * 10^7 candidates.
model::KernelSpec large_kernel() {
  model::KernelSpec spec = space::scale_spec();
  spec.name = "large";
  spec.parameters.clear();
  for (const char* name : {"B", "P", "Q", "R", "S", "T", "U", "V"}) {
    std::vector<model::Value> values;
    for (std::int64_t i = 1; i <= 10; ++i) values.emplace_back(i);
    spec.parameters.push_back(space::parameter(name, values));
  }
  spec.constraints = {space::expression("(B + V) % 10 != 0")};
  return spec;
}

struct Large {
  Large() {
    space.problem = problem;
    space.kernels = {{&kernel.spec(), &list}};
    space.candidates.add_whole(0, list.size());
    space.known.resize(space.size());
  }
  /// The nearer to (7, 3, 7, 3 …), the faster; 1000 at best.
  double time_ns(std::size_t candidate) const {
    double sum = 0;
    const auto at = space.coordinates(candidate);
    for (std::size_t p = 0; p < at.size(); ++p) {
      const double off = at[p] - (p % 2 == 0 ? 6.0 : 2.0);
      sum += off * off;
    }
    return 1000 * std::exp(0.02 * sum);
  }
  Result result(std::size_t candidate) const { return {model::TrialStatus::ok, time_ns(candidate)}; }

  space::KernelSpace kernel{large_kernel()};
  model::Problem problem = space::make_problem(kernel.spec(), {1024}, std::nullopt, 0);
  space::ConfigurationList list = kernel.list(problem, {});
  SearchSpace space;
};

/// The best of `trials`, each of which is tried once.
double search_with(const std::string& name, Large& large, int trials) {
  const auto strategy = strategy_named(name).make(large.space, 1);
  std::set<std::size_t> tried;
  double best = 1e300;
  for (int i = 0; i < trials; ++i) {
    const auto proposal = strategy->next();
    REQUIRE(proposal);
    CHECK(tried.insert(proposal->candidate).second);
    CHECK_FALSE(large.space.known[proposal->candidate].has_value());
    if (large.space.offers) CHECK(large.space.offers(proposal->candidate));
    best = std::min(best, large.time_ns(proposal->candidate));
    strategy->report(proposal->candidate, large.result(proposal->candidate));
  }
  return best;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::search");

TEST_CASE("numbers too many to be listed come in a random order, each once") {
  RandomSource random(3);
  const RandomOrderOf order(RandomOrderOf::most_listed + 77, random);
  std::vector<bool> seen(order.size(), false);
  std::size_t rising = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    REQUIRE(order[i] < order.size());
    REQUIRE_FALSE(seen[order[i]]);
    seen[order[i]] = true;
    rising += i > 0 && order[i] > order[i - 1];
  }
  CHECK(std::abs(static_cast<double>(rising) / static_cast<double>(order.size()) - 0.5) < 0.01);
}

TEST_CASE("every strategy searches 9 * 10^7 candidates, and those that look come near the best") {
  for (const auto& [name, most] : {std::pair{"random", 3000.0},
                                   {"exhaustive", 1e6},
                                   {"local", 1100.0},
                                   {"genetic", 1600.0},
                                   {"learn", 1100.0}}) {
    CAPTURE(name);
    Large large;
    REQUIRE(large.space.size() == 90'000'000);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(search_with(name, large, 250) < most);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    MESSAGE(name << " " << took.count() << " s");
  }
}

TEST_CASE("what is known of a large space is not proposed again, and guides") {
  Large large;
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t candidate = i * 400'009;
    large.space.known[candidate] = large.result(candidate);
  }
  for (const char* name : {"random", "exhaustive", "local", "genetic", "learn"}) {
    CAPTURE(name);
    search_with(name, large, 60);
  }
}

TEST_CASE("learn proposes nothing of a large space that is not offered") {
  Large large;
  large.space.offers = [&](std::size_t candidate) { return candidate % 3 == 1; };
  CHECK(search_with("learn", large, 120) < 1500);
}

TEST_CASE("what is begun of a large space is not proposed again, and guides") {
  for (const char* name : {"random", "exhaustive", "local", "genetic", "learn"}) {
    CAPTURE(name);
    Large large;
    large.space.begun = {3, 70'000'001};
    const auto strategy = strategy_named(name).make(large.space, 1);
    for (const std::size_t begun : large.space.begun) strategy->report(begun, large.result(begun));
    for (int i = 0; i < 12; ++i) {
      const auto proposal = strategy->next();
      REQUIRE(proposal);
      CHECK_FALSE(large.space.is_begun(proposal->candidate));
      strategy->report(proposal->candidate, large.result(proposal->candidate));
    }
  }
}

TEST_CASE("exhaustive tries a large space in the order of its lists, from where it is known") {
  Large large;
  for (std::size_t i = 0; i < 5; ++i) large.space.known[i] = large.result(i);
  const auto strategy = strategy_named("exhaustive").make(large.space, 1);
  for (std::size_t i = 5; i < 20; ++i) CHECK(strategy->next()->candidate == i);
}

TEST_CASE("a sample of a large space covers the pairs that a random part of it has") {
  const Large large;
  const std::vector<std::size_t> sample = covering_sample(large.list, 256);
  std::set<std::vector<std::uint16_t>> pairs;
  for (const std::size_t one : sample) {
    const auto at = large.list.coordinates(one);
    pairs.insert({at[0], at[7]});
  }
  CHECK(pairs.size() == 90);
  CHECK(sample.size() <= 256);
}

TEST_SUITE_END();

}  // namespace tuner::search
