#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/search/random_source.hpp"
#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// Every candidate, in a random order that size and seed determine: a drift of the device's clocks then falls
/// on all parts of the space alike, and a sweep that is cut short has seen a fair sample of it.
class RandomOrder final : public Strategy {
 public:
  RandomOrder(std::size_t size, std::uint64_t seed);

  std::string_view name() const override { return "random"; }
  std::optional<std::size_t> next() override;
  void report(std::size_t candidate, const Result& result) override;

 private:
  std::vector<std::size_t> m_order;
  std::vector<bool> m_settled;
  std::size_t m_next = 0;
};

}  // namespace tuner::search
