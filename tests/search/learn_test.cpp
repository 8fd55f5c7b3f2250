#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <set>
#include <vector>

#include "tests/search/spaces.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/strategies.hpp"

using namespace tuner::search;
using tuner::model::TrialStatus;

namespace {

/// 1024 configurations of three parameters; the fastest is X = 11, Y = 3, Z = 2, far from powers of two.
struct Bowl {
  Bowl() : configurations(parameters()) {
    spec.name = "bowl";
    spec.family = "bowls";
    spec.sizes = {"N"};
    spec.types = {tuner::model::ElementType::float32};
    spec.parameters = parameters();
    space.problem = {"bowls", {{"N", 1024}}, tuner::model::ElementType::float32, 0};
    space.kernels = {{&spec, &configurations}};
    for (std::uint16_t x = 0; x < 16; ++x)
      for (std::uint16_t y = 0; y < 8; ++y)
        for (std::uint16_t z = 0; z < 8; ++z) {
          space.candidates.push_back({0, configurations.size()});
          configurations.add(std::vector<std::uint16_t>{x, y, z});
        }
    space.known.resize(space.size());
  }
  Bowl(const Bowl&) = delete;
  Bowl& operator=(const Bowl&) = delete;

  static std::vector<tuner::model::ParameterSpec> parameters() {
    std::vector<tuner::model::ParameterSpec> all(3);
    const std::int64_t counts[] = {16, 8, 8};
    for (std::size_t p = 0; p < 3; ++p) {
      all[p].name = std::string(1, static_cast<char>('X' + p));
      for (std::int64_t v = 1; v <= counts[p]; ++v) all[p].values.emplace_back(v);
    }
    return all;
  }

  double time_ns(std::size_t candidate) const {
    const auto at = space.coordinates(candidate);
    const double x = at[0] - 10.0, y = at[1] - 2.0, z = at[2] - 1.0;
    return 1e5 * std::exp(0.01 * x * x + 0.05 * y * y + 0.03 * z * z + 0.01 * x * y);
  }
  Result result(std::size_t candidate) const { return {TrialStatus::ok, time_ns(candidate)}; }
  double best_ns() const {
    double best = time_ns(0);
    for (std::size_t i = 1; i < space.size(); ++i) best = std::min(best, time_ns(i));
    return best;
  }

  tuner::model::KernelSpec spec;
  tuner::space::ConfigurationList configurations;
  SearchSpace space;
};

struct Told {
  std::vector<std::size_t> order;
  std::vector<std::string> origins;
  std::vector<Outlook> outlooks;
  std::optional<Outlook> last;  ///< where the search came to its end
};

Told told_of(const SearchSpace& space, std::string_view strategy, std::size_t evaluations,
             const std::function<Result(std::size_t)>& result, std::size_t depth = 1,
             std::uint64_t seed = 1) {
  Told told;
  const auto searcher = strategy_named(strategy).make(space, seed);
  std::deque<std::size_t> under_way;
  while (told.order.size() < evaluations) {
    while (under_way.size() < depth) {
      const auto proposal = searcher->next();
      if (!proposal) break;
      under_way.push_back(proposal->candidate);
      told.origins.push_back(proposal->origin);
    }
    if (under_way.empty()) {
      told.last = searcher->outlook();
      break;
    }
    const std::size_t done = under_way.front();
    under_way.pop_front();
    told.order.push_back(done);
    searcher->report(done, result(done));
    // Asked for now and then: it costs more than a proposal.
    if (told.order.size() % 25 == 0)
      if (const auto outlook = searcher->outlook()) told.outlooks.push_back(*outlook);
  }
  return told;
}

Told told_of(const Bowl& bowl, std::string_view strategy, std::size_t evaluations, std::size_t depth = 1,
             std::uint64_t seed = 1) {
  return told_of(
      bowl.space, strategy, evaluations, [&](std::size_t i) { return bowl.result(i); }, depth, seed);
}

/// Evaluations until within 2 % of the best.
std::size_t needed(const Bowl& bowl, const std::vector<std::size_t>& order) {
  const double best = bowl.best_ns();
  const auto hit =
      std::find_if(order.begin(), order.end(), [&](std::size_t i) { return bowl.time_ns(i) <= 1.02 * best; });
  return static_cast<std::size_t>(hit - order.begin()) + 1;
}

std::size_t median_needed(const Bowl& bowl, std::string_view strategy, std::size_t depth = 1) {
  std::vector<std::size_t> all;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    all.push_back(needed(bowl, told_of(bowl, strategy, 150, depth, seed).order));
  std::sort(all.begin(), all.end());
  return all[2];
}

SearchSpace::Prior prior_of(const Bowl& bowl, const std::function<double(std::size_t)>& time_ns) {
  SearchSpace::Prior prior{"elsewhere", bowl.space.problem, false, {}};
  for (std::size_t i = 0; i < bowl.space.size(); ++i)
    prior.results.push_back(Result{TrialStatus::ok, time_ns(i)});
  return prior;
}

}  // namespace

TEST_SUITE_BEGIN("tuner::search::learn");

TEST_CASE("learn finds the best of a smooth space after a few evaluations, also with many under way") {
  const Bowl bowl;
  CHECK(median_needed(bowl, "learn") <= 40);
  CHECK(median_needed(bowl, "learn", 16) <= 60);
  CHECK(median_needed(bowl, "genetic") <= 150);
  CHECK(median_needed(bowl, "local") <= 150);
}

TEST_CASE("a seed and results determine the order; another seed another one") {
  const Bowl bowl;
  for (const std::string_view strategy : {"learn", "local", "genetic"}) {
    CAPTURE(strategy);
    CHECK(told_of(bowl, strategy, 60, 8, 3).order == told_of(bowl, strategy, 60, 8, 3).order);
    CHECK(told_of(bowl, strategy, 60, 8, 3).order != told_of(bowl, strategy, 60, 8, 4).order);
  }
}

TEST_CASE("what is set of learn is heard: the search takes another course") {
  const Bowl bowl;
  const auto usual = told_of(bowl, "learn", 80, 8, 3).order;
  for (const std::string_view setting : {"start=3", "random=0.5", "local=0.5", "bold=0", "members=1",
                                         "points=20", "covered=64", "pool=1000"}) {
    CAPTURE(setting);
    CHECK(told_of(bowl, "learn:" + std::string(setting), 80, 8, 3).order != usual);
  }
  CHECK(told_of(bowl, "learn:members=4,points=250,covered=1024,pool=20000", 80, 8, 3).order == usual);
}

TEST_CASE("each candidate is tried once, none that is known, all in the end") {
  Bowl bowl;
  for (std::size_t i = 0; i < 900; ++i) bowl.space.known[i] = bowl.result(i);
  for (const std::string_view strategy : {"random", "learn:covered=64", "local", "genetic"}) {
    CAPTURE(strategy);
    const Told told = told_of(bowl, strategy, 2000, 7);
    CHECK(told.order.size() == 124);
    CHECK(std::set<std::size_t>(told.order.begin(), told.order.end()).size() == 124);
    CHECK(std::all_of(told.order.begin(), told.order.end(), [](std::size_t i) { return i >= 900; }));
    const auto outlook = told.last;
    REQUIRE(outlook);
    CHECK(outlook->gain == 0);
    CHECK(outlook->high == 0);
  }
}

TEST_CASE("results of before are learnt from: the next proposals are near the best") {
  Bowl bowl;
  for (std::size_t i = 0; i < bowl.space.size(); i += 11) bowl.space.known[i] = bowl.result(i);
  CHECK(needed(bowl, told_of(bowl, "learn", 100).order) <= 15);
}

TEST_CASE("a region of failures is left") {
  const Bowl bowl;
  // All with X above 8 fail, the best among them.
  const auto fails = [&](std::size_t i) { return bowl.space.coordinates(i)[0] > 7; };
  const Told told = told_of(bowl.space, "learn", 100, [&](std::size_t i) {
    return fails(i) ? Result{TrialStatus::launch_error, std::nullopt} : bowl.result(i);
  });
  CHECK(std::count_if(told.order.begin() + 20, told.order.end(), fails) <= 20);
}

TEST_CASE("nothing but failures is no reason to stop") {
  const Bowl bowl;
  const Told told = told_of(
      bowl.space, "learn", 5000,
      [](std::size_t) {
        return Result{TrialStatus::compile_error, std::nullopt};
      },
      16);
  CHECK(told.order.size() == bowl.space.size());
}

TEST_CASE("a dropped trial is a bound: it is never taken for the best, and its surroundings are left") {
  const Bowl bowl;
  const double cut = 1.5 * bowl.best_ns();
  const auto result = [&](std::size_t i) {
    return bowl.time_ns(i) > cut ? Result{TrialStatus::dropped, cut} : bowl.result(i);
  };
  std::vector<std::size_t> all;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    all.push_back(needed(bowl, told_of(bowl.space, "learn", 120, result, 1, seed).order));
  std::sort(all.begin(), all.end());
  CHECK(all[2] <= 60);
}

TEST_CASE("a good record finds the best at once and is named as the idea's origin") {
  Bowl bowl;
  bowl.space.priors = [&] {
    return std::vector{prior_of(bowl, [&](std::size_t i) { return 3 * bowl.time_ns(i); })};
  };
  const Told told = told_of(bowl, "learn", 30, 16);
  CHECK(needed(bowl, told.order) <= 4);
  CHECK(std::count(told.origins.begin(), told.origins.end(), "elsewhere") >= 8);
}

TEST_CASE("a record of a few per cent of the space helps, too") {
  Bowl bowl;
  auto prior = prior_of(bowl, [&](std::size_t i) { return 2 * bowl.time_ns(i); });
  for (std::size_t i = 0; i < prior.results.size(); ++i)
    if (i % 17 != 3) prior.results[i].reset();
  bowl.space.priors = [&] { return std::vector{prior}; };
  CHECK(median_needed(bowl, "learn", 16) <= 12);
}

TEST_CASE("a misleading record does not hurt much") {
  Bowl bowl;
  bowl.space.priors = [&] {
    return std::vector{prior_of(bowl, [&](std::size_t i) { return 1e12 / bowl.time_ns(i); })};
  };
  CHECK(median_needed(bowl, "learn", 4) <= 90);
}

TEST_CASE("an outlook is never negative, lies in its interval, and shrinks") {
  const Bowl bowl;
  for (const std::string_view strategy : {"learn", "random"}) {
    CAPTURE(strategy);
    // Random search has to see most of the space before little can be left.
    const Told told = told_of(bowl, strategy, strategy == "random" ? 800 : 200);
    REQUIRE(told.outlooks.size() >= 7);
    for (const Outlook& outlook : told.outlooks) {
      CHECK(outlook.low >= 0);
      CHECK(outlook.low <= outlook.gain);
      CHECK(outlook.gain <= outlook.high);
      CHECK(outlook.high <= 1);
      CHECK_FALSE(outlook.estimate.empty());
    }
    CHECK(told.outlooks.back().high < 0.5 * told.outlooks.front().high);
  }
}

TEST_CASE("a compiled candidate is refused only where what it was compiled to was seen to be slow") {
  const Bowl bowl;
  const auto strategy = strategy_named("learn").make(bowl.space, 1);
  const auto compiled = [](bool spills) {
    BinaryFacts facts;
    facts.compile_ms = 100;
    facts.registers = spills ? 255 : 64;
    facts.spilled_bytes = spills ? 2000 : 0;
    facts.occupancy = 0.5;
    return facts;
  };
  int refused_early = 0;
  int refused_spilling = 0;
  int refused_others = 0;
  for (int i = 0; i < 300; ++i) {
    const auto proposal = strategy->next();
    REQUIRE(proposal);
    // What spills nobody can tell from the parameters.
    const bool spills = proposal->candidate * 2654435761U % 7 == 0;
    const bool runs = strategy->compiled(proposal->candidate, compiled(spills));
    if (i < 40) refused_early += !runs;
    (spills ? refused_spilling : refused_others) += !runs;
    Result result = bowl.result(proposal->candidate);
    result.time_ns = *result.time_ns * (spills ? 8 : 1);
    strategy->report(proposal->candidate, runs ? result : Result{TrialStatus::skipped, std::nullopt});
  }
  CHECK(refused_early == 0);
  CHECK(refused_others == 0);
  CHECK(refused_spilling > 0);
}

TEST_CASE("what is not there is no parameter: kernels with parameters of their own are searched together") {
  Bowl bowl;
  tuner::model::KernelSpec other;
  other.name = "other";
  other.family = "bowls";
  other.sizes = {"N"};
  other.types = {tuner::model::ElementType::float32};
  other.parameters.resize(1);
  other.parameters[0].name = "LAYOUT";
  other.parameters[0].values = {tuner::model::Value(std::string("row")),
                                tuner::model::Value(std::string("column"))};
  tuner::space::ConfigurationList list(other.parameters);
  bowl.space.kernels.push_back({&other, &list});
  for (std::uint16_t v : {std::uint16_t{0}, std::uint16_t{1}, tuner::space::ConfigurationList::inactive}) {
    bowl.space.candidates.push_back({1, list.size()});
    list.add(std::vector<std::uint16_t>{v});
  }
  bowl.space.known.resize(bowl.space.size());
  const auto result = [&](std::size_t i) { return i < 1024 ? bowl.result(i) : Result{TrialStatus::ok, 9e5}; };
  const Told told = told_of(bowl.space, "learn", 5000, result, 16);
  CHECK(told.order.size() == 1027);
  CHECK(needed(bowl, std::vector(told.order.begin(), std::find_if(told.order.begin(), told.order.end(),
                                                                  [](std::size_t i) { return i >= 1024; }))) <
        200);
}

TEST_CASE("settings are refused where there is none of the name, or the value is out of its range") {
  const auto refusal = [](std::string_view text) {
    try {
      strategy_named(text);
    } catch (const tuner::model::UsageError& error) {
      return std::string(error.what()) + "; " + error.hint();
    }
    return std::string("accepted");
  };
  CHECK(refusal("genetic:population=20,mutation=0.1") == "accepted");
  CHECK(refusal("learn") == "accepted");
  CHECK(refusal("genetic:popluation=20").find("did you mean `population`?") != std::string::npos);
  CHECK(refusal("genetic:size=20").find("there are population, mutation or ahead") != std::string::npos);
  CHECK(refusal("genetic:population=1").find("from 2 to 10000") != std::string::npos);
  CHECK(refusal("genetic:population=2.5").find("whole number") != std::string::npos);
  CHECK(refusal("genetic:population=").find("population is ``") != std::string::npos);
  CHECK(refusal("genetic:mutation=nan") != "accepted");
  CHECK(refusal("genetic:mutation=0.1,mutation=0.2").find("twice") != std::string::npos);
  CHECK(refusal("random:seed=1").find("it has none") != std::string::npos);
  CHECK(refusal("auto:start=3").find("`auto` has no settings") != std::string::npos);
  CHECK(refusal("genetic:") == "accepted");
}

TEST_SUITE_END();
