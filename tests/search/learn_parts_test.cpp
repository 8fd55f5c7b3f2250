// The parts that learn is made of, each held against what its header promises.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/search/grids.hpp"
#include "tests/search/spaces.hpp"
#include "tuner/search/learn/axes.hpp"
#include "tuner/search/learn/facts.hpp"
#include "tuner/search/learn/model.hpp"
#include "tuner/search/learn/proposals.hpp"
#include "tuner/search/learn/records.hpp"
#include "tuner/search/open_candidates.hpp"

using namespace tuner::search;
using namespace tuner::search::learn;
using tuner::model::TrialStatus;
using tuner::test::Grids;

TEST_SUITE("tuner::search::learn parts") {
  namespace {

  Result took(double time_ns) {
    return {TrialStatus::ok, time_ns};
  }

  SearchSpace::Prior prior_of(const SearchSpace& space, std::int64_t size, bool same_environment = true) {
    SearchSpace::Prior prior{
        std::to_string(size) + (same_environment ? "" : " elsewhere"), space.problem, same_environment, {}};
    prior.problem.sizes[0].value = size;
    for (std::size_t i = 0; i < space.size(); ++i)
      prior.results.push_back(took(1000.0 + static_cast<double>(i)));
    return prior;
  }

  std::vector<std::string> origins_of(const Records& records) {
    std::vector<std::string> origins;
    for (std::size_t i = 0; i < records.count(); ++i) origins.push_back(records.trend(i).origin);
    return origins;
  }

  }  // namespace

  TEST_CASE("what takes long to compile is known by its values, once sixteen were compiled anew") {
    Grids grids;
    grids.add({{"X", {1, 2}}, {"Y", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}}});
    const Axes axes(grids.space);
    CompileCosts costs(axes);
    for (int i = 0; i < 40; ++i) costs.add(0, 0);  // it was in the cache
    const auto add = [&](std::size_t y) {
      costs.add(y, 100);
      costs.add(10 + y, 1600);
    };
    for (std::size_t y = 0; y < 7; ++y) add(y);
    costs.add(7, 100);
    CHECK(costs.relative(19) == 1);
    costs.add(17, 1600);
    CHECK(costs.relative(19) == 2);
    CHECK(costs.relative(9) < 0.6);
  }

  TEST_CASE("a compiled candidate is hopeless by what it was compiled to, surely, and after forty results") {
    const std::vector<std::pair<std::string, BinaryFacts>> slow = [] {
      BinaryFacts usual;
      usual.registers = 32;
      usual.occupancy = 1;
      usual.waves = 4;
      std::vector<std::pair<std::string, BinaryFacts>> all(4, {"", usual});
      all[0].first = "registers", all[0].second.registers = 255;
      all[1].first = "spills", all[1].second.spilled_bytes = 512;
      all[2].first = "occupancy", all[2].second.occupancy = 0.1;
      all[3].first = "waves", all[3].second.waves = 0.1;
      all.emplace_back("usual", usual);
      return all;
    }();
    const BinaryFacts usual = slow.back().second;
    for (std::size_t i = 0; i + 1 < slow.size(); ++i) {
      CAPTURE(slow[i].first);
      const BinaryFacts& other = slow[i].second;
      ResourceEffects effects;
      for (int result = 0; result < 39; ++result) {
        const bool is_slow = result % 2 == 0;
        const double noise = result % 4 < 2 ? 0.01 : -0.01;
        effects.add(is_slow ? other : usual, {5, 0.1}, (is_slow ? 7 : 5) + noise);
      }
      CHECK_FALSE(effects.hopeless(other, {5, 0.1}, 5));
      effects.add(usual, {5, 0.1}, 5);
      CHECK(effects.hopeless(other, {5, 0.1}, 5));
      CHECK_FALSE(effects.hopeless(usual, {5, 0.1}, 5));
      CHECK_FALSE(effects.hopeless(other, {5, 1}, 5));      // three deviations faster is as fast as the best
      CHECK_FALSE(effects.hopeless(other, {3.2, 0.1}, 5));  // expected to be the best by far
    }
  }

  TEST_CASE("slowness that the compiler's figures do not explain makes nobody hopeless") {
    BinaryFacts compiled;
    compiled.registers = 64;
    ResourceEffects effects;
    for (int i = 0; i < 100; ++i) effects.add(compiled, {5, 0.1}, i % 2 == 0 ? 7 : 3);
    CHECK_FALSE(effects.hopeless(compiled, {20, 0.1}, 5));
  }

  TEST_CASE("a kernel is owed four trials, the fastest's twenty, each as many as it has at most") {
    Grids grids;
    grids.add({{"X", {1, 2, 4, 8, 16}}, {"Y", {1, 2, 4, 8, 16}}});  // 0 to 24
    grids.add({{"X", {1, 2, 4}}});                                  // 25 to 27
    grids.add({{"X", {1, 2, 4, 8, 16, 32}}});                       // 28 to 33
    KernelCoverage coverage(grids.space);
    const auto begin_and_end = [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        coverage.begin(i);
        coverage.end(i, false);
      }
    };
    CHECK(coverage.lacking({}) == 0);
    begin_and_end(0, 4);
    begin_and_end(25, 2);
    CHECK(coverage.lacking({}) == 2);  // none of four, where of the second's three there are two
    begin_and_end(28, 3);
    CHECK(coverage.lacking({}) == 1);
    coverage.begin(27);
    CHECK(coverage.lacking({}) == 2);
    coverage.begin(31);
    CHECK_FALSE(coverage.lacking({}));
    CHECK_FALSE(coverage.is_complete({}));  // two are under way
    coverage.end(27, false);
    CHECK_FALSE(coverage.is_complete({}));
    coverage.end(31, false);
    CHECK(coverage.is_complete({}));

    CHECK(coverage.lacking(3) == 0);  // twenty of the kernel of the fastest
    CHECK_FALSE(coverage.is_complete(3));
    CHECK(coverage.lacking(28) == 2);  // all six of that one
    CHECK_FALSE(coverage.lacking(26));
    CHECK(coverage.is_complete(26));
    begin_and_end(4, 15);
    CHECK_FALSE(coverage.is_complete(3));
    begin_and_end(19, 1);
    CHECK(coverage.is_complete(3));
  }

  TEST_CASE("a failure is nothing that a kernel is owed, until it fails and fails") {
    Grids grids;
    grids.add({{"X", {1, 2, 4, 8, 16}}});                                                // 0 to 4
    grids.add({{"X", {1, 2, 4, 8, 16, 32, 64}}, {"Y", {1, 2, 4, 8, 16, 32, 64, 128}}});  // 5 to 60
    KernelCoverage coverage(grids.space);
    const auto begin_and_end = [&](std::size_t first, std::size_t count, bool failed) {
      for (std::size_t i = first; i < first + count; ++i) {
        coverage.begin(i);
        coverage.end(i, failed);
      }
    };
    begin_and_end(0, 5, false);
    begin_and_end(5, 10, true);
    CHECK(coverage.lacking({}) == 1);
    CHECK_FALSE(coverage.is_complete({}));
    SUBCASE("four that work are enough") {
      begin_and_end(15, 4, false);
      CHECK_FALSE(coverage.lacking({}));
      CHECK(coverage.is_complete({}));
    }
    SUBCASE("so are 32 in turn that do not") {
      begin_and_end(15, 21, true);
      CHECK(coverage.lacking({}) == 1);
      begin_and_end(36, 1, true);
      CHECK_FALSE(coverage.lacking({}));
      CHECK(coverage.is_complete({}));
    }
    SUBCASE("one that works among them begins the count anew") {
      begin_and_end(15, 1, false);
      begin_and_end(16, 31, true);
      CHECK(coverage.lacking({}) == 1);
      CHECK_FALSE(coverage.is_complete({}));
    }
  }

  TEST_CASE("where there is one kernel none is lacking") {
    Grids grids;
    grids.add({{"X", {1, 2, 4, 8, 16}}});
    const KernelCoverage coverage(grids.space);
    CHECK_FALSE(coverage.lacking({}));
    CHECK(coverage.is_complete(2));
  }

  TEST_CASE("records are the three nearest that have a time, this class and this size first") {
    const tuner::test::LineSpace line(100);
    SearchSpace space = line.space;
    SearchSpace::Prior failed = prior_of(space, 1024);
    for (std::size_t i = 0; i < failed.results.size(); ++i)
      failed.results[i] = Result{TrialStatus::launch_error, std::nullopt};
    space.priors = [&] {
      return std::vector{prior_of(space, 65536), prior_of(space, 1024, false), prior_of(space, 256), failed,
                         prior_of(space, 2048),  prior_of(space, 16)};
    };
    RandomSource random(1);
    const Axes axes(space);
    const Records records(space, axes, space.size(), random);
    CHECK(origins_of(records) == std::vector<std::string>{"2048", "256", "1024 elsewhere"});
    CHECK(records.trend(0).log_weight > records.trend(1).log_weight);
    CHECK(records.any_near());
    for (std::size_t i = 0; i < 100; ++i) {
      CHECK(records.ranking(0)[i] == i);
      CHECK(records.recommends(0, i) == (i < 16));
    }
    space.priors = [&] { return std::vector{prior_of(space, 1024, false)}; };
    CHECK_FALSE(Records(space, axes, space.size(), random).any_near());
    space.priors = [&] { return std::vector{failed}; };
    CHECK(Records(space, axes, space.size(), random).empty());
  }

  TEST_CASE("of a record what failed is as slow as its slowest, and few results lead no search") {
    const tuner::test::LineSpace line(100);
    SearchSpace space = line.space;
    SearchSpace::Prior prior = prior_of(space, 1024);
    prior.results[0] = Result{TrialStatus::crashed, std::nullopt};
    space.priors = [&] { return std::vector{prior}; };
    RandomSource random(1);
    const Axes axes(space);
    const Records all(space, axes, space.size(), random);
    CHECK(all.trend(0).value[0] == doctest::Approx(std::log(1099.0)));
    CHECK(all.any_near());
    for (std::size_t i = 9; i < 100; ++i) prior.results[i].reset();
    const Records few(space, axes, space.size(), random);
    CHECK_FALSE(few.any_near());
    REQUIRE(few.trend(0).value.size() == 100);
    for (const float value : few.trend(0).value) CHECK(std::isfinite(value));
    prior.results[9] = took(1009);
    CHECK(Records(space, axes, space.size(), random).any_near());
    prior.results[8] = Result{TrialStatus::skipped, std::nullopt};  // nobody knows anything of it
    CHECK_FALSE(Records(space, axes, space.size(), random).any_near());
  }

  TEST_CASE("first a record's best is proposed, then its best that is no neighbour of what was tried") {
    Grids grids;
    grids.add({{"X", {1, 2, 4, 8}}, {"Y", {1, 2, 4, 8}}});
    grids.space.priors = [&] { return std::vector{prior_of(grids.space, 1024)}; };
    RandomSource random(3);
    const Axes axes(grids.space);
    const Records records(grids.space, axes, grids.space.size(), random);
    FirstProposals first(axes, records);
    OpenCandidates open(grids.space, random);
    std::vector<std::size_t> tried;
    std::vector<std::size_t> of_record;
    while (of_record.size() < 3) {
      const Proposal proposal = first.next(open, tried, random);
      CHECK(open.contains(proposal.candidate));
      if (proposal.origin != "1024") continue;  // now and then nobody listens to records; not taken here
      open.take(proposal.candidate);
      tried.push_back(proposal.candidate);
      of_record.push_back(proposal.candidate);
    }
    CHECK(of_record == std::vector<std::size_t>{0, 5, 1});
  }

  TEST_CASE("without records the first proposals are apart from each other, and most of them sensible") {
    Grids grids;
    grids.add({{"X", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}, {"Y", {1, 2, 4, 8}}});
    RandomSource random(5);
    const Axes axes(grids.space);
    const Records none(grids.space, axes, grids.space.size(), random);
    FirstProposals first(axes, none);
    int odd = 0;
    double nearest = 0;
    for (int round = 0; round < 40; ++round) {
      OpenCandidates open(grids.space, random);
      const Proposal one = first.next(open, {}, random);
      CHECK(one.origin == "random");
      const std::vector<std::size_t> tried = {one.candidate};
      open.take(one.candidate);
      const Proposal other = first.next(open, tried, random);
      CHECK(other.candidate != one.candidate);
      odd += (axes.oddity(one.candidate) > 1) + (axes.oddity(other.candidate) > 1);
      nearest += axes.distance(one.candidate, other.candidate) / 40;
    }
    CHECK(odd < 40);  // eleven of sixteen values are odd: 55 of 80 by chance
    CHECK(nearest > 0.6);
  }

  TEST_CASE(
      "a pool is all that is open, or as many: what records find best, neighbours of the best, others") {
    tuner::test::LineSpace line(1000);
    line.space.known[3] = took(100);
    line.space.priors = [&] { return std::vector{prior_of(line.space, 1024)}; };
    RandomSource random(1);
    const Axes axes(line.space);
    const Records records(line.space, axes, line.space.size(), random);
    const Neighbourhood neighbourhood(line.space);
    const OpenCandidates open(line.space, random);
    const auto all = make_pool(999, open, records, neighbourhood, {}, random);
    CHECK(std::set<std::size_t>(all.begin(), all.end()).size() == 999);
    CHECK(std::find(all.begin(), all.end(), 3) == all.end());
    const auto some = make_pool(200, open, records, neighbourhood, {}, random);
    const std::set<std::size_t> in(some.begin(), some.end());
    CHECK(some.size() == 200);
    CHECK(in.size() == 200);
    CHECK_FALSE(in.contains(3));
    for (std::size_t i = 0; i < 20; ++i) CHECK(in.contains(i) == (i != 3));
    CHECK(std::count_if(in.begin(), in.end(), [](std::size_t i) { return i < 200; }) < 100);

    Grids plane;
    plane.add({{"X", {1, 2, 4, 8, 16, 32, 64, 128}}, {"Y", {1, 2, 4, 8, 16, 32, 64, 128}}});
    const Axes of_plane(plane.space);
    const Records none(plane.space, of_plane, plane.space.size(), random);
    const Neighbourhood around(plane.space);
    const OpenCandidates all_open(plane.space, random);
    const std::vector<std::size_t> best = {9};
    const auto near = make_pool(16, all_open, none, around, best, random);
    REQUIRE(near.size() == 16);
    for (const std::size_t neighbour : around.around(9))
      CHECK(std::find(near.begin(), near.end(), neighbour) != near.end());
  }
}
