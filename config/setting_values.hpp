#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace config {

/// How much a sweep may spend; zero means no limit.
struct Budget {
  std::chrono::seconds time{0};
  std::chrono::seconds device_time{0};  ///< of the device's work alone, whatever compiling took
  std::int64_t trials = 0;
};

/// `90s`, `5m`, `1h30m`, `2d`; the same of the device's time: `20s-gpu`; or a number of trials: `500`. Throws
/// model::UsageError.
Budget parse_budget(std::string_view text);

/// `1%`, `0.5%` as 0.01, 0.005: from nothing to less than all. Throws model::UsageError.
double parse_share(std::string_view text);

/// The most sizes or paddings one list may give, and the largest extent of one dimension.
inline constexpr std::size_t most_sizes = 4096;
inline constexpr std::int64_t largest_extent = std::int64_t{1} << 40;

/// The size grammar, pieces separated by commas:
///   512..4096       doubles: 512 1024 2048 4096
///   512..4096:128   steps of 128
///   1000            one size, the same in every dimension
///   512x1024x256    one number a dimension
/// Each result holds one number (for all dimensions) or several; in the order written, repetitions left out.
/// Throws model::UsageError that names the piece.
std::vector<std::vector<std::int64_t>> parse_sizes(std::string_view text);

/// Elements by which rows are padded: `0,32`. Throws model::UsageError that names the piece.
std::vector<std::int64_t> parse_paddings(std::string_view text);

}  // namespace config
