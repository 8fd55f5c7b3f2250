#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tuner/device/buffer_contents.hpp"

namespace device = tuner::device;
using tuner::model::ElementType;

TEST_SUITE("tuner::device compare") {
  namespace {

  constexpr double infinity = std::numeric_limits<double>::infinity();

  /// Four floats against 1, 2, 3, 4 with magnitude 10.
  struct Case {
    std::vector<float> got = {1, 2, 3, 4};
    std::vector<double> expected = {1, 2, 3, 4};
    std::vector<double> magnitude = {10, 10, 10, 10};
    double bound_factor = 0.01;
    bool ignore_unwritten = false;

    tuner::model::Verification compare() const {
      device::CompareRequest request;
      request.got = reinterpret_cast<std::uint64_t>(got.data());
      request.elements = static_cast<std::int64_t>(got.size());
      request.expected = reinterpret_cast<std::uint64_t>(expected.data());
      request.magnitude = reinterpret_cast<std::uint64_t>(magnitude.data());
      request.bound_factor = bound_factor;
      request.ignore_unwritten = ignore_unwritten;
      return device::compare_on_host(request);
    }
  };

  float poison_float() {
    return std::bit_cast<float>(device::poison_word);
  }
  double poison_double() {
    return std::bit_cast<double>(device::poison_double);
  }

  }  // namespace

  TEST_CASE("what is equal has no error") {
    const auto verification = Case{}.compare();
    CHECK(verification.checked);
    CHECK(verification.wrong_elements == 0);
    CHECK(verification.first_wrong == -1);
    CHECK(verification.error_ratio == 0);
    CHECK(verification.error_ulp_scale == 0);
  }

  TEST_CASE("an error within the bound passes, and its share of the bound and in roundoffs is told") {
    Case within;
    within.got[2] = 3.0625F;
    const auto verification = within.compare();
    CHECK(verification.wrong_elements == 0);
    CHECK(verification.error_ratio == doctest::Approx(0.625));
    CHECK(verification.error_ulp_scale == doctest::Approx(0.00625 * 0x1p24));
  }

  TEST_CASE("errors beyond the bound are counted, and the lowest index told") {
    Case beyond;
    beyond.got = {1, 2.5F, 3, 0};
    const auto verification = beyond.compare();
    CHECK(verification.wrong_elements == 2);
    CHECK(verification.first_wrong == 1);
    CHECK(verification.error_ratio == doctest::Approx(40));
  }

  TEST_CASE(
      "NaN is wrong, even where the reference says NaN, and infinity is right only where it is expected") {
    Case odd;
    odd.got = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
               std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
    odd.expected = {1, infinity, 3, std::numeric_limits<double>::quiet_NaN()};
    const auto verification = odd.compare();
    CHECK(verification.wrong_elements == 3);
    CHECK(verification.first_wrong == 0);
    CHECK(verification.error_ratio == infinity);
  }

  TEST_CASE("without a magnitude only equality passes") {
    for (const double magnitude : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
      CAPTURE(magnitude);
      Case bare;
      bare.magnitude.assign(4, magnitude);
      CHECK(bare.compare().wrong_elements == 0);
      bare.got[0] = 1.0001F;
      CHECK(bare.compare().wrong_elements == 1);
    }
  }

  TEST_CASE("a bound of 0 asks for equality: the ratio is 0 or infinity") {
    Case exact;
    exact.bound_factor = 0;
    CHECK(exact.compare().error_ratio == 0);
    exact.got[3] = std::nextafter(4.0F, 5.0F);
    CHECK(exact.compare().wrong_elements == 1);
    CHECK(exact.compare().error_ratio == infinity);
  }

  TEST_CASE("what the reference never wrote must still be poison, unless it was filled") {
    Case padded;
    padded.expected[3] = poison_double();
    padded.got[3] = poison_float();
    CHECK(padded.compare().wrong_elements == 0);
    padded.got[3] = 0;
    CHECK(padded.compare().first_wrong == 3);
    padded.ignore_unwritten = true;
    CHECK(padded.compare().wrong_elements == 0);
  }

  TEST_CASE("integers are equal or wrong") {
    const std::vector<signed char> got = {-128, 0, 127};
    const std::vector<double> expected = {-128, 0, 126};
    const std::vector<double> magnitude = {128, 0, 126};
    device::CompareRequest request{reinterpret_cast<std::uint64_t>(got.data()),
                                   ElementType::int8,
                                   3,
                                   reinterpret_cast<std::uint64_t>(expected.data()),
                                   reinterpret_cast<std::uint64_t>(magnitude.data()),
                                   0};
    const auto verification = device::compare_on_host(request);
    CHECK(verification.wrong_elements == 1);
    CHECK(verification.first_wrong == 2);
    CHECK(verification.error_ulp_scale == infinity);
  }
}
