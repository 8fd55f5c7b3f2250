#include "tuner/worker/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

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

}  // namespace tuner::worker
