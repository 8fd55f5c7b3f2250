// Where a comparison, a fill or a recording that is nearly right differs from one that is.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/buffer_contents.hpp"
#include "tuner/device/host_library.hpp"
#include "tuner/interchange/recorded_space.hpp"
#include "tuner/util/files.hpp"

namespace device = tuner::device;
using tuner::model::ElementType;
using tuner::model::Init;

TEST_SUITE("tuner::device counterexamples") {
  namespace {

  constexpr double infinity = std::numeric_limits<double>::infinity();

  template <typename Number>
  device::CompareRequest request_of(ElementType type, const std::vector<Number>& got,
                                    const std::vector<double>& expected,
                                    const std::vector<double>& magnitude) {
    device::CompareRequest request;
    request.got = reinterpret_cast<std::uint64_t>(got.data());
    request.type = type;
    request.elements = static_cast<std::int64_t>(got.size());
    request.expected = reinterpret_cast<std::uint64_t>(expected.data());
    request.magnitude = reinterpret_cast<std::uint64_t>(magnitude.data());
    return request;
  }

  }  // namespace

  TEST_CASE("whole words in another order are other memory") {
    std::array<std::uint64_t, 3> words = {11, 22, 33};
    const auto original = device::checksum_on_host(words.data(), sizeof words);
    std::swap(words[0], words[2]);
    CHECK(device::checksum_on_host(words.data(), sizeof words) != original);
  }

  TEST_CASE("a result that is not a number is infinitely wrong") {
    const std::vector<float> got = {1, std::numeric_limits<float>::quiet_NaN()};
    const std::vector<double> expected = {1, 2};
    const std::vector<double> magnitude = {10, 10};
    auto request = request_of(ElementType::float32, got, expected, magnitude);
    request.bound_factor = 0.01;
    const auto verification = device::compare_on_host(request);
    CHECK(verification.wrong_elements == 1);
    CHECK(verification.error_ratio == infinity);
  }

  TEST_CASE("a short integer that happens to be poison passes a tolerance like any other") {
    const std::vector<std::int16_t> got = {0, -1};  // every second poison of this type is -1
    REQUIRE(device::poison_bits(device::fill_int16, 1, false) == 0xFFFF);
    const std::vector<double> expected = {0, 0};
    const std::vector<double> magnitude = {1, 1};
    auto request = request_of(ElementType::int16, got, expected, magnitude);
    request.tolerance.absolute = 2;
    CHECK(device::compare_on_host(request).wrong_elements == 0);
    request.tolerance.absolute = 0.5;
    CHECK(device::compare_on_host(request).wrong_elements == 1);
  }

  TEST_CASE("without order, each number is bounded by its own magnitude") {
    const std::vector<float> got = {1, 100.5F};
    const std::vector<double> expected = {100, 1};
    const std::vector<double> magnitude = {100, 1};
    auto request = request_of(ElementType::float32, got, expected, magnitude);
    request.bound_factor = 0.01;
    request.unordered_within = 2;
    CHECK(device::compare_on_host(request).wrong_elements == 0);
    const std::vector<float> other = {1.5F, 100};
    request.got = reinterpret_cast<std::uint64_t>(other.data());
    CHECK(device::compare_on_host(request).wrong_elements == 1);
  }

  TEST_CASE("without order, vectors whose first numbers meet once rounded are paired by the others") {
    std::vector<float> got;
    std::vector<double> expected;
    for (int i = 0; i < 1000; ++i) {
      const double first = 1 + i * 1e-9;  // some 60 of these are one float
      expected.insert(expected.end(), {first, static_cast<double>((i * 7) % 1000)});
    }
    for (std::size_t i = expected.size(); i > 0; i -= 2)
      got.insert(got.end(), {static_cast<float>(expected[i - 2]), static_cast<float>(expected[i - 1])});
    auto request = request_of(ElementType::float2, got, expected, expected);
    request.elements = 1000;
    request.unordered_within = 1000;
    request.tolerance.relative = 1e-5;
    CHECK(device::compare_on_host(request).wrong_elements == 0);
    got[11] += 1;
    CHECK(device::compare_on_host(request).wrong_elements > 0);
  }

  TEST_CASE("signs have something in every column, however long a row is") {
    const std::size_t columns = 8;
    const std::size_t rows = 40;
    std::vector<float> values(columns * rows);
    device::fill_on_host(values.data(), ElementType::float32, columns * rows,
                         Init{Init::Kind::signs, 4, static_cast<double>(columns)}, 1);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        CAPTURE(row);
        CAPTURE(column);
        CHECK(std::fabs(values[row * columns + column]) == ((row + column) % 4 == 0 ? 1.0F : 0.0F));
      }
    }
  }

  TEST_CASE("of what a recording measured, its objective is the time, wherever it stands") {
    const auto space = tuner::interchange::parse_recorded_space(
        R"({"results": [{"configuration": {"A": 1}, "invalidity": "correct", "objectives": ["time"],
           "measurements": [{"name": "time", "value": 2.5}, {"name": "energy", "value": 7}]}]})",
        "file.json");
    REQUIRE(space.entries.size() == 1);
    CHECK(space.entries[0].time_ns == 2.5e6);
  }

  TEST_CASE("who asks for a seed gets it as a number of 64 bits, and nobody else does") {
    std::vector<tuner::model::Step> steps(2);
    steps[1].operands.resize(2);
    steps[1].operands[0].kind = tuner::model::Operand::Kind::scalar;
    steps[1].operands[0].integer = 5;
    steps[1].operands[1].kind = tuner::model::Operand::Kind::seed;
    const std::uint64_t seed = 0x8000000000000003U;
    const auto with = device::with_seed(steps, seed);
    REQUIRE(with.size() == 2);
    CHECK(with[1].operands[0].integer == 5);
    CHECK(with[1].operands[1].kind == tuner::model::Operand::Kind::scalar);
    CHECK(with[1].operands[1].type == ElementType::uint64);
    CHECK(static_cast<std::uint64_t>(with[1].operands[1].integer) == seed);
  }

  TEST_CASE("a file's contents begin at their first byte, and are refused where the file has changed") {
    const tuner::util::TemporaryFolder folder;
    const std::string path = (folder.path() / "data").string();
    std::ofstream(path) << "headabcdef";
    tuner::model::FileContents file;
    file.path = path;
    file.digest = tuner::model::digest_of_file(path);
    file.first_byte = 4;
    file.elements = 3;
    file.type = ElementType::int16;
    const auto bytes = device::read_contents(file);
    CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == "abcdef");
    file.elements = 4;
    CHECK_THROWS_AS(device::read_contents(file), device::DeviceFault);
    file.elements = 3;
    std::ofstream(path) << "headabcdeg";
    CHECK_THROWS_AS(device::read_contents(file), device::DeviceFault);
  }
}
