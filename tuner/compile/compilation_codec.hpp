#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "tuner/model/compile_job.hpp"

namespace tuner::compile {

/// A cache entry: a fixed header (magic with format version, key, sizes, digest of the rest) and the
/// compilation, serialised little-endian and compressed with zstd. Everything but `from_cache` survives the
/// round trip.
std::string encode_entry(const model::Digest& key, const model::Compilation& compilation);

/// The inverse. Nothing for bytes that encode_entry did not write for `key`, in whatever way they differ;
/// never allocates more than `largest_bytes` for what an entry claims to hold.
std::optional<model::Compilation> decode_entry(const model::Digest& key, std::string_view bytes,
                                               std::size_t largest_bytes);

}  // namespace tuner::compile
