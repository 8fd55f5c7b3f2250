#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tuner::model {

/// Identity by content: the first 128 bits of a SHA-256.
struct Digest {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Digest&) const =
      default;  // NOLINT(modernize-use-nullptr): takes <=> 0 for a pointer
  /// 32 lower-case hexadecimal digits.
  std::string hex() const;
  /// The inverse of hex(); throws UsageError on anything else.
  static Digest from_hex(std::string_view text);
  static Digest from_bytes(std::span<const std::uint8_t> bytes);
  /// Random, from the operating system: for runs and measurements, which have no content identity.
  static Digest random();
  bool empty() const { return *this == Digest{}; }
};

/// Hashes fields one after another. Each field carries its length, so ("ab", "c") differs from ("a", "bc").
class DigestBuilder {
 public:
  DigestBuilder& add(std::string_view text);
  DigestBuilder& add(std::int64_t number);
  DigestBuilder& add(const Digest& digest);
  Digest finish() const;

 private:
  std::string m_buffer;
};

/// Of a file's bytes, a part at a time; empty where it cannot be read.
Digest digest_of_file(const std::string& path);

struct DigestHash {
  std::size_t operator()(const Digest& digest) const noexcept;
};

}  // namespace tuner::model
