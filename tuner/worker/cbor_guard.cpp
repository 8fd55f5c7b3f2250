#include "tuner/worker/cbor_guard.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace tuner::worker {
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
