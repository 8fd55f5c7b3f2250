#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace config {

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
