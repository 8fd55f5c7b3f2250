#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tuner/device/buffer_contents.hpp"

namespace device = tuner::device;
using tuner::model::ElementType;

TEST_SUITE("tuner::device tolerance") {
  namespace {

  /// Floats against doubles of magnitude 1, with a rule.
  struct Judged {
    std::vector<float> got;
    std::vector<double> expected;
    tuner::model::Tolerance tolerance = {};
    std::int64_t unordered_within = 0;
    double bound_factor = 0;
    ElementType type = ElementType::float32;

    device::CompareRequest request() const {
      magnitude.assign(expected.size(), 1);
      device::CompareRequest request;
      request.got = reinterpret_cast<std::uint64_t>(got.data());
      request.type = type;
      request.elements = static_cast<std::int64_t>(got.size()) / tuner::model::components(type);
      request.expected = reinterpret_cast<std::uint64_t>(expected.data());
      request.magnitude = reinterpret_cast<std::uint64_t>(magnitude.data());
      request.bound_factor = bound_factor;
      request.tolerance = tolerance;
      request.unordered_within = unordered_within;
      return request;
    }
    tuner::model::Verification verification() const { return device::compare_on_host(request()); }
    bool passes() const { return device::accepts(request(), verification()); }

    mutable std::vector<double> magnitude{};
  };

  float poison() {
    return device::float_of_bits(device::poison_word);
  }
  double unwritten() {
    return device::double_of_bits(device::poison_double);
  }

  }  // namespace

  TEST_CASE("absolute, relative and ulp each allow what they say, and no more") {
    CHECK(Judged{{1.5F}, {1}, {.absolute = 0.5}}.passes());
    CHECK_FALSE(Judged{{1.5F}, {1}, {.absolute = 0.49}}.passes());
    CHECK(Judged{{-150}, {-100}, {.relative = 0.5}}.passes());
    CHECK_FALSE(Judged{{-151}, {-100}, {.relative = 0.5}}.passes());
    const float next = std::nextafter(1.0F, 2.0F);
    CHECK(Judged{{next}, {1}, {.ulps = 1}}.passes());
    CHECK_FALSE(Judged{{std::nextafter(next, 2.0F)}, {1}, {.ulps = 1}}.passes());
    CHECK(Judged{{0x1p-149F}, {0}, {.ulps = 1}}.passes());
    CHECK_FALSE(Judged{{0x1p-148F}, {0}, {.ulps = 1}}.passes());
  }

  TEST_CASE("the parts of a rule add up, the rounding bound among them, and the share of it is told") {
    const Judged sum{{2}, {1}, {.absolute = 0.5, .relative = 0.25}, 0, 0.25};
    CHECK(sum.passes());
    CHECK(sum.verification().error_ratio == doctest::Approx(1));
    CHECK_FALSE(Judged{{2.125F}, {1}, {.absolute = 0.5, .relative = 0.25}, 0, 0.25}.passes());
  }

  TEST_CASE("NaN and what was never written pass no tolerance") {
    CHECK_FALSE(Judged{{std::nanf("")}, {1}, {.absolute = 1e30}}.passes());
    CHECK_FALSE(Judged{{poison()}, {1}, {.absolute = 1e30}}.passes());
    CHECK(Judged{{poison()}, {unwritten()}, {.absolute = 1e30}}.passes());
    CHECK_FALSE(Judged{{3}, {unwritten()}, {.absolute = 1e30}}.passes());
  }

  TEST_CASE("a share may differ, but has to be written") {
    const std::vector<double> expected = {0, 1, 0, 1};
    CHECK(Judged{{0, 1, 0, 0}, expected, {.share = 0.25}}.passes());
    CHECK_FALSE(Judged{{0, 1, 1, 0}, expected, {.share = 0.25}}.passes());
    CHECK_FALSE(Judged{{0, 1, 0, poison()}, expected, {.share = 0.25}}.passes());
    CHECK_FALSE(Judged{{0, 1, 0, std::nanf("")}, expected, {.share = 0.25}}.passes());
    CHECK(Judged{{0, 1, 0, 0}, expected, {.share = 0.25}}.verification().wrong_elements == 1);
  }

  TEST_CASE("without order, groups are compared as multisets") {
    CHECK(Judged{{3, 1, 2}, {1, 2, 3}, {}, 3}.passes());
    CHECK_FALSE(Judged{{3, 1, 2}, {1, 2, 3}}.passes());
    CHECK_FALSE(Judged{{3, 1, 1}, {1, 2, 3}, {}, 3}.passes());
    CHECK_FALSE(Judged{{2, 2, 3}, {2, 3, 3}, {}, 3}.passes());
    CHECK(Judged{{2, 1, 4, 3, 5}, {1, 2, 3, 4, 5}, {}, 2}.passes());
    CHECK_FALSE(Judged{{3, 2, 1, 4}, {1, 2, 3, 4}, {}, 2}.passes());  // 3 is in the wrong group
    CHECK(Judged{{3.25F, 1.25F, 2.25F}, {1, 2, 3}, {.absolute = 0.25}, 3}.passes());
  }

  TEST_CASE("without order, what a share excuses pushes no others from their places") {
    const std::vector<double> expected = {1, 2, 3, 4};
    const auto wrong = [&](std::vector<float> got) {
      return Judged{std::move(got), expected, {.absolute = 0.25, .share = 0.25}, 4}
          .verification()
          .wrong_elements;
    };
    CHECK(wrong({4.25F, 3, 2, 1}) == 0);
    CHECK(wrong({-1, 1, 2, 3}) == 1);
    CHECK(wrong({2, 9, 3, 4}) == 1);
    CHECK(wrong({-1, 2, 3, 9}) == 2);
    CHECK_FALSE(Judged{{1, 2, 3, poison()}, expected, {.share = 0.25}, 4}.passes());
    Judged pairs{{-1, 0, 1, 10, 3, 30, 5, 50}, {1, 10, 3, 30, 5, 50, 7, 70}, {.share = 0.25}, 4};
    pairs.type = ElementType::float2;
    CHECK(pairs.verification().wrong_elements == 2);  // the numbers of one
    pairs.got = {3, 30, 5, 50, 7, 70, 9, 90};
    CHECK(pairs.verification().wrong_elements == 2);
  }

  TEST_CASE("elements that the reference left alone have no part in the multiset") {
    CHECK(Judged{{2, 1, poison()}, {1, 2, unwritten()}, {}, 3}.passes());
    CHECK_FALSE(Judged{{2, poison(), 1}, {1, 2, unwritten()}, {}, 3}.passes());
    CHECK_FALSE(Judged{{2, poison(), poison()}, {1, 2, unwritten()}, {}, 3}.passes());
  }

  TEST_CASE("vectors keep their components together in any order") {
    Judged pairs{{3, 30, 1, 10}, {1, 10, 3, 30}, {}, 2};
    pairs.type = ElementType::float2;
    CHECK(pairs.passes());
    pairs.got = {3, 10, 1, 30};
    CHECK_FALSE(pairs.passes());
  }
}
