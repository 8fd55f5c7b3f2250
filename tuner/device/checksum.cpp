#include "tuner/device/checksum.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tuner::device {

std::uint64_t checksum_on_host(const void* memory, std::int64_t bytes) {
  const auto* in = static_cast<const std::byte*>(memory);
  const auto length = static_cast<std::size_t>(bytes);
  Word sum = checksum_start(length);
  for (std::size_t first = 0; first < length; first += sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, in + first, std::min(sizeof(Word), length - first));
    sum += checksum_term(word, first / sizeof(Word));
  }
  return sum;
}

}  // namespace tuner::device
