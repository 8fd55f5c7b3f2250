// Which configurations are chosen, and by which rule: held against brute force and planted answers.
#include "tuner/cover/cover.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace tuner::cover;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Table table_of(std::vector<std::string> dimensions, std::vector<Sizes> sizes,
               const std::function<Time(const Sizes&, std::size_t)>& time, std::size_t configurations) {
  Table table{std::move(dimensions), std::move(sizes), {}, {}};
  for (const Sizes& size : table.sizes) {
    auto& row = table.times.emplace_back();
    for (std::size_t i = 0; i < configurations; ++i) row.push_back(time(size, i));
  }
  return table;
}

/// A table of arbitrary times, some unknown and some approximate; at each size something was measured.
Table random_table(std::mt19937& random, std::size_t sizes, std::size_t configurations) {
  std::uniform_real_distribution<double> loss(0, 0.1);
  std::vector<Sizes> all;
  for (std::size_t i = 0; i < sizes; ++i) all.push_back({static_cast<std::int64_t>(100 + 10 * i), 64});
  Table table = table_of(
      {"M", "N"}, all,
      [&](const Sizes&, std::size_t) {
        const auto kind = random() % 8;
        return Time{1000 * (1 + loss(random)), kind == 0   ? Known::unknown
                                               : kind == 1 ? Known::approximate
                                                           : Known::measured};
      },
      configurations);
  for (auto& row : table.times) row[random() % configurations].known = Known::measured;
  for (std::size_t i = 0; i < sizes; ++i) table.weights.push_back(1 + static_cast<double>(random() % 5));
  return table;
}

/// What a set loses: sizes that nothing may be used at, weighted mean, worst.
struct Outcome {
  int uncovered = 0;
  double mean = 0;
  double worst = 0;
};

Outcome outcome_of(const Losses& losses, const Goal& goal, const std::vector<std::size_t>& set) {
  Outcome out;
  double weight = 0;
  for (std::size_t size = 0; size < losses.sizes(); ++size) {
    double best = infinite;
    for (const std::size_t one : set) best = std::min(best, usable_loss(losses, goal, size, one));
    weight += losses.table().weight(size);
    if (best == infinite) {
      ++out.uncovered;
      continue;
    }
    out.mean += best * losses.table().weight(size);
    out.worst = std::max(out.worst, best);
  }
  out.mean /= weight;
  return out;
}

bool is_better(const Outcome& a, const Outcome& b) {
  if (a.uncovered != b.uncovered) return a.uncovered < b.uncovered;
  if (std::fabs(a.mean - b.mean) > 1e-8) return a.mean < b.mean;
  return a.worst < b.worst - 1e-8;
}

std::vector<std::size_t> members(unsigned set) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < 32; ++i)
    if ((set >> i & 1U) != 0) out.push_back(i);
  return out;
}

}  // namespace

TEST_SUITE("cover") {
  TEST_CASE("no smaller set keeps the bound, and none of its size loses less: held against all sets") {
    std::mt19937 random(11);
    for (int round = 0; round < 40; ++round) {
      CAPTURE(round);
      const Table table = random_table(random, 3 + random() % 8, 2 + random() % 8);
      const Losses losses(table);
      const Goal goal{0.005 + 0.01 * static_cast<double>(random() % 4), 0};
      const Cover found = cover(losses, goal);
      REQUIRE(found.set.exact);
      const Outcome ours = outcome_of(losses, goal, found.set.configurations);
      CHECK(ours.uncovered == 0);
      for (unsigned set = 1; set < 1U << table.configurations(); ++set) {
        const auto other = members(set);
        if (other.size() > found.set.configurations.size()) continue;
        const Outcome theirs = outcome_of(losses, goal, other);
        if (theirs.uncovered > 0) continue;
        CHECK(other.size() == found.set.configurations.size());
        CHECK_FALSE(is_better(theirs, ours));
      }
    }
  }

  TEST_CASE("no set of so many loses less: held against all sets") {
    std::mt19937 random(12);
    for (int round = 0; round < 40; ++round) {
      CAPTURE(round);
      const Table table = random_table(random, 3 + random() % 8, 2 + random() % 8);
      const Losses losses(table);
      const Goal goal{0, 1 + random() % 3};
      const Cover found = cover(losses, goal);
      REQUIRE(found.set.exact);
      CHECK(found.set.configurations.size() <= goal.at_most);
      const Outcome ours = outcome_of(losses, goal, found.set.configurations);
      for (unsigned set = 1; set < 1U << table.configurations(); ++set) {
        const auto other = members(set);
        if (other.size() <= goal.at_most) CHECK_FALSE(is_better(outcome_of(losses, goal, other), ours));
      }
    }
  }

  TEST_CASE("a search that ends early says so, and still keeps the bound") {
    std::mt19937 random(13);
    const Table table = random_table(random, 40, 60);
    const Losses losses(table);
    const Cover found = cover(losses, {0.01, 0}, {.sets = 1, .trees = 1});
    CHECK_FALSE(found.set.exact);
    CHECK_FALSE(found.rule.smallest);
    for (const double loss : found.losses) CHECK(loss <= 0.01);
  }

  TEST_CASE("the rule keeps the bound at every measured size, and picks none that is not known to work") {
    std::mt19937 random(14);
    for (int round = 0; round < 40; ++round) {
      const Table table = random_table(random, 3 + random() % 20, 2 + random() % 8);
      const Losses losses(table);
      const Cover found = cover(losses, {0.02, 0});
      for (std::size_t size = 0; size < losses.sizes(); ++size) {
        CHECK(losses.is_within(size, found.rule.pick(table.sizes[size]).value(), 0.02));
        CHECK(found.losses[size] == losses.at(size, found.rule.pick(table.sizes[size]).value()));
      }
    }
  }

  TEST_CASE("a weight moves the choice to the sizes that are called") {
    const auto time = [](const Sizes& size, std::size_t i) {
      const bool is_small = size.front() < 1000;
      return Time{is_small == (i == 0) ? 100.0 : 150.0, Known::measured};
    };
    Table table = table_of({"N"}, {{500}, {600}, {2000}}, time, 2);
    CHECK(cover(Losses(table), {0, 1}).set.configurations == std::vector<std::size_t>{0});
    table.weights = {1, 1, 5};
    CHECK(cover(Losses(table), {0, 1}).set.configurations == std::vector<std::size_t>{1});
  }

  TEST_CASE("a time of a trial that was dropped proves no bound, unless it is the best that is known") {
    double dropped_ns = 100.5;
    const auto time = [&](const Sizes&, std::size_t i) {
      return i == 0 ? Time{dropped_ns, Known::approximate} : Time{100, Known::measured};
    };
    const Table slower = table_of({"N"}, {{10}}, time, 2);
    CHECK(cover(Losses(slower), {0.02, 0}).set.configurations == std::vector<std::size_t>{1});
    dropped_ns = 100;  // `best` names the other one
    const Table equal = table_of({"N"}, {{10}}, time, 2);
    CHECK(cover(Losses(equal), {0.02, 0}).set.configurations == std::vector<std::size_t>{1});
    dropped_ns = 50;
    const Table faster = table_of({"N"}, {{10}}, time, 2);
    const Losses losses(faster);
    CHECK(losses.at(0, 0) == 0);
    CHECK(losses.at(0, 1) == 1);
    CHECK(cover(losses, {0.02, 0}).set.configurations == std::vector<std::size_t>{0});
    const Table alone = table_of({"N"}, {{10}}, time, 1);
    CHECK(cover(Losses(alone), {0.02, 0}).set.configurations == std::vector<std::size_t>{0});
  }

  TEST_CASE("a rule passes over what failed at a size, measured or not") {
    const auto time = [](const Sizes& size, std::size_t i) {
      if (size[0] == 2000 && i == 0) return Time{0, Known::failed};
      return Time{i == 0 ? 100.0 : 150.0, Known::measured};
    };
    Table table = table_of({"N"}, {{1000}, {2000}, {4000}}, time, 2);
    table.elsewhere = {{{3000}, {0, 1}}, {{5000}, {0}}};
    const Cover made = cover(Losses(table), {0.02, 2});
    REQUIRE(made.set.configurations == std::vector<std::size_t>{0, 1});
    for (const std::int64_t size : {1000, 3999, 4000, 4999}) CHECK(made.rule.pick({size}) == 0);
    CHECK(made.rule.pick({2000}) == 1);
    CHECK(made.rule.pick({3000}) == std::nullopt);
    CHECK(made.rule.pick({5000}) == 1);
    const Cover one = cover(Losses(table), {0.02, 1});
    CHECK(one.set.configurations == std::vector<std::size_t>{1});
    CHECK(one.rule.pick({3000}) == std::nullopt);
  }

  TEST_CASE("planted rules are found") {
    struct Planted {
      const char* text;
      std::function<std::size_t(const Sizes&)> rule;
      std::size_t leaves;
    };
    const std::vector<Planted> all = {
        {"if M <= ", [](const Sizes& s) { return s[0] <= 700 ? 0U : 1U; }, 2},
        {"if K % 8 == 0: A", [](const Sizes& s) { return s[2] % 8 == 0 ? 0U : 1U; }, 2},
        {"if M * N * K <= ", [](const Sizes& s) { return s[0] * s[1] * s[2] <= 50'000'000 ? 0U : 1U; }, 2},
        {"if M / N <= ", [](const Sizes& s) { return s[0] * 2 <= s[1] ? 0U : 1U; }, 2},
        {"if min(M, N, K) <= ",
         [](const Sizes& s) {
           return std::min({s[0], s[1], s[2]}) <= 64 ? 0U : 1U;
         },
         2},
        {"if ", [](const Sizes& s) { return s[2] % 16 != 0           ? 0U
                                            : s[0] * s[1] <= 100'000 ? 1U
                                                                     : 2U; }, 3}};
    for (const Planted& planted : all) {
      CAPTURE(planted.text);
      std::mt19937 random(15);
      std::vector<Sizes> sizes;
      for (int i = 0; i < 60; ++i) {
        Sizes size;
        for (int d = 0; d < 3; ++d)
          size.push_back(
              static_cast<std::int64_t>(std::exp2(4 + 8 * static_cast<double>(random() % 1000) / 1000)));
        if (i % 2 == 0) size[2] = (size[2] + 15) / 16 * 16;
        sizes.push_back(size);
      }
      const Table table = table_of(
          {"M", "N", "K"}, sizes,
          [&](const Sizes& size, std::size_t i) {
            return Time{planted.rule(size) == i ? 100.0 : 150.0, Known::measured};
          },
          3);
      const Cover found = cover(Losses(table), {0.02, 0});
      CHECK(found.rule.leaves() == planted.leaves);
      CHECK(found.rule.smallest);
      const std::string said = text(found.rule, table.dimensions, {"A", "B", "C"});
      CAPTURE(said);
      CHECK(said.starts_with(planted.text));
    }
  }

  TEST_CASE("a rule is written as nested questions") {
    const auto time = [](const Sizes& size, std::size_t i) {
      const std::size_t best = size[0] % 16 != 0 ? 2 : size[0] <= 1024 ? 0 : 1;
      return Time{best == i ? 100.0 : 150.0, Known::measured};
    };
    std::vector<Sizes> sizes;
    for (std::int64_t size = 512; size <= 2048; size += 128) {
      sizes.push_back({size});
      sizes.push_back({size + 1});
    }
    const Table table = table_of({"N"}, sizes, time, 3);
    const Cover found = cover(Losses(table), {0.02, 0});
    CHECK(text(found.rule, table.dimensions, {"A", "B", "C"}) ==
          "if N % 16 == 0:\n"
          "  if N <= 1100: A\n"
          "  else: B\n"
          "else: C\n");
    CHECK(found.rule.leaves() == 3);
  }

  TEST_CASE("where a configuration may not run, the one of the nearest sizes takes its place") {
    const auto time = [](const Sizes& size, std::size_t i) {
      const std::size_t best = size[0] < 1000 ? 0 : size[0] < 3000 ? 1 : 2;
      return Time{best == i ? 100.0 : 150.0, Known::measured};
    };
    const Table table = table_of({"N"}, {{500}, {700}, {1024}, {2000}, {4000}, {8000}}, time, 3);
    const Rule rule = cover(Losses(table), {0.02, 0}).rule;
    const auto without = [&](std::vector<std::size_t> not_these, std::int64_t size) {
      return rule.pick({size}, [&](std::size_t one) {
        return std::find(not_these.begin(), not_these.end(), one) == not_these.end();
      });
    };
    CHECK(without({}, 600) == 0);
    CHECK(without({0}, 600) == 1);
    CHECK(without({0, 1}, 600) == 2);
    CHECK(without({2}, 9000) == 1);
    CHECK_FALSE(without({0, 1, 2}, 600));
    CHECK(text(rule, table.dimensions, {"A", "B", "C"}) == "if N <= 850: A\nelse if N <= 2800: B\nelse: C\n");
  }

  TEST_CASE("one size, one configuration: a rule without a question") {
    const Table table = table_of(
        {"N"}, {{1024}},
        [](const Sizes&, std::size_t) {
          return Time{5, Known::measured};
        },
        1);
    const Cover found = cover(Losses(table), {0.02, 0});
    CHECK(text(found.rule, table.dimensions, {"A"}) == "A\n");
    CHECK(found.rule.pick({77}) == 0);
  }
}
