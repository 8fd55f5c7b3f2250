#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tuner/capture/ledger_format.hpp"

namespace tuner::capture {

/// What makes a shape.
struct Shape {
  std::uint32_t kernel = 0;
  std::uint32_t gpu = 0;
  std::uint32_t graph = 0;
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint32_t dynamic_shared_bytes = 0;

  bool operator==(const Shape&) const = default;
};

/// Of a launch: the integers among its arguments, with their places.
struct Integers {
  std::uint32_t count = 0;
  std::array<std::int64_t, most_integers> values = {};
  std::array<std::uint8_t, most_integers> parameters = {};

  bool operator==(const Integers&) const = default;
};

inline constexpr std::uint32_t no_place = ~std::uint32_t{0};

/// Writes a Ledger, which the end of the process unmaps. Its caller sees to it that one thread at a time
/// does.
class LedgerWriter {
 public:
  LedgerWriter() = default;
  LedgerWriter(const LedgerWriter&) = delete;
  LedgerWriter& operator=(const LedgerWriter&) = delete;

  /// Makes the file with all its blocks, so that a full disk is met here and not in a launch. Says why it
  /// cannot.
  bool create(const std::string& path, std::string& why);
  Ledger& ledger() { return *m_ledger; }

  /// no_place where there is no more room.
  std::uint32_t kernel(std::string_view name);
  std::uint32_t shape(const Shape& shape);
  void count_values(std::uint32_t shape, const Integers& integers);
  void count_replacement(std::uint32_t kernel, bool is_replaced, const std::string& text);
  void add_time(std::uint32_t shape, std::uint64_t ns);

 private:
  /// Its place in the ledger's names; no_place where there is no more room.
  std::uint32_t text(std::string_view text);

  struct Hash {
    std::size_t operator()(const Shape& shape) const;
    std::size_t operator()(const std::pair<std::uint32_t, Integers>& values) const;
  };

  Ledger* m_ledger = nullptr;
  std::unordered_map<std::string, std::uint32_t> m_kernels;
  std::unordered_map<Shape, std::uint32_t, Hash> m_shapes;
  std::unordered_map<std::pair<std::uint32_t, Integers>, std::uint32_t, Hash> m_values;
  std::map<std::tuple<std::uint32_t, bool, std::string>, std::uint32_t> m_replacements;
  std::uint64_t m_random = 0x9e3779b97f4a7c15;
};

}  // namespace tuner::capture
