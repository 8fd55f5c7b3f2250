// Where a strategy, a neighbourhood or an expectation that is nearly right differs from what is.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <vector>

#include "tests/search/spaces.hpp"
#include "tuner/model/error.hpp"
#include "tuner/search/learn/particle.hpp"
#include "tuner/search/open_candidates.hpp"
#include "tuner/search/strategies.hpp"
#include "tuner/search/strategy.hpp"

using namespace tuner::search;
using tuner::model::TrialStatus;

TEST_SUITE("tuner::search") {
  namespace {

  /// Two kernels with parameters X and Y of `values` values each, nothing known.
  struct Plane {
    explicit Plane(std::int64_t values = 4) {
      for (const char* name : {"one", "two"}) kernels.push_back(kernel(name, values));
      const auto problem = tuner::space::make_problem(kernels[0].spec(), {1024}, std::nullopt, 0);
      for (auto& each : kernels) lists.push_back(each.list(problem, tuner::model::DeviceLimits{}));
      space.problem = problem;
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        space.kernels.push_back({&kernels[k].spec(), &lists[k]});
        for (std::size_t i = 0; i < lists[k].size(); ++i) space.candidates.push_back({k, i});
      }
      space.known.resize(space.candidates.size());
    }
    Plane(const Plane&) = delete;
    Plane& operator=(const Plane&) = delete;

    std::vector<std::uint16_t> at(std::size_t candidate) const {
      const auto here = space.coordinates(candidate);
      return {here.begin(), here.end()};
    }
    std::size_t kernel_of(std::size_t candidate) const { return space.candidates[candidate].kernel; }
    /// In how many parameters they differ.
    int distance(std::size_t a, std::size_t b) const {
      return (at(a)[0] != at(b)[0]) + (at(a)[1] != at(b)[1]);
    }

    std::vector<tuner::space::KernelSpace> kernels;
    std::vector<tuner::space::ConfigurationList> lists;
    SearchSpace space;

   private:
    static tuner::space::KernelSpace kernel(const std::string& name, std::int64_t values) {
      tuner::model::KernelSpec spec;
      spec.name = name;
      spec.family = "planes";
      spec.sizes = {"N"};
      spec.types = {tuner::model::ElementType::float32};
      for (const char* parameter : {"X", "Y"}) {
        tuner::model::ParameterSpec& one = spec.parameters.emplace_back();
        one.name = parameter;
        for (std::int64_t value = 0; value < values; ++value) one.values.emplace_back(value);
      }
      tuner::model::StepSpec launch;
      launch.entry = name;
      launch.grid = {{"1", {}}};
      launch.block = {{"32", {}}};
      spec.steps = {launch};
      return tuner::space::KernelSpace(spec);
    }
  };

  Result took(double time_ns, TrialStatus status = TrialStatus::ok) {
    return {status, time_ns};
  }

  /// Whether all that local search proposes behind its first place, whose results are `later`, lies around
  /// that.
  bool stays_around_first(const Result& later) {
    const Plane plane;
    const auto strategy = strategy_named("local").make(plane.space, 3);
    const std::size_t first = strategy->next()->candidate;
    strategy->report(first, took(100));
    for (int i = 0; i < 6; ++i) {
      const std::size_t next = strategy->next()->candidate;
      if (plane.kernel_of(next) != plane.kernel_of(first) || plane.distance(next, first) != 1) return false;
      strategy->report(next, later);
    }
    return true;
  }

  /// Of `children` that genetic search proposes once it has what `plane` knows and `drawn` more that had no
  /// time, how many are of the first kernel.
  int of_first_kernel(const Plane& plane, const char* name, int drawn, int children) {
    const auto strategy = strategy_named(name).make(plane.space, 1);
    for (int i = 0; i < drawn; ++i) {
      const auto proposal = strategy->next();
      CHECK(proposal->origin == "random");
      strategy->report(proposal->candidate, {TrialStatus::launch_error, std::nullopt});
    }
    int count = 0;
    for (int i = 0; i < children; ++i) {
      const auto proposal = strategy->next();
      CHECK(proposal->origin == "genetic");
      count += plane.kernel_of(proposal->candidate) == 0 ? 1 : 0;
    }
    return count;
  }

  using tuner::search::learn::Observation;

  Observation observed(double log_time, Observation::Kind kind = Observation::Kind::time) {
    return {0, kind, log_time};
  }

  }  // namespace

  TEST_CASE("neighbours differ in one parameter, and are of one kernel") {
    const Plane plane;
    const Neighbourhood neighbourhood(plane.space);
    for (std::size_t candidate = 0; candidate < plane.space.size(); ++candidate) {
      const std::vector<std::size_t> around = neighbourhood.around(candidate);
      CHECK(std::set<std::size_t>(around.begin(), around.end()).size() == 6);
      for (const std::size_t other : around) {
        CHECK(plane.distance(candidate, other) == 1);
        CHECK(plane.kernel_of(candidate) == plane.kernel_of(other));
      }
    }
  }

  TEST_CASE("a child has parameters of both parents, which are of one kernel") {
    const Plane plane;
    const Neighbourhood neighbourhood(plane.space);
    RandomSource random(1);
    const std::size_t mother = *neighbourhood.find(0, std::array<std::uint16_t, 2>{0, 0});
    const std::size_t father = *neighbourhood.find(0, std::array<std::uint16_t, 2>{3, 3});
    std::set<std::vector<std::uint16_t>> children;
    for (int i = 0; i < 100; ++i) children.insert(plane.at(*neighbourhood.cross(mother, father, random)));
    CHECK(children == std::set<std::vector<std::uint16_t>>{{0, 0}, {0, 3}, {3, 0}, {3, 3}});
    const std::size_t stranger = *neighbourhood.find(1, std::array<std::uint16_t, 2>{3, 3});
    CHECK_FALSE(neighbourhood.cross(mother, stranger, random));
  }

  TEST_CASE("every strategy that hears of results still proposes every candidate once") {
    for (const StrategyKind& kind : strategies()) {
      CAPTURE(kind.name);
      const Plane plane;
      const auto strategy = strategy_named(kind.name).make(plane.space, 5);
      std::set<std::size_t> seen;
      while (const auto proposal = strategy->next()) {
        CHECK(seen.insert(proposal->candidate).second);
        if (seen.size() > plane.space.size()) break;
        strategy->report(proposal->candidate,
                         took(100.0 + static_cast<double>(proposal->candidate * 7 % 32)));
      }
      CHECK(seen.size() == plane.space.size());
      REQUIRE(strategy->outlook());
      CHECK(strategy->outlook()->high == 0);
    }
  }

  TEST_CASE("local search stays where it is fastest, and a dropped trial's time is no place") {
    CHECK(stays_around_first(took(200)));
    CHECK(stays_around_first(took(50, TrialStatus::dropped)));
    CHECK_FALSE(stays_around_first(took(50)));
  }

  TEST_CASE(
      "where no neighbour is faster local search jumps from its best, and to new places as often as told") {
    const auto near_best = [](const char* name) {
      Plane plane(40);
      plane.space.known[17] = took(100);
      plane.space.known[2000] = took(150);
      const auto strategy = strategy_named(name).make(plane.space, 1);
      // The neighbours of the best come first; they are under way from then on.
      for (int i = 0; i < 78; ++i) CHECK(strategy->next()->origin == "local");
      int near = 0;
      for (int i = 0; i < 40; ++i) {
        const auto proposal = strategy->next();
        CHECK(proposal->origin == "random");
        near += plane.kernel_of(proposal->candidate) == 0 ? 1 : 0;
      }
      return near;
    };
    CHECK(near_best("local:kick=8,restart=0") >= 34);
    CHECK(near_best("local:kick=8,restart=1") < 30);
  }

  TEST_CASE("local search goes on around a slower place once nothing of the last one is under way") {
    Plane plane(10);
    const auto strategy = strategy_named("local:restart=1").make(plane.space, 1);
    const std::size_t first = strategy->next()->candidate;
    strategy->report(first, took(100));
    SUBCASE("while others are") {
      std::vector<std::size_t> near;
      for (int i = 0; i < 18; ++i) near.push_back(strategy->next()->candidate);
      const auto meanwhile = strategy->next();
      CHECK(meanwhile->origin == "random");
      for (const std::size_t one : near) strategy->report(one, took(200));
      CHECK(strategy->next()->origin == "random");
      strategy->report(meanwhile->candidate, took(150));
      CHECK(strategy->next()->origin == "local");
      return;
    }
    for (int i = 0; i < 18; ++i) strategy->report(strategy->next()->candidate, took(200));
    const auto elsewhere = strategy->next();
    CHECK(elsewhere->origin == "random");
    strategy->report(elsewhere->candidate, took(150));
    const auto around = strategy->next();
    CHECK(around->origin == "local");
    CHECK(plane.distance(around->candidate, elsewhere->candidate) == 1);
    CHECK(plane.kernel_of(around->candidate) == plane.kernel_of(elsewhere->candidate));
  }

  TEST_CASE("a switch takes what hangs on it along, on as well as off") {
    tuner::model::KernelSpec spec;
    spec.parameters.resize(4);
    for (std::size_t p = 0; p < 4; ++p) {
      spec.parameters[p].name = std::string(1, static_cast<char>('A' + p));
      spec.parameters[p].values = {tuner::model::Value(1), tuner::model::Value(2)};
      if (p == 1 || p == 2) spec.parameters[p].when = tuner::model::Expression{"A == 2", {}};
    }
    tuner::space::ConfigurationList list(spec.parameters);
    SearchSpace space;
    space.kernels = {{&spec, &list}};
    constexpr std::uint16_t off = tuner::space::ConfigurationList::inactive;
    const auto add = [&](std::array<std::uint16_t, 4> at) {
      space.candidates.push_back({0, list.size()});
      list.add(at);
    };
    for (std::uint16_t d = 0; d < 2; ++d) {
      add({0, off, off, d});
      for (std::uint16_t b = 0; b < 2; ++b)
        for (std::uint16_t c = 0; c < 2; ++c) add({1, b, c, d});
    }
    space.known.resize(space.size());
    const Neighbourhood neighbourhood(space);
    const auto around = [&](std::size_t candidate) {
      const auto found = neighbourhood.around(candidate);
      return std::set<std::size_t>(found.begin(), found.end());
    };
    CHECK(around(0) == std::set<std::size_t>{1, 5});
    CHECK(around(1) == std::set<std::size_t>{0, 2, 3, 6});
    CHECK(around(4) == std::set<std::size_t>{0, 2, 3, 9});
    RandomSource random(1);
    std::set<std::size_t> met;
    for (int i = 0; i < 200; ++i)
      if (const auto step = neighbourhood.step(4, random)) met.insert(*step);
    for (const std::size_t one : around(4)) CHECK(met.contains(one));
    CHECK_FALSE(met.contains(4));
  }

  TEST_CASE(
      "learn begins with as many results as its settings say, then proposes by model, neighbours or chance") {
    const auto origins = [](const char* name, int results) {
      const Plane plane(8);
      const auto strategy = strategy_named(name).make(plane.space, 1);
      std::vector<std::string> all;
      for (int i = 0; i < results; ++i) {
        const auto proposal = strategy->next();
        all.push_back(proposal->origin);
        strategy->report(proposal->candidate, took(100.0 + static_cast<double>(proposal->candidate % 13)));
      }
      return all;
    };
    const auto expected = [](std::size_t start, const char* then, std::size_t results) {
      std::vector<std::string> all(start, "random");
      all.resize(results, then);
      return all;
    };
    CHECK(origins("learn:random=0,local=0", 20) == expected(6, "model", 20));
    CHECK(origins("learn:start=12,random=0,local=0", 20) == expected(12, "model", 20));
    CHECK(origins("learn:random=1,local=0", 10) == expected(6, "random", 10));
    const auto locals = origins("learn:start=2,random=0,local=1", 20);
    CHECK(std::count(locals.begin(), locals.end(), "local") >= 6);
    CHECK(strategy_named("learn:ahead=7").make(Plane().space, 1)->lookahead() == 7);
  }

  TEST_CASE("what was skipped teaches nothing, and what did not compile is not judged") {
    const Plane plane(8);
    const auto strategy = strategy_named("learn:start=4,random=0,local=0").make(plane.space, 1);
    for (int i = 0; i < 10; ++i) {
      const auto proposal = strategy->next();
      CHECK(proposal->origin == "random");
      BinaryFacts failed;
      failed.status = TrialStatus::compile_error;
      CHECK(strategy->compiled(proposal->candidate, failed));
      strategy->report(proposal->candidate, {TrialStatus::skipped, std::nullopt});
    }
    CHECK_FALSE(strategy->outlook());
    for (int i = 0; i < 4; ++i) {
      const auto proposal = strategy->next();
      CHECK(proposal->origin == "random");
      strategy->report(proposal->candidate, took(100.0 + i));
    }
    CHECK(strategy->next()->origin == "model");
    CHECK(strategy->outlook());
  }

  TEST_CASE("only as many as the population has have offspring") {
    Plane plane;
    const std::size_t half = plane.space.size() / 2;
    plane.space.known[0] = took(100);
    plane.space.known[half - 1] = took(101);
    for (std::size_t i = half; i < half + 6; ++i) plane.space.known[i] = took(200);
    CHECK(of_first_kernel(plane, "genetic:population=2,mutation=0", 2, 8) == 8);
  }

  TEST_CASE("of the population the faster have more offspring") {
    Plane plane(40);
    const std::size_t half = plane.space.size() / 2;
    for (std::size_t i = 0; i < 10; ++i) {
      plane.space.known[i * 97] = took(100);
      plane.space.known[half + i * 97] = took(200);
    }
    // The better of two is of the better half three times in four: 150 of 200, with a deviation of 6.
    const int first = of_first_kernel(plane, "genetic:population=20,mutation=0", 20, 200);
    CHECK(first > 125);
    CHECK(first < 175);
  }

  TEST_CASE("what failed has no part in the scale of times, and slow times are alike") {
    std::vector<Observation> some;
    for (int i = 0; i < 8; ++i) some.push_back(observed(i % 2));
    const tuner::search::learn::Scale even(some, 1);
    CHECK(even.shift == doctest::Approx(0.5));
    CHECK(even.width == doctest::Approx(0.5));
    some.push_back(observed(-50, Observation::Kind::failure));
    CHECK(tuner::search::learn::Scale(some, 1).shift == doctest::Approx(0.5));
    some.pop_back();
    some.push_back(observed(1000));
    // The eighth of nine is 1: beyond it all times are as if they were 1.
    const tuner::search::learn::Scale clipped(some, 0.8);
    CHECK(clipped.clip == 1);
    CHECK(clipped.shift == doctest::Approx(5.0 / 9));
    CHECK(clipped.standard(1000) == clipped.standard(1));
    // A failure moves no quantile either.
    some.push_back(observed(-50, Observation::Kind::failure));
    CHECK(tuner::search::learn::Scale(some, 0.8).clip == 1);
  }

  TEST_CASE("of many results the better half of those that are kept are the best there are") {
    std::vector<float> values;
    for (int i = 0; i < 100; ++i) values.push_back(static_cast<float>(i * 37 % 100));
    const std::vector<std::size_t> kept = tuner::search::learn::representative(values, 20);
    REQUIRE(kept.size() == 20);
    CHECK(std::is_sorted(kept.begin(), kept.end()));
    std::set<float> of_kept;
    for (const std::size_t i : kept) of_kept.insert(values[i]);
    CHECK(of_kept.size() == 20);
    for (float best = 0; best < 10; ++best) CHECK(of_kept.contains(best));
    CHECK(*of_kept.rbegin() >= 90);
    CHECK(tuner::search::learn::representative(values, 100).size() == 100);
  }

  TEST_CASE("what is known is a part of what random order expects of the rest") {
    tuner::test::LineSpace line(200);
    for (std::size_t i = 0; i < 100; ++i) line.space.known[i] = took(1000.0 + static_cast<double>(i));
    const auto strategy = strategy_named("random").make(line.space, 1);
    const auto outlook = strategy->outlook();
    REQUIRE(outlook);
    std::vector<double> log_times;
    for (std::size_t i = 0; i < 100; ++i) log_times.push_back(std::log(1000.0 + static_cast<double>(i)));
    CHECK(outlook->gain == doctest::Approx(order_statistics(log_times, 100, 100)->gain));
  }

  TEST_CASE("how rare something faster is follows from how many draws did not meet it") {
    // That 8 of 20 are not among 5 draws has a probability of 0.051, 9 of 20 one of 0.030.
    CHECK(tuner::search::most_faster(20, 5) == doctest::Approx(8.0 / 15));
    CHECK(tuner::search::most_faster(20, 0) == 1);
    CHECK(tuner::search::most_faster(20, 20) == 0);
    CHECK(tuner::search::most_faster(100'000, 3'000) == doctest::Approx(0.001).epsilon(0.05));
    // Told at once of a space whose candidates nobody can walk: 1 - 0.05^(1/30).
    CHECK(tuner::search::most_faster(3'000'000'000'000'000'000, 30) ==
          doctest::Approx(0.0950).epsilon(0.001));
    // Only what it drew itself counts: who knows how the rest was chosen.
    tuner::test::LineSpace line(200);
    for (std::size_t i = 0; i < 100; ++i) line.space.known[i] = took(1000.0 + static_cast<double>(i));
    const auto strategy = strategy_named("random").make(line.space, 1);
    CHECK(strategy->outlook()->faster == 0);
    for (int i = 0; i < 20; ++i) strategy->report(strategy->next()->candidate, took(500));
    CHECK(strategy->outlook()->faster == doctest::Approx(tuner::search::most_faster(100, 20)));
  }

  TEST_CASE("what is left is told by the tail of what was drawn, and by nothing where little was") {
    std::vector<double> times;
    for (int i = 0; i < 100; ++i) times.push_back(5 + 0.01 * i * i);
    CHECK_FALSE(order_statistics({times.begin(), times.begin() + 9}, 9, 100));
    CHECK(order_statistics(times, 100, 0)->gain == 0);
    const auto none_left = order_statistics({times.begin(), times.begin() + 5}, 5, 0);
    REQUIRE(none_left);
    CHECK(none_left->high == 0);
    CHECK(none_left->estimate == "nothing is left");
    // The ten fastest of a hundred lie 0.01 * 100 - 0.01 * i * i before the eleventh: 0.715 on average.
    const double tail = 0.715;
    const double q = 0.75;
    const auto beyond = [&](double mean, double p) {
      return 1 - std::exp(mean * std::log(p * (1 - q) / (q * (1 - p))));
    };
    const auto outlook = order_statistics(times, 100, 300);
    REQUIRE(outlook);
    CHECK(outlook->gain == doctest::Approx(1 - std::pow(1 - q, tail)));
    CHECK(outlook->low == 0);
    CHECK(outlook->high == doctest::Approx(beyond(tail * (1 + 2 / std::sqrt(10.0)), 0.025)));
  }

  TEST_CASE("a setting is a number of its range, whole where it counts, and given once") {
    constexpr std::array known = {Setting{"many", 20, 2, 100, true, ""},
                                  Setting{"share", 0.1, 0, 1, false, ""}};
    const auto number = [&](const char* text, const char* name) {
      return Settings("s", known, text).number(name);
    };
    CHECK(number("", "many") == 20);
    CHECK(number("many=100,share=0.5", "many") == 100);
    CHECK(number("many=2,share=0.5", "share") == 0.5);
    for (const char* text :
         {"many=101", "many=1", "many=2.5", "share=1.5", "share=-0.1", "many=3,many=4", "few=1"}) {
      CAPTURE(text);
      CHECK_THROWS_AS(number(text, "many"), tuner::model::UsageError);
    }
  }
}
