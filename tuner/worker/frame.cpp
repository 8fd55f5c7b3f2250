#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "tuner/worker/message.hpp"

namespace tuner::worker {
namespace {

constexpr std::array<std::uint8_t, 4> magic = {'T', 'N', 'R', 1};

std::uint32_t read_length(const std::uint8_t* at) {
  std::uint32_t length = 0;
  for (int i = 3; i >= 0; --i) length = (length << 8U) | static_cast<std::uint32_t>(at[i]);
  return length;
}

}  // namespace

Bytes make_frame(std::span<const std::uint8_t> payload) {
  if (payload.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error(fmt::format("a message of {} bytes fits no frame", payload.size()));
  }
  Bytes frame;
  frame.reserve(frame_header_bytes + payload.size());
  frame.insert(frame.end(), magic.begin(), magic.end());
  const auto length = static_cast<std::uint32_t>(payload.size());
  for (unsigned shift = 0; shift < 32; shift += 8)
    frame.push_back(static_cast<std::uint8_t>((length >> shift) & 0xFFU));
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

void FrameDecoder::feed(std::span<const std::uint8_t> bytes) {
  if (!m_error.empty()) return;
  m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
}

std::optional<Bytes> FrameDecoder::next() {
  if (!m_error.empty()) return std::nullopt;
  const std::size_t available = m_buffer.size() - m_start;
  const std::uint8_t* begin = m_buffer.data() + m_start;
  // Wrong magic is noticed at its first byte: garbage shorter than a header must not look like a slow frame.
  const std::size_t magic_bytes = std::min(available, magic.size());
  if (!std::equal(begin, begin + magic_bytes, magic.begin())) {
    m_error = "what arrived is not a frame";
    return std::nullopt;
  }
  if (available < frame_header_bytes) return std::nullopt;
  const std::size_t length = read_length(begin + magic.size());
  if (length > m_max_bytes) {
    m_error = fmt::format("a frame of {} bytes exceeds the limit of {}", length, m_max_bytes);
    return std::nullopt;
  }
  if (available < frame_header_bytes + length) return std::nullopt;
  Bytes payload(begin + frame_header_bytes, begin + frame_header_bytes + length);
  m_start += frame_header_bytes + length;
  if (m_start == m_buffer.size()) {
    m_buffer.clear();
    m_start = 0;
  } else if (m_start > m_buffer.size() / 2) {
    m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(m_start));
    m_start = 0;
  }
  return payload;
}

namespace {

/// RFC 8949, section 3.1.
enum Major : unsigned { unsigned_number, negative_number, bytes, text, array, map, tag, simple };

struct Head {
  unsigned major = 0;
  unsigned info = 0;           ///< low five bits
  std::uint64_t argument = 0;  ///< value, length or count
};

class Walk {
 public:
  Walk(std::span<const std::uint8_t> payload, const FrameLimits& limits)
      : m_rest(payload), m_limits(limits) {}

  std::string run() {
    m_open.push_back(1);
    while (!m_open.empty()) {
      if (m_open.back() == 0) {
        m_open.pop_back();
        continue;
      }
      --m_open.back();
      if (++m_items > m_limits.max_items)
        return fmt::format("more than {} values in one frame", m_limits.max_items);
      Head head;
      if (std::string objection = read_head(head); !objection.empty()) return objection;
      if (std::string objection = enter(head); !objection.empty()) return objection;
    }
    return m_rest.empty() ? "" : fmt::format("{} bytes after the end of the message", m_rest.size());
  }

 private:
  std::string read_head(Head& head) {
    if (m_rest.empty()) return "the message ends early";
    const auto first = static_cast<unsigned>(m_rest.front());
    m_rest = m_rest.subspan(1);
    head.major = first >> 5U;
    head.info = first & 0x1FU;
    if (head.info < 24) {
      head.argument = head.info;
      return "";
    }
    if (head.info > 27) return fmt::format("the byte 0x{:02x} starts no value that is understood", first);
    const std::size_t width = std::size_t{1} << (head.info - 24);
    if (m_rest.size() < width) return "the message ends early";
    for (std::size_t i = 0; i < width; ++i) {
      head.argument = (head.argument << 8U) | static_cast<std::uint64_t>(m_rest[i]);
    }
    m_rest = m_rest.subspan(width);
    return "";
  }

  std::string enter(const Head& head) {
    switch (head.major) {
      case unsigned_number:
      case negative_number:
        return "";
      case bytes:
      case text:
        if (head.argument > m_rest.size()) return "a string is longer than its message";
        m_rest = m_rest.subspan(head.argument);
        return "";
      case array:
      case map:
        // Every element takes a byte at least, so a count beyond what is left is a lie.
        if (head.argument > m_rest.size()) return "an array or map is longer than its message";
        if (m_open.size() > m_limits.max_depth)
          return fmt::format("nested deeper than {}", m_limits.max_depth);
        m_open.push_back(head.major == map ? 2 * head.argument : head.argument);
        return "";
      case simple: {
        const bool constant = head.info >= 20 && head.info <= 22;  // false, true, null
        const bool floating = head.info >= 25 && head.info <= 27;
        return constant || floating ? "" : "an unassigned simple value";
      }
      default:
        return "a tag";
    }
  }

  std::span<const std::uint8_t> m_rest;
  const FrameLimits& m_limits;
  std::vector<std::uint64_t> m_open;  ///< values still expected at each level
  std::size_t m_items = 0;
};

}  // namespace

std::string cbor_objection(std::span<const std::uint8_t> payload, const FrameLimits& limits) {
  return Walk(payload, limits).run();
}

}  // namespace tuner::worker
