#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reports/document.hpp"

namespace {

std::string labels(const std::vector<reports::Tick>& ticks) {
  std::string out;
  for (const auto& tick : ticks) out += (out.empty() ? "" : " ") + tick.label;
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("linear ticks are round numbers up to or beyond the maximum") {
  CHECK(labels(reports::linear_ticks(51.3)) == "0 20 40 60");
  CHECK(labels(reports::linear_ticks(0.9)) == "0.0 0.2 0.4 0.6 0.8 1.0");
  CHECK(labels(reports::linear_ticks(20913)) == "0 5000 10000 15000 20000 25000");
  CHECK(labels(reports::linear_ticks(0)) == "0 1");
  CHECK(labels(reports::linear_ticks(std::nan(""))) == "0 1");
}

TEST_CASE(
    "binary ticks are powers of two, thinned where there are many, and the sizes themselves where there are "
    "few") {
  CHECK(labels(reports::binary_ticks(512, 4096, 12)) == "512 1024 2048 4096");
  CHECK(labels(reports::binary_ticks(8, 4096, 4)) == "8 64 512 4096");
  CHECK(labels(reports::binary_ticks(1000, 1000, 12)) == "1000");
  CHECK(labels(reports::binary_ticks(600, 1000, 12)) == "600 1000");
}

TEST_CASE("labels that touch are moved apart, and no further than needed") {
  CHECK(reports::spread_apart({10, 50}, 16, 0, 100) == std::vector<double>{10, 50});
  const auto moved = reports::spread_apart({52, 50, 90}, 16, 0, 100);
  CHECK(moved[0] - moved[1] == doctest::Approx(16));
  CHECK(moved[0] + moved[1] == doctest::Approx(102));
  CHECK(moved[2] == doctest::Approx(90));
}

TEST_CASE("labels stay on the paper where there is room for them") {
  const auto moved = reports::spread_apart({100, 99, 98, 0, 1}, 16, 0, 100);
  CHECK(*std::max_element(moved.begin(), moved.end()) <= 100);
  CHECK(*std::min_element(moved.begin(), moved.end()) >= 0);
  auto sorted = moved;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) CHECK(sorted[i] - sorted[i - 1] >= 16 - 1e-9);
}

TEST_SUITE_END();
