#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tuner::model {

/// Columns that `text` (UTF-8) takes on a terminal. East Asian wide characters and emoji take two, combining
/// marks none; bytes that are not UTF-8 take one each.
std::size_t display_width(std::string_view text);

/// `text` fit to be one line of a terminal: control characters (newlines, escape sequences) become spaces,
/// and what does not fit into `columns` is replaced by an ellipsis. Never cuts a character.
std::string one_line(std::string_view text, std::size_t columns = static_cast<std::size_t>(-1));

namespace detail {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
};

/// The character at the front of `text`, which is not empty; a byte that starts none is returned as itself.
inline CodePoint front(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = lead < 0x80   ? 1
                            : lead < 0xC2 ? 0
                            : lead < 0xE0 ? 2
                            : lead < 0xF0 ? 3
                            : lead < 0xF5 ? 4
                                          : 0;
  if (bytes <= 1 || text.size() < bytes) return {lead, 1};
  std::uint32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {lead, 1};
    value = value << 6 | (next & 0x3FU);
  }
  return {value, bytes};
}

/// A coarse East Asian Width (Unicode Standard Annex 11): blocks, not single characters.
inline std::size_t columns(std::uint32_t c) {
  const auto within = [c](std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; };
  if (within(0x0300, 0x036F) || within(0x200B, 0x200F) || within(0xFE00, 0xFE0F)) return 0;
  if (within(0x1100, 0x115F) || within(0x2E80, 0xA4CF) || within(0xAC00, 0xD7A3) || within(0xF900, 0xFAFF) ||
      within(0xFE30, 0xFE6F) || within(0xFF00, 0xFF60) || within(0xFFE0, 0xFFE6) ||
      within(0x1F300, 0x1FAFF) || within(0x20000, 0x3FFFD)) {
    return 2;
  }
  return 1;
}

inline bool is_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

}  // namespace detail

inline std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const detail::CodePoint c = detail::front(text);
    width += detail::columns(c.value);
    text.remove_prefix(c.bytes);
  }
  return width;
}

inline std::string one_line(std::string_view text, std::size_t columns) {
  std::string out;
  std::size_t width = 0;
  std::size_t keep = 0;  // bytes of `out` after which an ellipsis still fits
  while (!text.empty()) {
    const detail::CodePoint c = detail::front(text);
    const bool control = detail::is_control(c.value);
    width += control ? 1 : detail::columns(c.value);
    if (width > columns) {
      out.resize(keep);
      return columns == 0 ? out : out + "\u2026";
    }
    out += control ? std::string_view(" ") : text.substr(0, c.bytes);
    if (width + 1 <= columns) keep = out.size();
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace tuner::model
