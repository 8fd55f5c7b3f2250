#pragma once
// What it means that an output is right. Compiled by host and device compilers, see mix.h.
#include "tuner/device/fill_function.h"

namespace tuner::device {

/// How wrong one element is: |got - expected| / magnitude, which passes when it is at most the bound factor.
///   0         equal, whatever the magnitude; or left alone by reference and kernel alike
///   infinity  NaN, or different where the magnitude is no positive finite number
/// `expected` that is still poison was never written by the reference: then the element is not the kernel's
/// to write either, so it must still be poison (`got_is_poison`), or with `ignore_unwritten` may be anything.
TUNER_BOTH double relative_error(double got, bool got_is_poison, double expected, double magnitude,
                                 bool ignore_unwritten) {
  const double infinity = double_of_bits(0x7FF0000000000000ULL);
  if (bits_of_double(expected) == poison_double) return got_is_poison || ignore_unwritten ? 0 : infinity;
  if (got == expected) return 0;
  const double difference = got > expected ? got - expected : expected - got;
  if (!(difference < infinity) || !(magnitude > 0) || !(magnitude < infinity)) return infinity;
  return difference / magnitude;
}

}  // namespace tuner::device
