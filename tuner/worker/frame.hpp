#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tuner::worker {

using Bytes = std::vector<std::uint8_t>;

/// What either side of the socket accepts; what exceeds it is a protocol error, never an allocation.
struct FrameLimits {
  std::size_t max_bytes = std::size_t{256} << 20U;  ///< payload of one frame
  std::size_t max_items = std::size_t{1} << 20U;    ///< values in one payload
  std::size_t max_depth = 32;                       ///< arrays and maps within each other
};

/// A frame is 4 bytes of magic, the payload's length as 4 little-endian bytes, and the payload. The magic
/// tells a library that prints into the wrong descriptor from a frame.
inline constexpr std::size_t frame_header_bytes = 8;

/// `payload` with its header in front.
Bytes make_frame(std::span<const std::uint8_t> payload);

/// Puts frames together from what arrives in any pieces. Memory grows with what has arrived, not with what a
/// header claims.
class FrameDecoder {
 public:
  explicit FrameDecoder(std::size_t max_bytes) : m_max_bytes(max_bytes) {}

  void feed(std::span<const std::uint8_t> bytes);
  /// The payload of the next complete frame; absent when more must arrive, or after an error.
  std::optional<Bytes> next();
  /// Why the stream cannot be read any further; empty while it can.
  const std::string& error() const { return m_error; }

 private:
  std::size_t m_max_bytes;
  Bytes m_buffer;
  std::size_t m_start = 0;  ///< of what is not yet handed out
  std::string m_error;
};

/// Why `payload` may not be given to a CBOR library; empty when it may. Accepts exactly one well-formed value
/// of the kinds our own encoder writes: integers, byte and text strings, arrays and maps of known length,
/// booleans, null and floating-point numbers. Tags and strings or containers of unknown length are refused:
/// nlohmann-json reads nested ones by recursion of its own, which no depth limit in a SAX handler sees. Does
/// not recurse and allocates nothing but one counter a level.
std::string cbor_objection(std::span<const std::uint8_t> payload, const FrameLimits& limits);

}  // namespace tuner::worker
