#include <doctest/doctest.h>

#include <limits>

#include "reports/document.hpp"
#include "reports/report.hpp"
#include "tests/reports/sample.hpp"
#include "tests/support/golden.hpp"

using namespace tests;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_SUITE_BEGIN("reports");

TEST_CASE("a chart of three kernels") {
  const reports::Chart chart{
      "matmul: the best of each kernel",
      "size (M = N = K)",
      "GFLOP/s",
      {{"naive", {{256, 2820, false}, {512, 4036, false}, {1024, 5302, false}, {2048, 5400, true}}},
       {"shared", {{256, 2900, false}, {512, 5900, false}, {1024, 7600, false}, {2048, 8400, false}}},
       {"tiled", {{256, 4142, false}, {512, 13421, false}, {1024, 19173, false}}}}};
  check_golden("chart.svg", reports::render_svg(chart));
}

TEST_CASE("points that cannot be drawn are left out, and a chart without any says so") {
  const double inf = std::numeric_limits<double>::infinity();
  const reports::Chart broken{
      "t", "x", "y", {{"a", {{0, 1, false}, {-5, 1, false}, {1, inf, false}, {2, -1, false}}}}};
  CHECK(broken.empty());
  const std::string svg = reports::render_svg(broken);
  CHECK(svg.find("no data") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}

TEST_CASE("one point, and forty lines, still make finite coordinates") {
  reports::Chart one{"t", "x", "y", {{"a", {{1000, 5, false}}}}};
  CHECK(reports::render_svg(one).find("nan") == std::string::npos);
  for (int i = 0; i < 40; ++i)
    one.series.push_back({"kernel " + std::to_string(i), {{500, 4, false}, {1000, 5, false}}});
  const std::string svg = reports::render_svg(one);
  CHECK(count(svg, "<polyline") == 41);
  CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("names in a chart are text") {
  const reports::Chart hostile{
      "<script>", "x", "\"y\"", {{"</svg><script>alert(1)</script>\x01", {{1, 1, false}}}}};
  const std::string svg = reports::render_svg(hostile);
  CHECK(count(svg, "<script") == 0);
  CHECK(count(svg, "</svg>") == 1);
  CHECK(svg.find('\x01') == std::string::npos);
}

TEST_CASE("a chart against size takes the fastest of each size and names its axis after the dimensions") {
  const auto trials = sample_trials();
  const auto all = reports::view(trials);
  const auto naive = reports::select(all, [](const auto& t) { return t.kernel == "naive"; });
  const auto chart = reports::size_chart("c", {{"naive", naive}}, {"time_ms", "", 1});
  CHECK(chart.x_label == "size (M = N = K)");
  CHECK(chart.y_label == "ms");
  REQUIRE(chart.series.size() == 1);
  REQUIRE(chart.series[0].points.size() == 3);
  CHECK(chart.series[0].points[1].x == doctest::Approx(512));
  CHECK(chart.series[0].points[1].y == doctest::Approx(0.0665));
}

TEST_CASE("rectangular sizes are charted at their geometric mean, and padded ones as a line of their own") {
  auto wide = cube(512);
  wide.sizes[1].value = 4096;
  auto padded = cube(512);
  padded.row_padding = 32;
  const std::vector<model::TrialRecord> trials = {measured("a", {}, wide, 1000),
                                                  measured("a", {}, padded, 1000)};
  const auto chart = reports::size_chart("c", {{"a", reports::view(trials)}}, {"GFLOP/s", "", 1});
  CHECK(chart.x_label == "size (geometric mean of M, N, K)");
  REQUIRE(chart.series.size() == 2);
  CHECK(chart.series[0].points[0].x == doctest::Approx(1024));
  CHECK(chart.series[1].name == "a pad 32");
}

TEST_SUITE_END();
