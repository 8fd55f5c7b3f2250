#include "tuner/search/strategies.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/search/spaces.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/open_candidates.hpp"

using namespace tuner::search;

namespace {

std::vector<std::size_t> drain(Strategy& strategy) {
  std::vector<std::size_t> all;
  while (const auto proposal = strategy.next()) all.push_back(proposal->candidate);
  return all;
}

std::vector<std::size_t> order(std::string_view name, std::size_t size, std::uint64_t seed) {
  const tuner::test::LineSpace line(size);
  return drain(*strategy_named(name).make(line.space, seed));
}

}  // namespace

TEST_SUITE_BEGIN("tuner::search");

TEST_CASE("every strategy proposes every candidate once and then nothing") {
  for (const StrategyKind& kind : strategies()) {
    CAPTURE(kind.name);
    for (const std::size_t size : {0U, 1U, 2U, 1000U}) {
      std::vector<std::size_t> all = order(kind.name, size, 7);
      CHECK(all.size() == size);
      CHECK(std::set<std::size_t>(all.begin(), all.end()).size() == size);
      CHECK(std::all_of(all.begin(), all.end(), [&](std::size_t candidate) { return candidate < size; }));
    }
    const tuner::test::LineSpace line(3);
    const auto strategy = strategy_named(kind.name).make(line.space, 1);
    drain(*strategy);
    CHECK_FALSE(strategy->next().has_value());
    CHECK_FALSE(kind.description.empty());
  }
}

TEST_CASE("what is begun before a strategy is asked is not proposed, and is heard of like its own") {
  for (const StrategyKind& kind : strategies()) {
    CAPTURE(kind.name);
    tuner::test::LineSpace line(60);
    line.space.begun = {7, 31};
    const auto strategy = strategy_named(kind.name).make(line.space, 3);
    std::set<std::size_t> seen = {7, 31};
    for (const std::size_t begun : line.space.begun) strategy->report(begun, {{}, 1000});
    while (const auto proposal = strategy->next()) {
      CHECK(seen.insert(proposal->candidate).second);
      strategy->report(proposal->candidate, {{}, 1000.0 + static_cast<double>(proposal->candidate)});
    }
    CHECK(seen.size() == 60);
    CHECK(strategy->outlook() == exhausted());
  }
}

TEST_CASE("what was begun is no draw of random order") {
  tuner::test::LineSpace line(200);
  line.space.begun = {7, 31};
  const auto strategy = strategy_named("random").make(line.space, 1);
  for (const std::size_t begun : line.space.begun) strategy->report(begun, {{}, 900});
  for (int i = 0; i < 20; ++i)
    strategy->report(strategy->next()->candidate, {{}, 1000.0 + static_cast<double>(i)});
  CHECK(strategy->outlook()->faster == doctest::Approx(most_faster(198, 20)));
}

TEST_CASE("who goes by results proposes few before there are any; the others do not wait") {
  const tuner::test::LineSpace line(1000);
  for (const StrategyKind& kind : strategies()) {
    CAPTURE(kind.name);
    const bool waits = kind.name != "random" && kind.name != "exhaustive";
    CHECK((strategy_named(kind.name).make(line.space, 1)->lookahead() <= 24) == waits);
    if (waits)
      CHECK(strategy_named(std::string(kind.name) + ":ahead=7").make(line.space, 1)->lookahead() == 7);
  }
}

TEST_CASE("exhaustive keeps the written order") {
  CHECK(order("exhaustive", 5, 99) == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("a seed means the same order on every platform") {
  CHECK(order("random", 10, 42) == std::vector<std::size_t>{1, 7, 9, 0, 3, 8, 4, 2, 5, 6});
  CHECK(order("random", 1000, 1) == order("random", 1000, 1));
  CHECK(order("random", 1000, 1) != order("random", 1000, 2));
}

TEST_CASE("random orders are all equally likely") {
  std::map<std::vector<std::size_t>, int> seen;
  constexpr int seeds = 6000;
  for (int seed = 0; seed < seeds; ++seed) ++seen[order("random", 3, static_cast<std::uint64_t>(seed))];
  REQUIRE(seen.size() == 6);
  // Standard deviation of each count: sqrt(6000 * 1/6 * 5/6) = 29; 150 is beyond five of them.
  for (const auto& [permutation, times] : seen) CHECK(std::abs(times - seeds / 6) < 150);
}

TEST_CASE("numbers stay below their bound, and all of them occur") {
  RandomSource random(3);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6});
  CHECK(random.below(1) == 0);
  CHECK(random.below(~std::uint64_t{0}) < ~std::uint64_t{0});
}

TEST_CASE("what is known is not proposed, and changes nothing in the order of the rest") {
  for (const std::string_view kind : {"random", "exhaustive"}) {
    CAPTURE(kind);
    tuner::test::LineSpace line(100);
    std::vector<std::size_t> rest = drain(*strategy_named(kind).make(line.space, 5));
    for (std::size_t i = 10; i < 60; ++i)
      line.space.known[rest[i]] = Result{tuner::model::TrialStatus::ok, 1000.0};
    std::erase_if(rest, [&](std::size_t candidate) { return line.space.known[candidate].has_value(); });
    CHECK(rest.size() == 50);
    CHECK(drain(*strategy_named(kind).make(line.space, 5)) == rest);
  }
}

TEST_CASE("reports may come late and tell of failures") {
  for (const StrategyKind& kind : strategies()) {
    const tuner::test::LineSpace line(4);
    const auto strategy = strategy_named(kind.name).make(line.space, 1);
    const auto first = strategy->next();
    const auto second = strategy->next();
    REQUIRE((first && second));
    strategy->report(second->candidate, {tuner::model::TrialStatus::crashed, std::nullopt});
    strategy->report(first->candidate, {tuner::model::TrialStatus::dropped, 5e6});
    CHECK(drain(*strategy).size() == 2);
  }
}

TEST_CASE("an unknown strategy is refused with the names there are, or the one that was meant") {
  const auto refusal = [](std::string_view name) {
    try {
      strategy_named(name);
    } catch (const tuner::model::UsageError& error) {
      CHECK(std::string(error.what()).find(name) != std::string::npos);
      return std::string(error.hint());
    }
    return std::string("accepted");
  };
  CHECK(refusal("anealing") == "there are auto, random, exhaustive, learn, local or genetic");
  CHECK(refusal("exhaustiv").find("exhaustive") != std::string::npos);
}

TEST_CASE("a candidate's coordinates are those of its kernel's values") {
  const tuner::test::LineSpace line(5);
  for (std::size_t i = 0; i < line.space.size(); ++i) {
    REQUIRE(line.space.coordinates(i).size() == 1);
    CHECK(line.space.coordinates(i)[0] == i);
  }
}

TEST_CASE("a time is one to go by where it was measured and is above nothing") {
  using tuner::model::TrialStatus;
  CHECK(comparable_time_ns({TrialStatus::ok, 5}) == 5);
  CHECK(comparable_time_ns({TrialStatus::dropped, 5}) == 5);
  CHECK_FALSE(comparable_time_ns({TrialStatus::wrong_result, 5}));
  CHECK_FALSE(comparable_time_ns({TrialStatus::ok, 0}));
  CHECK_FALSE(comparable_time_ns({TrialStatus::ok, std::nullopt}));
}

TEST_SUITE_END();
