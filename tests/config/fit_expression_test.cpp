// Hidden expressions are found again from the numbers that they gave.
#include "config/fit_expression.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

using namespace config;

TEST_SUITE("config::fit_expression") {
  namespace {

  using FitValues = std::map<std::string, std::int64_t>;

  struct FitLaunches {
    std::vector<FitValues> all;

    FitNames names() const {
      FitNames found;
      for (const auto& [name, unused] : all.front()) {
        FitName one{name, {}};
        for (const FitValues& values : all) one.values.push_back(values.at(name));
        const bool is_parameter = name.size() > 1;
        (is_parameter ? found.parameters : found.sizes).push_back(one);
      }
      return found;
    }
    std::vector<std::int64_t> numbers(const std::string& hidden) const {
      std::vector<std::int64_t> numbers;
      for (const FitValues& values : all) numbers.push_back(expression_value(hidden, values).value());
      return numbers;
    }
  };

  /// FitLaunches of a kernel with three sizes and three parameters, which a program does not change.
  FitLaunches fit_launches(std::mt19937& random, int count) {
    const auto any = [&](std::int64_t least, std::int64_t most) {
      return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    FitLaunches launches;
    for (int i = 0; i < count; ++i)
      launches.all.push_back({{"M", any(50, 5000)},
                              {"N", any(50, 5000)},
                              {"K", any(50, 5000)},
                              {"TILE_X", 16},
                              {"TILE_Y", 24},
                              {"PER_THREAD", 5}});
    return launches;
  }

  using Fit = std::optional<FittedExpression> (*)(const FitNames&, const std::vector<std::int64_t>&);

  /// That what is found for a hidden expression gives the same numbers, also in launches that nobody saw.
  void check_found(Fit fit, const std::vector<std::string>& all_hidden) {
    std::mt19937 random(7);
    for (const std::string& hidden : all_hidden) {
      for (int again = 0; again < 20; ++again) {
        const FitLaunches seen = fit_launches(random, 4);
        const FitLaunches unseen = fit_launches(random, 20);
        const auto found = fit(seen.names(), seen.numbers(hidden));
        CAPTURE(hidden);
        REQUIRE(found);
        CAPTURE(found->text);
        CHECK(seen.numbers(found->text) == seen.numbers(hidden));
        CHECK(unseen.numbers(found->text) == unseen.numbers(hidden));
      }
    }
  }

  }  // namespace

  TEST_CASE("the expression of a grid is found from the grids that it gave") {
    check_found(fit_grid, {"1", "N", "M * K", "ceil_div(N, TILE_X)", "ceil_div(M, TILE_Y * PER_THREAD)",
                           "N / TILE_X", "ceil_div(M * N, TILE_X * TILE_Y)", "ceil_div(K, 4 * TILE_X)",
                           "ceil_div(M, TILE_Y) * ceil_div(N, TILE_X)", "M * ceil_div(N, TILE_X * TILE_X)",
                           "ceil_div(32 * M, TILE_X * TILE_Y)", "132"});
  }

  TEST_CASE("a grid that stops growing has a largest number of blocks") {
    const FitNames names = {{{"N", {1000, 5000, 100000, 900000}}}, {{"BLOCK_SIZE", {128, 128, 128, 128}}}};
    const auto found = fit_grid(names, {8, 40, 264, 264});
    REQUIRE(found);
    CHECK(found->text == "min(ceil_div(N, BLOCK_SIZE), 264)");
  }

  TEST_CASE("a divisor that is no parameter is a plain number among those that fit") {
    const FitNames names = {{{"N", {1000, 3000, 70000}}}, {}};
    CHECK(fit_grid(names, {4, 12, 274})->text == "ceil_div(N, 256)");
    CHECK(fit_grid(names, {10, 30, 700})->text == "ceil_div(N, 100)");
  }

  TEST_CASE("the parameter of a block that the program changes is followed") {
    const FitNames names = {{{"N", {1000, 1000, 1000}}}, {{"BLOCK_SIZE", {64, 128, 256}}}};
    CHECK(fit_grid(names, {16, 8, 4})->text == "ceil_div(N, BLOCK_SIZE)");
    CHECK(fit_block(names, {64, 128, 256})->text == "BLOCK_SIZE");
  }

  TEST_CASE("sizes that one launch cannot tell apart are said to be so") {
    const FitNames names = {{{"M", {1024}}, {"N", {1024}}}, {{"TILE", {16}}}};
    const auto found = fit_grid(names, {64});
    REQUIRE(found);
    CHECK(found->text == "ceil_div(M, TILE)");
    CHECK(found->rival == "ceil_div(N, TILE)");
  }

  TEST_CASE("numbers that follow nothing are given up") {
    const FitNames names = {{{"N", {1000, 2000, 3000}}}, {{"BLOCK_SIZE", {256, 256, 256}}}};
    CHECK_FALSE(fit_grid(names, {17, 3, 91}));
    CHECK_FALSE(fit_block(names, {96, 64, 128}));
    CHECK_FALSE(fit_extent(names, {999, 2, 77}));
    CHECK_FALSE(fit_grid(names, {}));
  }

  TEST_CASE("the expression of a block is found") {
    check_found(fit_block,
                {"1", "TILE_X", "TILE_X * TILE_Y", "TILE_X * TILE_Y / 32 * 32", "round_up(K, 32)"});
    const FitNames rows = {{{"N", {48, 100, 5000}}}, {}};
    CHECK(fit_block(rows, {64, 128, 1024})->text == "min(round_up(N, 32), 1024)");
  }

  TEST_CASE("the expression of an extent is found") {
    check_found(fit_extent, {"N", "M * K", "M * N * K", "N + 1", "2 * N", "M * (N + 1)", "ceil_div(N, 32)"});
  }

  TEST_CASE("shared memory follows the block where it is a multiple of it") {
    const FitNames names = {{{"N", {1000, 1000}}}, {{"BLOCK_SIZE", {64, 128}}}};
    CHECK(fit_shared_bytes(names, {256, 512})->text == "4 * BLOCK_SIZE");
    CHECK(fit_shared_bytes(names, {0, 0})->text == "0");
    CHECK_FALSE(fit_shared_bytes(names, {1001, 77}));
  }

  TEST_CASE("expressions over names are worked out") {
    CHECK(expression_value("ceil_div(N, 3) * M", {{"N", 10}, {"M", 2}}) == 8);
    CHECK_FALSE(expression_value("ceil_div(N, P)", {{"N", 10}}));
    CHECK_FALSE(expression_value("N / 0", {{"N", 10}}));
    CHECK_FALSE(expression_value("multiprocessors * N", {{"N", 10}}));
  }
}
