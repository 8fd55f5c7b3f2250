#pragma once
#include <cstddef>
#include <string_view>

namespace config {

/// How many bytes the first `characters` characters of UTF-8 `text` take; all of it where there are fewer.
inline std::size_t bytes_of_characters(std::string_view text, std::size_t characters) {
  std::size_t bytes = 0;
  for (; characters > 0 && bytes < text.size(); --characters) {
    do {
      ++bytes;
    } while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U);
  }
  return bytes;
}

}  // namespace config
