#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "db/stored_values.hpp"
#include "tests/db/fixture.hpp"

TEST_SUITE("db") {
  TEST_CASE("samples come back bit for bit") {
    const std::vector<double> samples = {
        1.0 / 3.0, 0.0, -0.0, 1e-310, std::numeric_limits<double>::infinity(), 12345678.9};
    CHECK(db::decode_samples(db::encode_samples(samples)) == samples);
    CHECK(std::signbit(db::decode_samples(db::encode_samples(samples))[2]));
    CHECK(db::decode_samples(db::encode_samples({})).empty());
  }

  TEST_CASE("samples that resemble each other take less room than they have") {
    std::vector<double> samples;
    for (int i = 0; i < 1000; ++i) samples.push_back(100000.0 + i % 17);
    CHECK(db::encode_samples(samples).size() < samples.size() * sizeof(double) / 3);
  }

  TEST_CASE("more samples than a block may hold are refused before they are written") {
    const std::vector<double> most(1'000'000, 1.0);
    CHECK(db::decode_samples(db::encode_samples(most)) == most);
    std::vector<double> more = most;
    more.push_back(1);
    CHECK_THROWS_WITH_AS(db::encode_samples(more),
                         "a measurement has 1000001 samples, at most 1000000 can be stored",
                         tuner::model::Error);
  }

  TEST_CASE("a block of samples that is damaged is refused") {
    const std::vector<std::byte> good = db::encode_samples({1, 2, 3});
    for (std::size_t length = 0; length < good.size(); ++length) {
      CHECK_THROWS_AS(db::decode_samples(std::span(good).first(length)), tuner::model::Error);
    }
    std::vector<std::byte> more = good;
    more[1] = std::byte{4};
    CHECK_THROWS_AS(db::decode_samples(more), tuner::model::Error);
    std::vector<std::byte> huge = good;
    huge[4] = std::byte{0xFF};
    CHECK_THROWS_AS(db::decode_samples(huge), tuner::model::Error);
  }
}
