// What is said of sizes that were never measured: held against spaces whose truth is known.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tuner/cover/cover.hpp"

using namespace tuner::cover;

namespace {

/// A smooth space: each configuration suits one size, and loses with the distance from it.
class Space {
 public:
  explicit Space(std::mt19937& random) {
    std::uniform_real_distribution<double> place(8, 13);
    std::uniform_real_distribution<double> strength(0.01, 0.3);
    for (int i = 0; i < 12; ++i) m_configurations.push_back({place(random), place(random), strength(random)});
  }
  double time(const Sizes& sizes, std::size_t configuration) const {
    const auto& [m, n, strength] = m_configurations[configuration];
    const double away = std::pow(std::log2(sizes[0]) - m, 2) + std::pow(std::log2(sizes[1]) - n, 2);
    return 100 * (1 + strength * away) + 5 * static_cast<double>((sizes[0] / 64 + configuration) % 3);
  }
  std::size_t configurations() const { return m_configurations.size(); }
  static Sizes draw(std::mt19937& random) {
    std::uniform_real_distribution<double> place(8, 13);
    return {static_cast<std::int64_t>(std::exp2(place(random))),
            static_cast<std::int64_t>(std::exp2(place(random)))};
  }
  void add(Table& table, const Sizes& sizes) const {
    table.sizes.push_back(sizes);
    auto& row = table.times.emplace_back();
    for (std::size_t i = 0; i < configurations(); ++i) row.push_back({time(sizes, i), Known::measured});
  }

 private:
  struct Configuration {
    double m, n, strength;
  };
  std::vector<Configuration> m_configurations;
};

}  // namespace

TEST_SUITE("loss at other sizes") {
  TEST_CASE("an order statistic bounds a quantile as often as it says") {
    CHECK(bounds({0.1, 0.1, 0.1, 0.1}).empty());
    const auto largest = [](std::size_t cases) {
      return bounds(std::vector<double>(cases, 0.1)).front().share;
    };
    CHECK(largest(5) == 0.5);
    CHECK(largest(13) == 0.5);
    CHECK(largest(14) == 0.8);
    CHECK(largest(28) == 0.8);
    CHECK(largest(29) == 0.9);
    std::mt19937 random(3);
    std::exponential_distribution<double> loss(1);
    for (const std::size_t n : {5U, 14U, 29U, 60U, 200U}) {
      int held = 0;
      double share = 0;
      for (int i = 0; i < 4000; ++i) {
        std::vector<double> losses(n);
        for (double& one : losses) one = loss(random);
        const Bound said = bounds(losses).front();
        share = said.share;
        held += said.loss >= -std::log(1 - share) ? 1 : 0;  // the quantile of this distribution
      }
      CAPTURE(n);
      CHECK(held >= 0.94 * 4000);
      if (n == 200) CHECK(held <= 0.98 * 4000);  // and says no more than need be
    }
  }

  TEST_CASE("what nobody tried counts as lost") {
    std::vector<double> losses(29, 0.01);
    losses[3] = HUGE_VAL;
    CHECK(bounds(losses).front().loss == HUGE_VAL);
    CHECK(largest_known(bounds(losses))->share == 0.8);
    losses.resize(120, 0.01);
    CHECK(largest_known(bounds(losses))->share == 0.9);
    CHECK(largest_known(bounds(std::vector<double>(5, HUGE_VAL))) == nullptr);
  }

  TEST_CASE("the bound holds at its confidence at sizes that are drawn like those measured") {
    std::mt19937 random(5);
    int held = 0;
    constexpr int rounds = 60;
    for (int round = 0; round < rounds; ++round) {
      const Space space(random);
      Table table{{"M", "N"}, {}, {}, {}};
      for (int i = 0; i < 16; ++i) space.add(table, Space::draw(random));
      const Losses losses(table);
      const Goal goal{0.02, 0};
      const Effort effort{1'000, 1'000};
      const auto said = estimate(losses, goal, effort).between;
      REQUIRE(said.size() == 2);
      REQUIRE(said[0].share == 0.8);
      const Rule rule = cover(losses, goal, effort).rule;
      Table others{{"M", "N"}, {}, {}, {}};
      for (int i = 0; i < 400; ++i) space.add(others, Space::draw(random));
      const Losses truth(others);
      int within = 0;
      for (std::size_t i = 0; i < truth.sizes(); ++i)
        within += truth.at(i, rule.pick(others.sizes[i]).value()) <= said[0].loss ? 1 : 0;
      held += within >= 0.8 * 400 ? 1 : 0;
    }
    MESSAGE("held in " << held << " of " << rounds);
    CHECK(held >= rounds * 0.9);  // 95 % of 60, less two standard deviations
  }

  TEST_CASE("one size says nothing of others, and a few say no more than they can") {
    std::mt19937 random(6);
    const Space space(random);
    Table table{{"M", "N"}, {}, {}, {}};
    space.add(table, {512, 512});
    CHECK(estimate(Losses(table), {0.02, 0}, {}).between.empty());
    for (int i = 0; i < 3; ++i) space.add(table, Space::draw(random));
    CHECK(estimate(Losses(table), {0.02, 0}, {}).between.empty());
    for (int i = 0; i < 10; ++i) space.add(table, Space::draw(random));
    CHECK(estimate(Losses(table), {0.02, 0}, {}).between.front().share == 0.8);
  }

  TEST_CASE("a neighbourhood that is left out loses more than a single size") {
    // Each octave has a configuration of its own.
    Table table{{"N"}, {}, {}, {}};
    for (std::int64_t octave = 256; octave < 8192; octave *= 2) {
      for (std::int64_t part = 0; part < 4; ++part) {
        table.sizes.push_back({octave + part * octave / 4});
        auto& row = table.times.emplace_back();
        for (std::int64_t best = 256; best < 8192; best *= 2)
          row.push_back({best == octave ? 100.0 : 140.0, Known::measured});
      }
    }
    const Estimate said = estimate(Losses(table), {0.02, 0}, {});
    CHECK(said.neighbourhoods.size() == 10);
    REQUIRE(said.between.size() == 2);
    REQUIRE(said.beyond.size() == 1);
    CHECK(said.without_any == 0);
    const auto mean = [&](const std::vector<double>& losses) { return summary(table, losses).mean; };
    CHECK(mean(said.in_neighbourhoods) > mean(said.singly));
  }

  TEST_CASE("where no configuration may run that is left, nothing is known") {
    Table table{{"N"}, {}, {}, {}};
    for (std::int64_t size = 100; size < 700; size += 100) {
      table.sizes.push_back({size});
      // The second is for 300 alone, and nothing else may run there.
      const bool is_other = size == 300;
      table.times.push_back({{100, is_other ? Known::excluded : Known::measured},
                             {100, is_other ? Known::measured : Known::excluded}});
    }
    const Estimate said = estimate(Losses(table), {0.02, 0}, {});
    CHECK(said.without_any == 1);
    CHECK(said.singly[2] == HUGE_VAL);
    CHECK(said.singly[3] == 0);
  }

  TEST_CASE("neighbourhoods are cells of sizes that lie together") {
    CHECK(neighbourhoods({{512}, {640}, {1024}, {1100}, {2048}, {2100}}).size() == 3);
    CHECK(neighbourhoods({{512}, {1024}, {2048}, {4096}}).size() == 2);
    CHECK(neighbourhoods({{512}}).size() == 1);
  }
}
