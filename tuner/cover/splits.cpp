#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tuner/cover/rule.hpp"

namespace tuner::cover {

std::vector<Feature> features(std::size_t dimensions) {
  using Kind = Feature::Kind;
  std::vector<Feature> all;
  for (std::size_t a = 0; a < dimensions; ++a) all.push_back({Kind::size, a});
  if (dimensions > 1) {
    for (const Kind kind : {Kind::least, Kind::most, Kind::product}) all.push_back({kind});
  }
  for (std::size_t a = 0; a < dimensions; ++a) {
    for (std::size_t b = a + 1; b < dimensions; ++b) {
      if (dimensions > 2) all.push_back({Kind::pair, a, b});
      all.push_back({Kind::ratio, a, b});
    }
  }
  for (const std::int64_t modulus : {16, 8, 4, 32, 64, 128, 256})
    for (std::size_t a = 0; a < dimensions; ++a) all.push_back({Kind::remainder, a, 0, modulus});
  return all;
}

double value_of(const Feature& feature, const Sizes& sizes) {
  const auto real = [&](std::size_t at) { return static_cast<double>(sizes[at]); };
  switch (feature.kind) {
    case Feature::Kind::size:
      return real(feature.a);
    case Feature::Kind::least:
      return static_cast<double>(*std::min_element(sizes.begin(), sizes.end()));
    case Feature::Kind::most:
      return static_cast<double>(*std::max_element(sizes.begin(), sizes.end()));
    case Feature::Kind::product: {
      double product = 1;
      for (std::size_t i = 0; i < sizes.size(); ++i) product *= real(i);
      return product;
    }
    case Feature::Kind::pair:
      return real(feature.a) * real(feature.b);
    case Feature::Kind::ratio:
      return real(feature.a) / real(feature.b);
    case Feature::Kind::remainder:
      return static_cast<double>(sizes[feature.a] % feature.modulus);
  }
  return 0;
}

double midway(double low, double high, bool whole) {
  const double middle = std::sqrt(low * high);
  for (int digits = 2; digits < 17; ++digits) {
    const double unit = std::pow(10, std::floor(std::log10(middle)) + 1 - digits);
    if (whole && unit < 1) break;
    // Powers of ten below 1 are not exact: dividing by their inverse is.
    const double rounded =
        unit < 1 ? std::round(middle / unit) / std::round(1 / unit) : std::round(middle / unit) * unit;
    if (rounded >= low && rounded < high && std::fabs(rounded / middle - 1) < 0.02) return rounded;
  }
  return whole ? std::max(low, std::floor(middle)) : middle;
}

std::vector<Split> splits(const Table& table, const Bits& sizes) {
  std::vector<Split> all;
  std::set<Bits> known;
  const auto add = [&](const Feature& feature, double threshold, const Bits& yes) {
    // Yes and no may change places.
    if (!known.insert(std::min(yes, sizes.without(yes))).second) return;
    all.push_back({feature, threshold, yes});
  };
  for (const Feature& feature : features(table.dimensions.size())) {
    std::map<double, Bits> by_value;
    sizes.each([&](std::size_t size) {
      by_value.try_emplace(value_of(feature, table.sizes[size]), Bits(table.sizes.size()))
          .first->second.set(size);
    });
    Bits yes(table.sizes.size());
    for (auto at = by_value.begin(); at != by_value.end() && std::next(at) != by_value.end(); ++at) {
      yes = yes | at->second;
      const bool is_divisibility = feature.kind == Feature::Kind::remainder;
      if (is_divisibility && at->first != 0) break;
      add(feature,
          is_divisibility ? 0 : midway(at->first, std::next(at)->first, feature.kind != Feature::Kind::ratio),
          yes);
    }
  }
  return all;
}

}  // namespace tuner::cover
