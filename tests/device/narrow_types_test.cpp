// Types that the host has no names for, vectors, and what fills them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/host_library.hpp"

namespace device = tuner::device;
namespace model = tuner::model;
using tuner::model::ElementType;
using tuner::model::Init;

TEST_SUITE("tuner::device narrow types") {
  namespace {

  constexpr device::SmallFloat half{16, 10, true};
  constexpr device::SmallFloat bfloat{16, 7, true};
  constexpr device::SmallFloat e4m3{8, 3, false};
  constexpr device::SmallFloat e5m2{8, 2, true};

  /// The numbers of a filled buffer.
  std::vector<double> numbers(ElementType type, std::int64_t elements, const Init& init,
                              std::uint64_t seed = 1) {
    const ElementType component = model::component_type(type);
    const auto bytes = static_cast<std::size_t>(model::size_bytes(component));
    const auto count = static_cast<std::size_t>(elements * model::components(type));
    std::vector<std::byte> memory(count * bytes);
    device::fill_on_host(memory.data(), type, elements, init, seed);
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i) {
      device::Word word = 0;
      std::memcpy(&word, memory.data() + i * bytes, bytes);
      out.push_back(device::value_of(static_cast<int>(component), word));
    }
    return out;
  }

  }  // namespace

  TEST_CASE("known numbers have the bits that the standards give them") {
    CHECK(device::small_bits(half, 1) == 0x3C00);
    CHECK(device::small_bits(half, -2) == 0xC000);
    CHECK(device::small_bits(half, 65504) == 0x7BFF);
    CHECK(device::small_bits(half, 0x1p-24) == 0x0001);
    CHECK(device::small_bits(half, 0x1p-14) == 0x0400);
    CHECK(device::small_bits(bfloat, 1) == 0x3F80);
    CHECK(device::small_bits(bfloat, 3.140625) == 0x4049);
    CHECK(device::small_bits(e4m3, 1) == 0x38);
    CHECK(device::small_bits(e4m3, 448) == 0x7E);
    CHECK(device::small_bits(e4m3, 0x1p-9) == 0x01);
    CHECK(device::small_bits(e5m2, 1) == 0x3C);
    CHECK(device::small_bits(e5m2, 57344) == 0x7B);
    CHECK(std::isnan(device::small_value(e4m3, 0x7F)));
    CHECK(std::isinf(device::small_value(e5m2, 0x7C)));
    CHECK(std::isnan(device::small_value(half, 0x7E00)));
  }

  TEST_CASE("rounding is to nearest, ties to even, and never beyond the largest number") {
    CHECK(device::small_bits(half, 1 + 0x1p-11) == 0x3C00);
    CHECK(device::small_bits(half, 1 + 0x1p-11 + 0x1p-40) == 0x3C01);
    CHECK(device::small_bits(half, 1 + 3 * 0x1p-11) == 0x3C02);
    CHECK(device::small_bits(half, 2 - 0x1p-12) == 0x4000);  // the carry goes into the exponent
    CHECK(device::small_bits(half, 0x1p-25) == 0);
    CHECK(device::small_bits(half, 0x1p-25 + 0x1p-60) == 1);
    CHECK(device::small_bits(half, 1e300) == 0x7BFF);
    CHECK(device::small_bits(e4m3, -1000) == 0xFE);
    CHECK(device::small_bits(bfloat, 1e300) == 0x7F7F);
  }

  TEST_CASE("every number of every narrow type survives the way to double and back") {
    for (const device::SmallFloat format : {half, bfloat, e4m3, e5m2}) {
      int lost = 0;
      for (device::Word bits = 0; bits < (device::Word{1} << format.bits); ++bits) {
        const double value = device::small_value(format, bits);
        if (!std::isfinite(value)) continue;
        lost += device::small_bits(format, value) == bits ? 0 : 1;
      }
      CHECK(lost == 0);
    }
  }

  TEST_CASE("uniform numbers are numbers of the type in [a, b), vectors have one each") {
    for (const ElementType type : {ElementType::float16, ElementType::bfloat16, ElementType::float8_e4m3,
                                   ElementType::float8_e5m2, ElementType::half2, ElementType::float3}) {
      const std::vector<double> values = numbers(type, 3000, {Init::Kind::uniform, -1, 1});
      CHECK(values.size() == static_cast<std::size_t>(3000 * model::components(type)));
      CHECK(*std::min_element(values.begin(), values.end()) >= -1);
      CHECK(*std::max_element(values.begin(), values.end()) < 1);
      CHECK(*std::max_element(values.begin(), values.end()) > 0.8);
      CHECK(std::set<double>(values.begin(), values.end()).size() > 10);
    }
  }

  TEST_CASE("poison of a narrow floating type is not a number") {
    for (const ElementType type :
         {ElementType::float16, ElementType::bfloat16, ElementType::float8_e4m3, ElementType::float8_e5m2})
      for (const double value : numbers(type, 3, Init{})) CHECK(std::isnan(value));
  }

  TEST_CASE("whole numbers reach short and bool as they are") {
    CHECK(numbers(ElementType::int16, 3, {Init::Kind::iota, -1, 5}) == std::vector<double>{-1, 4, 9});
    CHECK(numbers(ElementType::uint16, 1, {Init::Kind::constant, 65535, 0}) == std::vector<double>{65535});
    for (const double value : numbers(ElementType::boolean, 100, {Init::Kind::integers, 0, 1}))
      CHECK((value == 0 || value == 1));
  }

  TEST_CASE("normal numbers have the mean and the spread that were asked for, and depend on the seed") {
    const std::vector<double> values = numbers(ElementType::float32, 100'000, {Init::Kind::normal, 5, 2});
    double sum = 0;
    double squares = 0;
    int near = 0;
    for (const double value : values) {
      sum += value;
      squares += (value - 5) * (value - 5);
      near += std::fabs(value - 5) < 2 ? 1 : 0;
    }
    CHECK(sum / 100'000 == doctest::Approx(5).epsilon(0.01));
    CHECK(std::sqrt(squares / 100'000) == doctest::Approx(2).epsilon(0.02));
    CHECK(near / 100'000.0 == doctest::Approx(0.683).epsilon(0.02));  // uniform ones would have 0.58
    CHECK(numbers(ElementType::float32, 10, {Init::Kind::normal, 5, 2}, 2) !=
          numbers(ElementType::float32, 10, {Init::Kind::normal, 5, 2}, 3));
  }

  TEST_CASE("a permutation has each number once, in an order that the seed decides") {
    for (const std::int64_t count : {1, 2, 5, 64, 1000}) {
      const Init init{Init::Kind::permutation, 10, 0, static_cast<double>(count)};
      std::vector<double> values = numbers(ElementType::int32, count, init);
      if (count == 1000) {
        CHECK_FALSE(std::is_sorted(values.begin(), values.end()));
        CHECK(values != numbers(ElementType::int32, count, init, 2));
      }
      std::sort(values.begin(), values.end());
      for (std::int64_t i = 0; i < count; ++i)
        REQUIRE(values[static_cast<std::size_t>(i)] == static_cast<double>(10 + i));
    }
  }

  TEST_CASE("sorted numbers do not descend, spread over the whole range, and reach both ends as integers") {
    const auto real = numbers(ElementType::float32, 1000, {Init::Kind::sorted, -1, 1, 1000});
    CHECK(std::is_sorted(real.begin(), real.end()));
    CHECK(real.front() < -0.99);
    CHECK(real.back() > 0.99);
    const auto whole = numbers(ElementType::int32, 1000, {Init::Kind::sorted, -3, 3, 1000});
    CHECK(std::is_sorted(whole.begin(), whole.end()));
    CHECK(whole.front() == -3);
    CHECK(whole.back() == 3);
  }

  TEST_CASE("of sparse numbers the share is not 0 that was asked for") {
    const auto values = numbers(ElementType::float32, 10'000, {Init::Kind::sparse, 1, 2, 0.1});
    const auto zeros = std::count(values.begin(), values.end(), 0.0);
    CHECK(static_cast<double>(zeros) / 10'000 == doctest::Approx(0.9).epsilon(0.02));
    for (const double value : values) CHECK((value == 0 || (value >= 1 && value < 2)));
  }

  TEST_CASE("what a vector by value is passed lies where its components do") {
    model::Operand operand;
    operand.kind = model::Operand::Kind::scalar;
    operand.type = ElementType::float4;
    operand.reals = {1, 2, 3, 4};
    const device::OperandValue value = device::operand_value(operand, {});
    float parts[4];
    std::memcpy(parts, value.words.data(), sizeof parts);
    CHECK(parts[0] == 1);
    CHECK(parts[3] == 4);
    CHECK(device::operand_bytes(operand) == 16);
    operand.type = ElementType::half2;
    operand.reals = {1, -2};
    CHECK(device::operand_value(operand, {}).words[0] == 0xC0003C00U);
    operand = {};
    operand.kind = model::Operand::Kind::scalar;
    operand.type = ElementType::short2;
    operand.integer = -1;
    CHECK(device::operand_value(operand, {}).words[0] == 0xFFFFFFFFU);
  }
}
