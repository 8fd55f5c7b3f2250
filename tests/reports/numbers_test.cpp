#include <doctest/doctest.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "reports/text.hpp"
#include "tests/support/fuzz.hpp"

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
  CHECK(reports::percent_text(2.3e-12) == "2.30e-10 %");
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

namespace {

/// The number at the beginning of `text`, and the worth of one in its last digit.
struct Shown {
  double value = 0;
  double last_digit = 0;
  std::string_view unit;  ///< what stands behind it and a blank
};

Shown read_back(std::string_view text) {
  Shown shown;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shown.value);
  const std::string_view digits(text.data(), static_cast<std::size_t>(number.ptr - text.data()));
  const std::string_view mantissa = digits.substr(0, digits.find('e'));
  const std::size_t point = mantissa.find('.');
  const auto decimals = point == std::string_view::npos ? 0 : mantissa.size() - point - 1;
  const double exponent =
      digits.size() > mantissa.size() ? std::atof(digits.data() + mantissa.size() + 1) : 0;
  shown.last_digit = std::pow(10.0, exponent - static_cast<double>(decimals));
  if (number.ptr != end) shown.unit = text.substr(digits.size());
  return shown;
}

/// Whether `text` says `value` as exactly as its digits can, in a unit worth `unit`.
bool says(const Shown& shown, double value, double unit) {
  return std::abs(shown.value * unit - value) <= 0.500001 * shown.last_digit * unit;
}

const std::map<std::string_view, double> unit_ns = {{" ns", 1}, {" µs", 1e3}, {" ms", 1e6}, {" s", 1e9}};
const std::map<std::string_view, double> unit_bytes = {
    {" B", 1}, {" KiB", 1024}, {" MiB", 1048576}, {" GiB", 1073741824}, {" TiB", 1099511627776}};

}  // namespace

TEST_CASE("every number that is printed parses back to what it was, as exactly as its digits say") {
  tuner::test::fuzz([](unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> magnitude(-3, 12);
    for (int i = 0; i < 5000; ++i) {
      const double value = std::pow(10.0, magnitude(random));
      CAPTURE(value);
      const std::string number = reports::significant(value);
      CHECK_MESSAGE(says(read_back(number), value, 1), number);
      CHECK_MESSAGE(read_back(number).last_digit <= std::max(value * 1e-3, 1.0), number);
      const std::string time = reports::time_text(value);
      const Shown shown_time = read_back(time);
      REQUIRE_MESSAGE(unit_ns.contains(shown_time.unit), time);
      CHECK_MESSAGE(says(shown_time, value, unit_ns.at(shown_time.unit)), time);
      CHECK_MESSAGE((shown_time.value < 1000 || shown_time.unit == " s"), time);
      const auto count = static_cast<std::int64_t>(value);
      const std::string bytes = reports::bytes_text(count);
      const Shown shown_bytes = read_back(bytes);
      REQUIRE_MESSAGE(unit_bytes.contains(shown_bytes.unit), bytes);
      CHECK_MESSAGE(says(shown_bytes, static_cast<double>(count), unit_bytes.at(shown_bytes.unit)), bytes);
      const double fraction = value * 1e-12;
      const std::string percent = reports::percent_text(fraction);
      CHECK_MESSAGE(read_back(percent).unit == " %", percent);
      // Three digits, zeros at the end left out.
      CHECK_MESSAGE(std::abs(read_back(percent).value * 0.01 - fraction) <= 0.00501 * fraction, percent);
    }
  });
}

TEST_SUITE_END();
