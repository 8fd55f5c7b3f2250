#include "reports/numbers.hpp"

#include <doctest/doctest.h>

#include <limits>

TEST_SUITE_BEGIN("reports");

TEST_CASE("a number shows its significant digits and never loses its integer part") {
  CHECK(reports::significant(20913.4) == "20913");
  CHECK(reports::significant(876.14) == "876.1");
  CHECK(reports::significant(38.2521) == "38.25");
  CHECK(reports::significant(0.503) == "0.5030");
  CHECK(reports::significant(-2.5, 2) == "-2.5");
  CHECK(reports::significant(0) == "0");
}

TEST_CASE("rounding that carries into a new digit does not add one") {
  CHECK(reports::significant(9.99996) == "10.00");
  CHECK(reports::significant(999.96) == "1000");
}

TEST_CASE("what is no number is said, not printed as one") {
  CHECK(reports::significant(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(reports::significant(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(reports::significant(1e-9, 3) == "1.00e-09");
}

TEST_CASE("a time takes the unit that suits it, also at the borders of units") {
  CHECK(reports::time_text(812) == "812.0 ns");
  CHECK(reports::time_text(6524) == "6.524 µs");
  CHECK(reports::time_text(999'960) == "1.000 ms");
  CHECK(reports::time_text(2'663'000) == "2.663 ms");
  CHECK(reports::time_text(1.25e9) == "1.250 s");
  CHECK(reports::interval_text(990'000, 1'010'000) == "990.0–1010 µs");
}

TEST_CASE("percentages, ratios and bytes read as people write them") {
  CHECK(reports::percent_text(0.75) == "75 %");
  CHECK(reports::percent_text(0.0625) == "6.25 %");
  CHECK(reports::percent_text(1.0 / 3) == "33.3 %");
  CHECK(reports::percent_text(0) == "0 %");
  CHECK(reports::ratio_text(3.2096) == "3.21×");
  CHECK(reports::bytes_text(512) == "512 B");
  CHECK(reports::bytes_text(49152) == "48 KiB");
  CHECK(reports::bytes_text(1572864) == "1.5 MiB");
}

TEST_CASE("a ratio keeps its digits however small it is") {
  CHECK(reports::ratio_interval_text(1.0321, 1.01, 1.05) == "1.032 (1.010–1.050)");
  CHECK(reports::ratio_interval_text(0.0001762, 0.00016, 0.00019) == "0.000176 (0.000160–0.000190)");
  CHECK(reports::ratio_interval_text(0, 0, 0) == "0.000 (0.000–0.000)");
}

TEST_SUITE_END();
