#pragma once
// A hash of memory that parts of the memory can be hashed for in any order: the sum over its 8-byte words of
// each word mixed with its position. Compiled by host and device compilers, see mix.h.
#include "tuner/device/mix.h"

namespace tuner::device {

/// Of `bytes` bytes with no content yet.
TUNER_BOTH Word checksum_start(Word bytes) {
  return mix(bytes + mix_step);
}

/// What word `index` adds. Words are little-endian, from the first byte on; the last one is padded with
/// zeros.
TUNER_BOTH Word checksum_term(Word word, Word index) {
  return mix(word ^ mix((index + 1) * mix_step));
}

}  // namespace tuner::device
