#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <limits>
#include <vector>

#include "tests/device/gpu.hpp"
#include "tuner/device/buffer_contents.hpp"

using tests::filled;
using tests::gpu;
using tests::plant;
using tuner::device::Buffer;
using tuner::device::CompareRequest;
using tuner::device::DeviceFault;
using tuner::model::ElementType;
using tuner::model::Init;

TEST_SUITE("tuner::device::cuda memory") {
  namespace {

  constexpr std::int64_t elements = 100'003;
  constexpr std::array types = {ElementType::float32, ElementType::float64, ElementType::int8,
                                ElementType::uint8,   ElementType::int32,   ElementType::uint32,
                                ElementType::int64,   ElementType::uint64};
  constexpr Init poison{};
  constexpr Init counting{Init::Kind::iota, 0, 1};
  constexpr Init one{Init::Kind::constant, 1, 0};

  std::vector<std::byte> filled_on_host(ElementType type, std::int64_t count, const Init& init,
                                        std::uint64_t seed) {
    std::vector<std::byte> out(static_cast<std::size_t>(count * tuner::model::size_bytes(type)));
    tuner::device::fill_on_host(out.data(), type, count, init, seed);
    return out;
  }

  /// Outputs, expected values and magnitudes on the device.
  struct Comparison {
    std::unique_ptr<Buffer> got;
    std::unique_ptr<Buffer> expected;
    std::unique_ptr<Buffer> magnitude;
    ElementType type;
    std::int64_t count;
    double bound_factor = 1e-6;

    tuner::model::Verification run() const {
      return gpu().device->compare(
          {got->address(), type, count, expected->address(), magnitude->address(), bound_factor});
    }
  };

  /// Got what was expected: 0, 1, 2, … modulo 100 where the type is small.
  Comparison equal(ElementType type, std::int64_t count = elements) {
    const Init values{Init::Kind::integers, 0, 100};  // the same in every type for one seed
    return {filled(type, count, values, 5), filled(ElementType::float64, count, values, 5),
            filled(ElementType::float64, count, one), type, count};
  }

  }  // namespace

  TEST_CASE("fill writes what the host's function says, bit for bit") {
    for (const ElementType type : types) {
      for (const Init& init :
           {poison, one, counting, Init{Init::Kind::uniform, -1, 1}, Init{Init::Kind::uniform, 0.1, 0.3},
            Init{Init::Kind::uniform, -100, 100}, Init{Init::Kind::integers, -8, 8},
            Init{Init::Kind::integers, -1e18, 1e18}, Init{Init::Kind::iota, 0.5, -1.75},
            Init{Init::Kind::odd_integers, 4097, 8191}, Init{Init::Kind::signs, 3, 7}}) {
        const auto on_host = filled_on_host(type, elements, init, 42);
        const auto on_device = filled(type, elements, init, 42);
        CAPTURE(tuner::model::cuda_name(type));
        CAPTURE(static_cast<int>(init.kind));
        CHECK(gpu().device->checksum(on_device->address(), on_device->bytes()) ==
              tuner::device::checksum_on_host(on_host.data(), on_device->bytes()));
      }
    }
  }

  TEST_CASE("fill writes narrow types and vectors, and every distribution, as the host does") {
    for (const ElementType type :
         {ElementType::int16, ElementType::uint16, ElementType::boolean, ElementType::float16,
          ElementType::bfloat16, ElementType::float8_e4m3, ElementType::float8_e5m2, ElementType::half2,
          ElementType::float3, ElementType::double2, ElementType::float32, ElementType::int32}) {
      for (const Init& init :
           {poison, one, Init{Init::Kind::uniform, -1, 1}, Init{Init::Kind::integers, 0, 1},
            Init{Init::Kind::normal, 0.5, 2}, Init{Init::Kind::permutation, 3, 0, 1000},
            Init{Init::Kind::sorted, -7, 100, 1000}, Init{Init::Kind::sparse, -1, 1, 0.25}}) {
        const auto on_host = filled_on_host(type, 333, init, 42);
        const auto on_device = filled(type, 333, init, 42);
        CAPTURE(tuner::model::cuda_name(type));
        CAPTURE(static_cast<int>(init.kind));
        CHECK(gpu().device->checksum(on_device->address(), on_device->bytes()) ==
              tuner::device::checksum_on_host(on_host.data(), on_device->bytes()));
      }
    }
  }

  TEST_CASE("what is written is read back") {
    const auto bytes = filled_on_host(ElementType::uint8, 1001, {Init::Kind::integers, 0, 255}, 9);
    const auto buffer = gpu().device->allocate(1001);
    gpu().device->write(buffer->address(), std::span(bytes).first(1001));
    std::vector<std::byte> back(1001);
    gpu().device->read(buffer->address(), back);
    CHECK(std::equal(back.begin(), back.end(), bytes.begin()));
  }

  TEST_CASE("a checksum equals the host's for any length and alignment") {
    const Init bytes{Init::Kind::integers, 0, 255};
    const auto on_host = filled_on_host(ElementType::uint8, 1 << 20, bytes, 3);
    const auto on_device = filled(ElementType::uint8, 1 << 20, bytes, 3);
    for (const std::int64_t length : {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 255, 4096, 65'537, 1'000'003}) {
      for (const std::int64_t offset : {0, 1, 3, 4, 7, 8, 13}) {
        CAPTURE(length);
        CAPTURE(offset);
        CHECK(gpu().device->checksum(on_device->address() + static_cast<std::uint64_t>(offset), length) ==
              tuner::device::checksum_on_host(on_host.data() + offset, length));
      }
    }
  }

  TEST_CASE("a checksum sees one changed byte, first, last or in between") {
    constexpr std::int64_t length = 1'000'003;
    const auto buffer = filled(ElementType::uint8, length, poison);
    const auto original = gpu().device->checksum(buffer->address(), length);
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1}, length / 2, length - 3, length - 1}) {
      const auto fresh = filled(ElementType::uint8, length, poison);
      plant(*fresh, ElementType::uint8, at, {Init::Kind::constant, 1, 0});
      CHECK(gpu().device->checksum(fresh->address(), length) != original);
    }
  }

  TEST_CASE("equal outputs pass in every type") {
    for (const ElementType type : types) {
      Comparison comparison = equal(type);
      comparison.bound_factor = 0;
      CAPTURE(tuner::model::cuda_name(type));
      const auto verification = comparison.run();
      CHECK(verification.checked);
      CHECK(verification.wrong_elements == 0);
      CHECK(verification.first_wrong == -1);
      CHECK(verification.error_ratio == 0);
    }
  }

  TEST_CASE("one wrong element is found anywhere, in every type") {
    for (const ElementType type : types) {
      for (const std::int64_t at : {std::int64_t{0}, std::int64_t{31}, elements / 2, elements - 1}) {
        const Comparison comparison = equal(type);
        plant(*comparison.got, type, at, {Init::Kind::constant, 111, 0});
        const auto verification = comparison.run();
        CAPTURE(tuner::model::cuda_name(type));
        CHECK(verification.wrong_elements == 1);
        CHECK(verification.first_wrong == at);
        CHECK(verification.error_ratio > 1e6);
      }
    }
  }

  TEST_CASE("a NaN is wrong, whatever the bound, and the lowest index is told") {
    Comparison comparison = equal(ElementType::float32);
    comparison.bound_factor = 1e30;
    for (const std::int64_t at : {elements - 2, std::int64_t{77}, std::int64_t{5'000}}) {
      plant(*comparison.got, ElementType::float32, at, poison);
    }
    const auto verification = comparison.run();
    CHECK(verification.wrong_elements == 3);
    CHECK(verification.first_wrong == 77);
    CHECK(verification.error_ratio == std::numeric_limits<double>::infinity());
  }

  TEST_CASE("what the reference never wrote must still be poison") {
    for (const ElementType type : types) {
      const Comparison comparison = equal(type);
      plant(*comparison.expected, ElementType::float64, 8, poison);
      CAPTURE(tuner::model::cuda_name(type));
      CHECK(comparison.run().first_wrong == 8);
      plant(*comparison.got, type, 8, poison);  // index 8 is a multiple of 4: bytes of poison are in step too
      CHECK(comparison.run().wrong_elements == 0);
    }
  }

  TEST_CASE("comparing says exactly what it says on the host") {
    const Init values{Init::Kind::uniform, -1, 1};
    const Init magnitudes{Init::Kind::uniform, 0.5, 2};
    const auto got = filled_on_host(ElementType::float32, elements, values, 1);
    const auto expected = filled_on_host(ElementType::float64, elements, values, 2);
    const auto magnitude = filled_on_host(ElementType::float64, elements, magnitudes, 3);
    const CompareRequest on_host{reinterpret_cast<std::uint64_t>(got.data()),
                                 ElementType::float32,
                                 elements,
                                 reinterpret_cast<std::uint64_t>(expected.data()),
                                 reinterpret_cast<std::uint64_t>(magnitude.data()),
                                 0.5};
    const Comparison comparison{filled(ElementType::float32, elements, values, 1),
                                filled(ElementType::float64, elements, values, 2),
                                filled(ElementType::float64, elements, magnitudes, 3),
                                ElementType::float32,
                                elements,
                                0.5};
    const auto here = tuner::device::compare_on_host(on_host);
    const auto there = comparison.run();
    CHECK(there.wrong_elements == here.wrong_elements);
    CHECK(there.first_wrong == here.first_wrong);
    CHECK(there.error_ratio == here.error_ratio);
    CHECK(there.error_ulp_scale == here.error_ulp_scale);
  }

  TEST_CASE("tolerances, narrow types and any order are judged as on the host") {
    for (const ElementType type : {ElementType::float32, ElementType::float16, ElementType::bfloat16,
                                   ElementType::float8_e4m3, ElementType::int16, ElementType::float2}) {
      for (const std::int64_t unordered : {std::int64_t{0}, std::int64_t{11}}) {
        for (const tuner::model::Tolerance& tolerance :
             {tuner::model::Tolerance{0.25, 0, 0, 0}, tuner::model::Tolerance{0.01, 0.1, 2, 0},
              tuner::model::Tolerance{0, 0, 0, 0.5}}) {
          const std::int64_t numbers = 330 * tuner::model::components(type);
          const Init values{Init::Kind::integers, -3, 3};
          const auto got = filled_on_host(type, 330, values, 1);
          const auto expected = filled_on_host(ElementType::float64, numbers, {Init::Kind::normal, 0, 2}, 2);
          const auto magnitude = filled_on_host(ElementType::float64, numbers, one, 3);
          const auto got_there = filled(type, 330, values, 1);
          const auto expected_there = filled(ElementType::float64, numbers, {Init::Kind::normal, 0, 2}, 2);
          const auto magnitude_there = filled(ElementType::float64, numbers, one, 3);
          CompareRequest request;
          request.type = type;
          request.elements = 330;
          request.bound_factor = 0.125;
          request.tolerance = tolerance;
          request.unordered_within = unordered;
          CompareRequest on_host = request;
          on_host.got = reinterpret_cast<std::uint64_t>(got.data());
          on_host.expected = reinterpret_cast<std::uint64_t>(expected.data());
          on_host.magnitude = reinterpret_cast<std::uint64_t>(magnitude.data());
          request.got = got_there->address();
          request.expected = expected_there->address();
          request.magnitude = magnitude_there->address();
          const auto here = tuner::device::compare_on_host(on_host);
          CAPTURE(tuner::model::cuda_name(type));
          CHECK(here.wrong_elements > 0);
          CHECK(gpu().device->compare(request) == here);
        }
      }
    }
  }

  TEST_CASE("comparing nothing finds nothing") {
    const Comparison comparison = equal(ElementType::float32, 1);
    const auto verification =
        gpu().device->compare({comparison.got->address(), ElementType::float32, 0,
                               comparison.expected->address(), comparison.magnitude->address(), 0});
    CHECK(verification.wrong_elements == 0);
    CHECK(verification.first_wrong == -1);
  }

  TEST_CASE("comparing a 4096 x 4096 output is bound by memory") {
    const Comparison comparison = equal(ElementType::float32, 4096 * 4096);
    comparison.run();
    const auto start = std::chrono::steady_clock::now();
    constexpr int times = 20;
    for (int i = 0; i < times; ++i) comparison.run();
    const std::chrono::duration<double, std::micro> each = (std::chrono::steady_clock::now() - start) / times;
    MESSAGE("comparing took " << each.count() << " us, " << 20.0 * 4096 * 4096 / each.count() / 1e6
                              << " TB/s");
    CHECK(each.count() < 2'000);  // 335 MB: 80 us at 4.2 TB/s; slower boards get room
  }

  TEST_CASE("more memory than there is is refused with the sizes, and costs nothing else") {
    try {
      static_cast<void>(gpu().device->allocate(std::int64_t{1} << 46U));
      FAIL("allocated 64 TiB");
    } catch (const DeviceFault& fault) {
      CHECK(fault.status() == tuner::model::TrialStatus::launch_error);
      CHECK_FALSE(fault.lost());
      CHECK(std::string(fault.what()).find("asked for 65536.00 GiB") != std::string::npos);
    }
    CHECK(equal(ElementType::float32, 10).run().wrong_elements == 0);
  }
}
