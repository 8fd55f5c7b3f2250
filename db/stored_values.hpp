#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/configuration.hpp"

namespace db {

/// More samples than any measurement takes; a count beyond it in a stored row is damage or malice.
constexpr std::size_t most_samples = 1'000'000;

/// Samples as stored: a byte 1 (the version of this encoding), their number as 4 bytes, then a zstd frame of
/// the doubles with their bytes regrouped, first bytes first, last bytes last: exponents repeat, mantissas do
/// not. All little-endian; decode(encode(x)) is x bit for bit.
std::vector<std::byte> encode_samples(const std::vector<double>& samples);
/// Throws model::Error on anything encode_samples() does not make.
std::vector<double> decode_samples(std::span<const std::byte> encoded);

// The columns that hold JSON. Reading throws model::Error on what writing never makes.

/// The parameters' names in written order, which the configuration's canonical JSON has lost.
std::string parameters_json(const tuner::model::Configuration& configuration);
tuner::model::Configuration stored_configuration(std::string_view canonical_json,
                                                 std::string_view parameters);

}  // namespace db
