#pragma once
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>

namespace tuner::test {

/// Runs `batch` with a seed once, or over and over with other seeds for $TUNER_FUZZ_SECONDS. The seed of a
/// failing batch is shown.
template <class Batch>
void fuzz(Batch batch) {
  const char* seconds = std::getenv("TUNER_FUZZ_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds ? std::atoi(seconds) : 0);
  unsigned seed = 20240607;
  do {
    CAPTURE(seed);
    batch(seed++);
  } while (std::chrono::steady_clock::now() < end);
}

}  // namespace tuner::test
