#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/search/strategy.hpp"

namespace tuner::search {

/// Every candidate, in the order the spec's value lists give.
class Exhaustive final : public Strategy {
 public:
  explicit Exhaustive(std::size_t size) : m_settled(size, false) {}

  std::string_view name() const override { return "exhaustive"; }
  std::optional<std::size_t> next() override;
  void report(std::size_t candidate, const Result& result) override;

 private:
  std::vector<bool> m_settled;
  std::size_t m_next = 0;
};

}  // namespace tuner::search
