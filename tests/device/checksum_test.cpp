#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "tuner/device/buffer_contents.hpp"

namespace device = tuner::device;

TEST_SUITE("tuner::device checksum") {
  namespace {

  std::array<unsigned char, 41> counting() {
    std::array<unsigned char, 41> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(i * 7 + 1);
    return out;
  }

  }  // namespace

  TEST_CASE("a changed byte anywhere changes it, the tail's included") {
    auto bytes = counting();
    const auto original = device::checksum_on_host(bytes.data(), bytes.size());
    for (unsigned char& byte : bytes) {
      byte ^= 0x10;
      CHECK(device::checksum_on_host(bytes.data(), bytes.size()) != original);
      byte ^= 0x10;
    }
    CHECK(device::checksum_on_host(bytes.data(), bytes.size()) == original);
  }

  TEST_CASE("order counts: of words and of bytes within one") {
    auto bytes = counting();
    const auto original = device::checksum_on_host(bytes.data(), bytes.size());
    std::swap(bytes[0], bytes[8]);
    CHECK(device::checksum_on_host(bytes.data(), bytes.size()) != original);
    std::swap(bytes[0], bytes[8]);
    std::swap(bytes[3], bytes[4]);
    CHECK(device::checksum_on_host(bytes.data(), bytes.size()) != original);
  }

  TEST_CASE("zeros of different lengths differ, and none is 0") {
    const std::array<unsigned char, 64> zeros{};
    std::set<std::uint64_t> seen = {0};
    for (std::int64_t length = 0; length <= 64; ++length) {
      CHECK(seen.insert(device::checksum_on_host(zeros.data(), length)).second);
    }
  }

  TEST_CASE("it does not depend on where the bytes are") {
    const auto bytes = counting();
    std::array<unsigned char, 60> elsewhere{};
    std::copy(bytes.begin(), bytes.end(), elsewhere.begin() + 3);
    CHECK(device::checksum_on_host(elsewhere.data() + 3, bytes.size()) ==
          device::checksum_on_host(bytes.data(), bytes.size()));
  }
}
