#pragma once
#include <cstddef>
#include <cstdint>

namespace tuner::use {

/// SHA-256 (FIPS 180-4), since libc has none.
class Sha256 {
 public:
  void add(const void* bytes, std::size_t count);
  /// Once, after all was added.
  void finish(std::uint8_t (&digest)[32]);

 private:
  void add_block(const std::uint8_t* block);

  std::uint32_t m_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::uint8_t m_pending[64];
  std::size_t m_pending_count = 0;
  std::uint64_t m_count = 0;
};

/// As 64 digits and a 0.
void to_hexadecimal(const std::uint8_t (&digest)[32], char (&text)[65]);

}  // namespace tuner::use
